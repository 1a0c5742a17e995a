"""Questions to hits.

A query is plain text: no character in it is syntax. What it names exactly (an id, a title) comes first. Else its
words are looked for: memories that hold all of them, and those that hold any. A query of fillers or marks alone
(`not to be`, `"`) is looked for as it is written, and only counts where that is rare enough to tell memories apart.

A score lies between 0 and 1 and is the sum of its parts: how much the words found weigh (BM25, divided by the most
that the words asked for could give), which share of them stands together somewhere, which was found at all, whether the
query stands there as it is, how near the memory is in meaning (`meaning`), and what it says in words that mean the same
(`related`). Words that give little of what is asked for may be there by chance, so their parts are damped: words alone
decide where they say much, meaning and related words where they do not. What was made on the days that are asked for
gets a little more (`days`), and memories that continue each other lend each other some of their scores (`sequence`).
Where even the best is unlikely to be an answer (`judge`), nothing is one. Weights were chosen by measuring:
docs/design/search.md.
"""

from memtend.search.candidates import CONSIDERED, HIT, HYBRID, Asked, candidates, of_ids
from memtend.search.judge import LEAST_ODDS, is_answer
from memtend.search.question import Question
from memtend.search.scope import Scope
from memtend.search.words import chunks, fold, key, plain, title_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memtend.search.candidates import Candidate
    from memtend.search.days import Days
    from memtend.search.index import Index

    Part = tuple[str, float, float]

EXACT, ALL_WORDS, ANY_WORD, LITERAL, NOTHING = "exact", "all-words", "any-word", "literal", "nothing"
NEAR_IN_MEANING = "meaning"
"""How a hit was found, for a caller to judge: from sure to unsure."""

_WORDS, _TOGETHER, _SHARE, _LITERAL = 0.46, 0.3, 0.17, 0.07
_DAY = 0.1
"""What it adds to be written of the day that is asked for."""
DAY_STARTS = frozenset(
    (
        "abr", "ago", "ann", "ant", "aoû", "apr", "aug", "auj", "ava", "avr", "aye", "año", "d'a", "d'h", "dec", "dez",
        "dic", "déc", "ene", "feb", "fri", "fév", "ges", "hac", "heu", "hie", "hoy", "jah", "jan", "jui", "jul", "jun",
        "l'a", "las", "mai", "mar", "may", "moi", "mon", "mär", "nov", "oct", "okt", "pas", "pre", "q1", "q1-", "q1/",
        "q2", "q2-", "q2/", "q3", "q3-", "q3/", "q4", "q4-", "q4/", "qua", "sat", "sem", "sep", "sun", "thi", "thu",
        "tod", "tue", "vor", "wed", "woc", "yes",
    )
)  # fmt: skip
"""How words start that may name a day or a month (`days`)."""
DAY_SIGNS = frozenset("年月년월")
"""Signs of which a day has one that is written without blanks."""
_RELATED = 0.18
"""What it adds to say all that is asked for in related words."""
_DAMPING = 0.78
_OF_BEST = 0.2
"""What gives less than a fifth of the best is left out."""


