"""A question whose words nothing has, spelled as the memories spell them: `autovaccum` for `autovacuum`.

Asked only where a question found nothing, or nothing but by meaning. A word counts as misspelled if no memory has it,
no table of words knows it, and exactly one slip (a letter too many, too few, wrong, or two in the wrong order) makes it
a word of the memories.
"""

from memtend.search.abbreviations import spellings
from memtend.search.words import MARKS, Entries, chunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.search.index import Index

_LEAST_LETTERS = 5
"""In a shorter word one slip makes too many others."""
_LEAST_STEM, _LONGEST_ENDING = 3, 5
_MOST_TERMS = 20_000
"""Words of the memories, with the same first letter, that are looked at."""
_MOST_TRIED, _MOST_TEXTS = 5, 3
"""Stems that are looked into, those of most memories first, and memories in which words with one are looked for."""
_MOST_WORDS = 8
"""A longer question that finds nothing asks for something else."""


def respelled(index: "Index", query: str) -> str:
    """The question as the memories would spell it; empty where nothing in it looks misspelled."""
    asked = chunks(query)
    if len(asked) > _MOST_WORDS:
        return ""
    meant = {chunk: word for chunk in asked if (word := _meant(index, chunk.strip(MARKS).lower()))}
    return " ".join(meant.get(chunk, chunk) for chunk in asked) if meant else ""


def _meant(index: "Index", word: str) -> str:
    """The word of the memories that is one slip away; empty where the word is theirs, or one in itself."""
    from memtend.search.meaning import is_word

    if len(word) < _LEAST_LETTERS or not (word.isascii() and word.isalpha()) or is_word(index, word):
        return ""
    (stem,) = index.stems([word])
    if index.counts([stem])[stem]:
        return ""
    terms = [
        term for _, term in sorted((-count, term) for term, count in _terms(index, word[0]) if _may_be(word, term))
    ]
    forms = (form for term in terms[:_MOST_TRIED] for form in (*_forms(index, term), *_mended(index, word, term)))
    return next((form for form in forms if _is_one_slip(word, form)), "")


def _terms(index: "Index", letter: str) -> "list[tuple[str, int]]":
    """The stems of the memories' words with that first letter, and how many have each."""
    bounds = (letter, chr(ord(letter) + 1), _MOST_TERMS)
    found: list[tuple[str, int]] = index.rows(
        "select term, doc from vocabulary where term >= ? and term < ? limit ?", bounds
    )
    return found


def _may_be(word: str, term: str) -> bool:
    """Whether a word may be one slip away from one with that stem, whatever its ending."""
    if len(term) < max(_LEAST_STEM, len(word) - _LONGEST_ENDING):
        return False
    starts = {word[: len(term) + more] for more in (-1, 0, 1)}
    return term in starts or any(_is_one_slip(start, term) for start in starts)


def _forms(index: "Index", term: str) -> list[str]:
    """The words of some memories that have that stem, as they are written or may be."""
    found = [
        n for (n,) in index.rows("select rowid from words where words match ? limit ?", (f'"{term}" *', _MOST_TEXTS))
    ]
    heads = index.rows_of("select title, keywords, topic, summary from memories m where m.n in ({keys})", found)
    texts = [" ".join(map(str, head)) for head in heads] + list(index.texts(found).values())
    entries = Entries()
    words = dict.fromkeys(word for text in texts for word in entries.words(text).split())
    forms = [word for word, stem in zip(words, index.stems(list(words)), strict=True) if stem == term]
    return [spelling for form in forms for spelling in spellings(form)]


def _mended(index: "Index", word: str, term: str) -> list[str]:
    """The word with its start put right, if it has that stem then: `threads` of `thraeds` where all say `thread`."""
    starts = [word[: len(term) + more] for more in (-1, 0, 1)]
    mended = [term + word[len(start) :] for start in starts if _is_one_slip(start, term)]
    return [one for one, stem in zip(mended, index.stems(mended), strict=True) if stem == term]


def _is_one_slip(word: str, other: str) -> bool:
    """Whether one letter too many, too few or wrong, or two that changed places, make one the other."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    same = 0
    while same < min(len(word), len(other)) and word[same] == other[same]:
        same += 1
    ours, theirs = word[same:], other[same:]
    is_turned = ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]
    return is_turned or ours[1:] in (theirs, theirs[1:]) or ours == theirs[1:]
