"""The one tokeniser of the index and of a question: what it takes from a text, it finds again.

It runs in every hook, so it does without regular expressions: one `str.translate`, one `str.split`, and a table
of chunks already seen. A chunk is what stands between blanks, brackets and quotes: `foo.bar_baz`, `multi-agent`,
`C++`, a run of Chinese. It becomes `Unit`s: the words it is made of, and the same letters in one piece, so that
`atomic_write_json`, `atomicWriteJson` and `atomic-write-json` are one name.

Scripts that write no blanks between words give overlapping pairs of characters. Case, width (`ｱ` and `ア`) and
accents make no difference. English fillers (`the`, `is`, `how`) are no words here; `rank` says what becomes of a
question that has nothing else. Endings are cut by SQLite's Porter stemmer, on both sides alike.
"""

from memtend.search.abbreviations import SPELLED_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FILLERS = """
a about above across after again against all almost along already also although always am among an and another any
anyone anything are aren arent as at be became because been before being below between both but by came can cannot cant
could couldnt d did didnt do does doesnt doing dont down during each either else ever every everyone everything few for
from further had hadnt has hasnt have havent having he hence her here hers him his how however i if in into is isnt it
its itself just let lets ll m many may me might mine more most much must my myself neither no nobody none nor
not nothing now of off often on once only onto or other others our ours out over own per please quite rather re really s
same shall she should shouldnt since so some someone something such t than that thats the their theirs them then there
theres these they theyre this those though through thus to together too toward under until up upon us use
used uses using ve very via was
wasnt we were werent what whats when whenever where whether which while who whom whose why will with within without wont
would wouldnt yes yet you your yours youre
"""
FILLERS = frozenset(_FILLERS.split())
"""Words that are left out of the index and of questions. English only: other tongues' are found to be common."""

_JOINERS = "_.-'/:@\\+#&"
MARKS = "_.-'/:@\\&"
"""Joiners that mean nothing at the end of a word; `+` and `#` do: `C++`, `F#`."""
_MAX_LETTERS = 64
_MAX_PARTS = 8
_MOST_SEEN = 100_000
# Scripts without blanks between words; Hangul has blanks, but its particles cling to the word.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F),
    (0x1100, 0x11FF), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3040, 0x318F),
    (0x31A0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF),
    (0xFF66, 0xFFDC), (0x20000, 0x3FFFF),
)  # fmt: skip
_ACCENTS = dict.fromkeys(range(0x300, 0x370))


class Unit:
    """One word of a question or text, or the parts of one name.

    `words` must all be there for the unit to be there, or else `whole` alone. `is_run` marks a run of an unspaced
    script: its pairs of characters, or its one character, which stands for every pair that starts with it.
    `spelled` are the words as they are written, be they abbreviations or not.
    """

    __slots__ = ("is_run", "spelled", "whole", "words")

    def __init__(
        self, words: tuple[str, ...], whole: str = "", is_run: bool = False, spelled: tuple[str, ...] = ()
    ) -> None:
        self.words = words
        self.spelled = spelled or words
        self.whole = whole
        self.is_run = is_run

    @property
    def key(self) -> tuple[tuple[str, ...], str]:
        """What makes two units the same."""
        return self.words, self.whole

    @property
    def is_name(self) -> bool:
        """Whether it is spelled as one, such as `C++`, `E0277` and `read_config`."""
        return bool(self.whole) or not all(word.isalpha() for word in self.spelled)


class _Borders(dict[int, str]):
    """What `str.translate` makes of each character: itself, a blank, or (a symbol) itself between blanks.

    A symbol that stands for letters with a mark between them (`℅`) is those letters.
    """

    def __missing__(self, code: int) -> str:
        from unicodedata import category

        character = chr(code)
        kind = category(character)
        if character.isalnum() or kind[0] == "M":
            to = "" if 0xFE00 <= code <= 0xFE0F else character
        elif kind in ("So", "Sm", "Sc", "Co") and not 0x2500 <= code <= 0x259F:
            meant = fold(character)
            has_mark = len(meant) > 1 and not meant.replace(".", "").isalnum()
            to = f" {' '.join(filter(str.isalnum, meant))} " if has_mark else f" {character} "
        else:
            to = "" if code == 0xAD else " "
        self[code] = to
        return to


_borders = _Borders({code: chr(code) if chr(code).isalnum() or chr(code) in _JOINERS else " " for code in range(128)})
_borders.update({ord("’"): "'", ord("⁄"): " "})


def chunks(text: str) -> list[str]:
    """What stands between blanks, brackets, quotes and other marks that join nothing."""
    return text.translate(_borders).split()


def units(text: str) -> list[Unit]:
    """The units that a text asks for, in order, each once. `C++` asks for itself, not for `C`."""
    found = (unit for chunk in dict.fromkeys(chunks(text)) for unit in _units(chunk))
    asked = (Unit((), unit.whole) if unit.whole.endswith(("+", "#")) else unit for unit in found)
    return list({unit.key: unit for unit in asked}.values())


def fold(text: str) -> str:
    """The form in which words are compared: no case, one width, no accents."""
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFKD", text).casefold().translate(_ACCENTS))


def plain(text: str) -> str:
    """A title or a phrase without case, accents and punctuation, fillers kept: for comparing whole ones."""
    return " ".join(filter(None, (chunk.strip(_JOINERS) for chunk in chunks(fold(text)))))