class Hit:
    """A memory that answers.

    `parts` are `(name, value, weight)`; their sum is the score. `found` is how many words of the query it has.
    `by_words`, `by_related` and `by_meaning` are how well each of them answers, from 0 to 1. `share` is which share of
    the query's words it has, `weights` what each weighs in it, `related` the words that it has for others of them. `n`
    is its number in the index, until the next refresh, `day` that of its making, `tokens` its length, `piece` which of
    its pieces is the nearest in meaning, and their words where these are known.
    """

    __slots__ = (
        "by_meaning", "by_related", "by_words", "category", "day", "found", "id", "mode", "n", "parts", "path", "piece",
        "related", "score", "share", "snippet", "status", "title", "tokens", "topic", "weights",
    )  # fmt: skip

    def __init__(self, row: "Sequence[Any]", mode: str, parts: "tuple[Part, ...]", found: int = 0) -> None:
        self.n, self.id, self.path, self.title, self.topic, self.category, self.status, self.day, self.tokens = row
        self.mode = mode
        self.parts: tuple[Part, ...] = ()
        self.score = 0.0
        """Between 0 and 1, comparable within one answer."""
        self.add(*parts)
        self.found = found
        self.by_words = self.by_meaning = self.by_related = 0.0
        self.weights: Mapping[str, float] = {}
        self.related: tuple[str, ...] = ()
        self.share = 0.0
        self.piece: tuple[int, ...] = (0,)
        self.snippet = ""

    @property
    def words(self) -> frozenset[str]:
        """The words of the query that it has."""
        return frozenset([word for word, weight in self.weights.items() if weight])

    def add(self, *parts: "Part") -> None:
        """More that speaks for it."""
        self.parts += parts
        self.score = min(1.0, sum([value * weight for _name, value, weight in self.parts]))


class Answer:
    """The hits of a query, best first, and how the best was found; `nothing` when there is none.

    `note` says where the answer is less than what was asked for, such as an embedder that is missing; `looked_for` what
    was looked for instead, where nothing has a word as it was spelled.
    """

    __slots__ = ("hits", "looked_for", "mode", "note", "query")

    def __init__(self, query: str, hits: "Sequence[Hit]", note: str = "") -> None:
        self.query = query
        self.note = note
        self.looked_for = ""
        self.hits = tuple(hits)
        self.mode = self.hits[0].mode if self.hits else NOTHING


def search(
    index: "Index", query: str, limit: int = 5, scope: Scope | None = None, method: str = HYBRID, *, today: str = ""
) -> Answer:
    """The memories that answer a query, best first. `today` (`2026-06-30`) says what `yesterday` is in it.

    Raises Usage for an empty one. Retired memories are left out unless the scope says otherwise, and so is one
    whose file has gone since the index was refreshed.
    """
    from memtend.search.snippet import add_snippets

    def found() -> Answer:
        answer = find(index, query, limit, scope, method=method, today=today)
        if answer.mode in (NOTHING, NEAR_IN_MEANING):
            answer = _respelled(index, answer, limit, scope, method=method, today=today)
        add_snippets(index, answer)
        return answer

    return index.steadily(found)


def _respelled(index: "Index", answer: Answer, limit: int, scope: Scope | None, **options: "Any") -> Answer:
    """What is found where the question is spelled as the memories spell it; else the same answer."""
    from memtend.search.spelling import respelled

    instead = respelled(index, answer.query)
    other = find(index, instead, limit, scope, **options) if instead else answer
    if other.mode in (NOTHING, NEAR_IN_MEANING):
        return answer
    other.query, other.looked_for = answer.query, instead
    return other


def find(
    index: "Index",
    query: str,
    limit: int = 5,
    scope: Scope | None = None,
    *,
    least_odds: float = LEAST_ODDS,
    method: str = HYBRID,
    today: str = "",
) -> Answer:
    """As `search`, without snippets. `least_odds` are as `judge.LEAST_ODDS`."""
    query = query if query.isascii() else query.encode("utf-8", "replace").decode()
    if not query.strip():
        raise _empty()
    scope = scope or Scope()
    days = _days(query, today)
    question = Question(index, days.text if days else query, is_widened=method == HYBRID, days=days)
    hits = _exact(index, query, scope)
    note = ""
    if question.units:
        asked = Asked(index, query, question, scope, limit, method=method)
        found = [_scored(asked, candidate) for candidate in candidates(asked)]
        if found and is_answer(question, found, least_odds - asked.trust, asked.sense, asked.among):
            hits += _near_the_best([*found, *_around(asked, found)])
        note = asked.note
    else:
        from memtend.search.literal import literal

        hits += literal(index, query, scope)
    best: dict[int, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-round(hit.score, 9), hit.id, hit.path)):
        if len(best) < limit and hit.n not in best and index.holds(hit.path):
            best[hit.n] = hit
    return Answer(query, list(best.values()), note)


def _days(query: str, today: str) -> "Days | None":
    """The days that a question names. Most name none, and then nothing is loaded for it."""
    starts = (word[:1].isdecimal() or word[:3] in DAY_STARTS for word in chunks(query.lower()))
    if not any(starts) and (query.isascii() or DAY_SIGNS.isdisjoint(query)):
        return None
    from memtend.search.days import days_of

    return days_of(query, today)


def _near_the_best(hits: "Sequence[Hit]") -> list[Hit]:
    """The hits that are not far behind the best."""
    least = _OF_BEST * max(hit.score for hit in hits)
    return [hit for hit in hits if hit.score >= least]


def _empty() -> Exception:
    from memtend.errors import Usage

    return Usage("the query is empty", hint="Say what to look for; `memtend list` shows every memory.")


def _exact(index: "Index", query: str, scope: Scope) -> list[Hit]:
    """Memories that go by the query: it is their id (as a link or a file name, too) or their title."""
    name = query.strip().removeprefix("[[").removesuffix("]]").removesuffix(".md")
    id, title = fold(name), plain(query)
    rows = index.rows(
        f"select {HIT} from memories m where (id_key = ? or title_key = ?) and {scope.condition}",
        [key(id), title_key(query), *scope.bindings],
    )
    meant = [row for row in rows if fold(row[1]) == id or plain(row[3]) == title != ""]
    return [Hit(row, EXACT, (("exact", 1.0, 1.0),)) for row in meant]


def _around(asked: Asked, hits: "Sequence[Hit]") -> list[Hit]:
    """Give what stands before and after a good hit its part of that; gives the hits that come in so."""
    from memtend.search.sequence import AROUND, ids_around, lent, may_continue

    best = sorted(filter(may_continue, hits), key=lambda hit: (-hit.score, hit.id))[:CONSIDERED]
    if not best:
        return []
    beside = of_ids(asked, ids_around(best), {hit.n for hit in hits})
    others = list(filter(may_continue, [_scored(asked, candidate) for candidate in beside]))
    around = lent(best, [*filter(may_continue, hits), *others])
    for hit in (*hits, *others):
        if hit.n in around:
            hit.add(("around", around[hit.n], AROUND))
    return [hit for hit in others if hit.n in around]


def _scored(asked: Asked, candidate: "Candidate") -> Hit:
    (columns, length, together, found), near, is_literal = candidate
    share, question = asked.share, asked.question
    related, words = question.answered_in_other_words(length, found)
    found = question.own(found)
    day = question.days.nearness(columns[7]) if question.days else 0.0
    found = question.with_day(found, day) if day else found
    value, there, count = question.answered(length, found) if found else (0.0, 0.0, 0)
    parts = (
        ("words", value, _WORDS),
        ("together", question.share_of(together), _TOGETHER),
        ("share", there, _SHARE),
        ("literal", float(is_literal), _LITERAL),
    )
    by_words = sum([part * weight for _name, part, weight in parts])
    damped = (1 - share) * by_words**_DAMPING
    nearness = max(0.0, near[0])
    weighed = tuple([(name, part, weight * damped) for name, part, weight in parts])
    mode = NEAR_IN_MEANING if not found else ALL_WORDS if question.is_answered_wholly(found) else ANY_WORD
    hit = Hit(columns, mode, (*weighed, ("meaning", nearness, share)) if share else weighed, count)
    if day:
        hit.add(("day", day, _DAY))
    if related:
        hit.add(("related", related, _RELATED))
        hit.by_related, hit.related = related, words
    hit.by_words, hit.by_meaning = by_words, nearness if share else 0.0
    if asked.meaning:
        hit.piece = near[1], asked.meaning.space.piece_words
    hit.share, hit.weights = there, found
    return hit