def key(name: str) -> int:
    """A number (CRC-32, signed) by which the index finds a name; two names seldom share one."""
    from zlib import crc32

    return crc32(name.encode("utf-8", "replace")) - 2**31


def title_key(title: str) -> int | None:
    """The `key` of a title or of a question that may be one; None where nothing of it is left to compare."""
    words = plain(title)
    return key(words) if words else None


def is_unspaced(character: str) -> bool:
    """Whether it belongs to a script that writes no blanks between words."""
    code = ord(character)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)


def count_tokens(text: str) -> int:
    """An estimate for a language model: 1.3 a word; in scripts without blanks, each character counts."""
    words = len(text.split())
    if not text.isascii():
        words += sum(map(is_unspaced, text)) * 3 // 4
    return words * 13 // 10


class Entries:
    """Turns the texts of memories into what the full-text table is given. Keeps the chunks it has seen."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen = _Seen()

    def words(self, text: str) -> str:
        """The words of a text, names also in one piece, blank between them."""
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        return "".join(map(self._seen.__getitem__, chunks(text))).rstrip()


class _Seen(dict[str, str]):
    """The words of a chunk, a blank behind each; found once."""

    def __missing__(self, chunk: str) -> str:
        entry = self[chunk] = "".join(f"{word} " for word in _entry(chunk))
        return entry


def _entry(chunk: str) -> "Iterator[str]":
    for unit in _units(chunk):
        yield from unit.words
        if unit.is_run:
            yield unit.words[-1][-1]  # so that every single character of a run starts something
        yield from _pieces(unit)


def _pieces(unit: Unit) -> list[str]:
    """A whole name, and each two neighbouring parts of it: `write_json` is a piece of `atomic_write_json`."""
    if not unit.whole:
        return [_letters(word) for word in unit.words if _letters(word)]
    pairs = [_joined(pair) for pair in zip(unit.spelled, unit.spelled[1:], strict=False)]
    return [unit.whole, *pairs] if len(pairs) > 1 else [unit.whole]


def _letters(word: str) -> str:
    """`python` of `python3`: the letters before a number, when there are enough to be a word."""
    letters = word.rstrip("0123456789")
    return letters if len(word) > len(letters) > 2 else ""


def _units(chunk: str) -> "Iterator[Unit]":
    if not chunk.isascii():
        for run in _runs(chunk):
            folded = fold(run) if is_unspaced(run[0]) else ""
            if folded:
                yield _paired(folded)
            else:
                yield from _named(run)
        return
    core = chunk.strip(MARKS)
    if core.isalpha() and (core.islower() or core.istitle()):
        if (word := core.lower()) not in FILLERS:
            spelled = word[:_MAX_LETTERS]
            yield Unit((SPELLED_OUT.get(word) or spelled,), spelled=(spelled,))
    else:
        yield from _named(chunk)


def _runs(chunk: str) -> "Iterator[str]":
    """The parts of a chunk that are of unspaced script, and the others."""
    start = 0
    kinds = [is_unspaced(character) for character in chunk]
    for place in range(1, len(chunk)):
        if kinds[place] != kinds[place - 1]:
            yield chunk[start:place]
            start = place
    yield chunk[start:]


def _paired(run: str) -> Unit:
    if len(run) == 1:
        return Unit((run,), is_run=True)
    return Unit(tuple(run[place : place + 2] for place in range(len(run) - 1)), is_run=True)


def _named(chunk: str) -> "Iterator[Unit]":
    """The unit of a chunk with joiners, humps or foreign letters in it; none where only fillers are left."""
    core = chunk.strip(_JOINERS)
    if not core:
        return
    tail = chunk[chunk.rindex(core) + len(core) :]
    parts = [part[:_MAX_LETTERS] for part in _parts(core)]
    spelled = tuple(part for part in parts if part not in FILLERS)
    words = tuple(SPELLED_OUT.get(part, part) for part in spelled)
    if not parts:
        return
    if tail[:2] == "++" or tail[:1] == "#":
        yield Unit(words or tuple(parts), parts[-1] + ("++" if tail[:1] == "+" else "#"))
        return
    whole = _joined(parts) if 1 < len(parts) <= _MAX_PARTS else ""
    is_contraction = "'" in core and not words
    if (words or whole) and whole not in FILLERS and not is_contraction:
        yield Unit(words, whole[:_MAX_LETTERS], spelled=spelled)


def _joined(parts: "Iterable[str]") -> str:
    """The parts in one piece, with a dot between numbers: `20.04` is not `2004`."""
    whole = ""
    for part in parts:
        dotted = whole[-1:].isdigit() and part[:1].isdigit()
        whole = f"{whole}.{part}" if dotted else whole + part
    return whole


def _parts(core: str) -> list[str]:
    """The words of a name: between joiners, and at the humps of `camelCase` and `HTTPServer`."""
    for joiner in _JOINERS:
        core = core.replace(joiner, " ")
    humps = (hump for word in core.split() for hump in _humps(word))
    return [part for hump in humps for part in chunks(fold(hump))]


def _humps(word: str) -> "Iterator[str]":
    is_plural = word[:-1].isupper() and word[-1] == "s"
    if word.islower() or word.isupper() or word.istitle() or is_plural:
        yield word
        return
    start = 0
    for place in range(1, len(word)):
        before, here, after = word[place - 1], word[place], word[place + 1 : place + 2]
        if here.isupper() and (before.islower() or (before.isupper() and after.islower())):
            yield word[start:place]
            start = place
    yield word[start:]
