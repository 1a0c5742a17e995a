"""Questions to hits.

A query is plain text: no character in it is syntax. What it names exactly (an id, a title) comes first. Else its
words are looked for: memories that hold all of them, and those that hold any. A query of fillers or marks alone
(`not to be`, `"`) is looked for as it is written, and only counts where that is rare enough to tell memories apart.

A score lies between 0 and 1 and is the sum of its parts: how much the words found weigh (BM25, divided by the most
that the words asked for could give), which share of them stands together somewhere, which was found at all, whether the
query stands there as it is, and how near the memory is in meaning (`meaning`). Words that give little of what is asked
for may be there by chance, so their parts are damped: words alone decide where they say much, meaning where they do
not. Short memories that continue each other lend each other some of their scores (`sequence`). Where even the best is
unlikely to be an answer (`judge`), nothing is one. Weights were chosen by measuring: docs/design/search.md.
"""

from memtend.search.days import days_of
from memtend.search.judge import LEAST_ODDS, is_answer
from memtend.search.phrases import COLUMNS, best_by_words
from memtend.search.question import Question
from memtend.search.scope import Scope
from memtend.search.words import fold, key, plain, title_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from memtend.search.index import Index
    from memtend.search.meaning import Meaning, Near, Sense
    from memtend.search.question import Expression
    from memtend.search.words import Unit

    Part = tuple[str, float, float]
    Row = tuple[Sequence[Any], float, float, dict[str, float]]

EXACT, ALL_WORDS, ANY_WORD, LITERAL, NOTHING = "exact", "all-words", "any-word", "literal", "nothing"
NEAR_IN_MEANING = "meaning"
"""How a hit was found, for a caller to judge: from sure to unsure."""

HYBRID, LEXICAL, SEMANTIC = "hybrid", "lexical", "semantic"
"""By words and meaning, by words alone, by meaning alone."""

_WORDS, _TOGETHER, _SHARE, _LITERAL = 0.46, 0.3, 0.17, 0.07
_DAY = 0.1
"""What it adds to be written of the day that is asked for."""
_MOST_OF_DAYS, _MANY = 50, 50_000
"""Memories of the days asked for that are looked at, if they are no more; and in a vault of how many."""
_DAMPING = 0.78
_OF_BEST = 0.2
"""What gives less than a fifth of the best is left out."""
_CONSIDERED, _NEAR_CONSIDERED = 20, 5
"""How many of the best by BM25, and of the nearest in meaning, are looked at more closely; more for a higher limit."""
_FEW = 500
"""Memories in a narrow scope whose vectors are all compared: the likely ones of all may all lie outside."""
_FAR = (0.0, 0)
_LITERAL_LENGTH = 120


class Hit:
    """A memory that answers.

    `parts` are `(name, value, weight)`; their sum is the score. `found` is how many words of the query it has.
    `by_words` and `by_meaning` are how well each of them answers, from 0 to 1. `share` is which share of the query's
    words it has, `weights` what each weighs in it. `n` is its number in the index, until the next refresh, `day` that
    of its making, `tokens` its length, `piece` which of its pieces is the nearest in meaning, and their words
    where these are known.
    """

    __slots__ = (
        "by_meaning", "by_words", "category", "day", "found", "id", "mode", "n", "parts", "path", "piece",
        "score", "share", "snippet", "status", "title", "tokens", "topic", "weights",
    )  # fmt: skip

    def __init__(self, row: "Sequence[Any]", mode: str, parts: "tuple[Part, ...]", found: int = 0) -> None:
        self.n, self.id, self.path, self.title, self.topic, self.category, self.status, self.day, self.tokens = row
        self.mode = mode
        self.parts: tuple[Part, ...] = ()
        self.score = 0.0
        """Between 0 and 1, comparable within one answer."""
        self.add(*parts)
        self.found = found
        self.by_words = self.by_meaning = 0.0
        self.weights: Mapping[str, float] = {}
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
    question = Question(index, query, days=days_of(query, today))
    hits = _exact(index, query, scope)
    note = ""
    if question.units:
        asked = Asked(index, query, question, scope, limit, method=method)
        found = _asked(asked)
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


def _near_the_best(hits: "Sequence[Hit]") -> list[Hit]:
    """The hits that are not far behind the best."""
    least = _OF_BEST * max(hit.score for hit in hits)
    return [hit for hit in hits if hit.score >= least]


def _empty() -> Exception:
    from memtend.errors import Usage

    return Usage("the query is empty", hint="Say what to look for; `memtend list` shows every memory.")


HIT = "m.n, m.id, m.path, m.title, m.topic, m.category, m.status, m.created, m.token_count"


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


class Asked:
    """A question put to an index: about which memories, and how many of the best are looked at closely."""

    __slots__ = ("among", "count", "index", "meaning", "method", "near_count", "note", "query", "question", "scope")

    def __init__(
        self, index: "Index", query: str, question: Question, scope: Scope, limit: int, *, method: str
    ) -> None:
        self.index = index
        self.query = query
        self.question = question
        self.scope = scope
        self.among = index.count()
        """How many memories may answer: all, or those of a narrow scope."""
        self.count = max(_CONSIDERED, limit)
        self.near_count = max(_NEAR_CONSIDERED, limit)
        self.method = method
        self.note = ""
        self.meaning: Meaning | None = None
        """What is meant; None by words alone, or for a single name such as `C++` or `E0277`, which means itself."""
        if method != LEXICAL and not (len(question.units) == 1 and _is_name(question.units[0])):
            from memtend.search.meaning import meaning_of

            self.meaning, self.note = meaning_of(index, query)

    @property
    def sense(self) -> "Sense | None":
        """What the judge asks of words; None where meaning is not asked."""
        if self.meaning is None:
            return None
        from memtend.search.meaning import Sense

        return Sense(self.index)

    @property
    def trust(self) -> float:
        """How much lower the odds may be, since nearness in meaning says more than the built-in one's does."""
        return self.meaning.space.trust if self.meaning else 0.0

    @property
    def share(self) -> float:
        """What nearness in meaning weighs."""
        return 0.0 if not self.meaning else 1.0 if self.method == SEMANTIC else self.meaning.space.share


def _asked(asked: Asked) -> list[Hit]:
    rows = {} if asked.method == SEMANTIC else _rows(asked.index, asked.question, asked.scope, asked.count)
    literal = _holding(asked, rows)
    rows |= _rows_of_days(asked, rows)
    nearness: dict[int, Near] = {}
    if asked.meaning:
        nearness = _nearness(asked, asked.meaning, rows)
        nearest = sorted((-cosine, n) for n, (cosine, _) in nearness.items() if n not in rows)
        rows |= _rows_near(asked, [n for _, n in nearest])
    return [_scored(asked, row, nearness.get(n, _FAR), is_literal=n in literal) for n, row in rows.items()]


def _rows_of_days(asked: Asked, known: "Mapping[int, Row]") -> "dict[int, Row]":
    """The memories of the days asked for, where these are few, with the words of the question that they have."""
    days = asked.question.days
    if not days or asked.index.count() > _MANY:
        return {}
    condition, bound = days.condition()
    rows = asked.index.rows(
        f"select {HIT} from memories m where {condition} and {asked.scope.condition} limit {_MOST_OF_DAYS + 1}",
        [*bound, *asked.scope.bindings],
    )
    return _with_words(asked, [row for row in rows if row[0] not in known]) if len(rows) <= _MOST_OF_DAYS else {}


def _nearness(asked: Asked, meaning: "Meaning", rows: "Mapping[int, Row]") -> "dict[int, Near]":
    """How near in meaning memories are: those of a narrow scope if they are few, else the likely ones; and the rows."""
    if asked.scope.is_narrow:
        inside = asked.index.rows(
            f"select m.n from memories m where {asked.scope.condition} limit {_FEW + 1}", asked.scope.bindings
        )
        if len(inside) <= _FEW:
            asked.among = len(inside)
            return meaning.cosines((), [*rows, *(n for (n,) in inside)])
    return meaning.cosines(meaning.likely(), rows)


def _around(asked: Asked, hits: "Sequence[Hit]") -> list[Hit]:
    """Give what stands before and after a good hit its part of that; gives the hits that come in so."""
    from memtend.search.sequence import AROUND, ids_around, lent, may_continue

    best = sorted(filter(may_continue, hits), key=lambda hit: (-hit.score, hit.id))[:_CONSIDERED]
    if not best:
        return []
    others = list(filter(may_continue, _of_ids(asked, ids_around(best), {hit.n for hit in hits})))
    around = lent(best, [*filter(may_continue, hits), *others])
    for hit in (*hits, *others):
        if hit.n in around:
            hit.add(("around", around[hit.n], AROUND))
    return [hit for hit in others if hit.n in around]


def _of_ids(asked: Asked, ids: "Sequence[str]", known: "Container[int]") -> list[Hit]:
    """The memories of some ids that are not known yet, as if the question had found them."""
    folded = set(map(fold, ids))
    columns = asked.index.rows_of(
        f"select {HIT} from memories m where m.id_key in ({{keys}}) and {asked.scope.condition}",
        list(map(key, folded)),
        asked.scope.bindings,
    )
    rows = _with_words(asked, [row for row in columns if row[0] not in known and fold(row[1]) in folded])
    nearness = asked.meaning.cosines((), rows) if asked.meaning and rows else {}
    return [_scored(asked, row, nearness.get(n, _FAR)) for n, row in rows.items()]


def _is_name(unit: "Unit") -> bool:
    return bool(unit.whole) or not all(word.isalpha() for word in unit.words)


def _rows_near(asked: Asked, numbers: "Sequence[int]") -> "dict[int, Row]":
    """The nearest in meaning, nearest first in `numbers`, with the words of the question that they have."""
    sql = f"select {HIT} from memories m where m.n in ({{keys}}) and {asked.scope.condition}"
    nearest: list[Sequence[Any]] = []
    for start in range(0, len(numbers), asked.near_count):
        some = numbers[start : start + asked.near_count]
        there = {row[0]: row for row in asked.index.rows_of(sql, some, asked.scope.bindings)}
        nearest += [there[n] for n in some if n in there]
        if len(nearest) >= asked.near_count:
            break
    return _with_words(asked, nearest[: asked.near_count])


def _with_words(asked: Asked, columns: "Sequence[Sequence[Any]]") -> "dict[int, Row]":
    """Memories by their number, with the words of the question that they have."""
    found: dict[int, Row] = {row[0]: (row, 1.0, 0.0, {}) for row in columns}
    some = asked.question.some
    if found and some and asked.question.is_light(some) and asked.method != SEMANTIC:
        found |= _weighed(asked.index, asked.question, some, list(found))
    return found


def _rows(index: "Index", question: Question, scope: Scope, count: int) -> "dict[int, Row]":
    """The memories worth a closer look: with some of the words, and with every word where that is not clear."""
    if question.is_common and question.every and (rows := _matching(index, question, question.every, scope, count)):
        return rows
    rows = _matching(index, question, question.rarest, scope, count) if question.rarest else {}
    is_clear = len(rows) < count or any(question.is_answered_wholly(row[-1]) for row in rows.values())
    if question.every and question.is_light(question.every) and not (is_clear and question.some_is_all):
        # What holds all the words may stand behind what holds a few of them often.
        rows |= _matching(index, question, question.every, scope, count)
    if question.some and question.rarest is not question.some:
        rows |= _weighed(index, question, question.some, list(rows))
    return rows


def _matching(
    index: "Index", question: Question, expression: "Expression", scope: Scope, count: int
) -> "dict[int, Row]":
    """The best memories for a full-text query, by their numbers, as `_weighed` gives them."""
    return _weighed(index, question, expression, list(best_by_words(index, expression.text, scope, count)))


def _weighed(
    index: "Index", question: Question, expression: "Expression", numbers: "Sequence[int]"
) -> "dict[int, Row]":
    """Those of some memories that answer a full-text query, by their numbers.

    Each with a hit's columns, its length, what the words that stand together are worth, and what each weighs in it.
    """
    # One pass over what is found is quicker than to seek each, but for words that very many have.
    place = "+words.rowid" if question.is_light(expression) else "words.rowid"
    index.weights.noted.clear()
    index.weights.masses = question.masses(expression)
    rows = index.rows_of(
        f"select {HIT}, weights(words, {COLUMNS}) from words cross join memories m on m.n = words.rowid"
        f" where {place} in ({{keys}}) and words match ?",
        numbers,
        [expression.text],
    )
    found: dict[int, Row] = {}
    for row in rows:
        length, together, weights = index.weights.noted[row[-1]]
        found[row[0]] = (row[:-1], length, together, dict(zip(expression.words, weights, strict=True)))
    return found


def _holding(asked: Asked, rows: "Mapping[int, Row]") -> set[int]:
    """Those of some memories that hold the query as it is, but for case: they have as many of its words as any."""
    needle = asked.query.strip().lower()
    if len(needle) > _LITERAL_LENGTH:
        return set()
    counts = {n: sum(map(bool, found.values())) for n, (*_, found) in rows.items()}
    most = max(counts.values(), default=0)
    # Words within it stand there whole, or it does not stand there.
    inner = [word for unit in asked.question.units[1:-1] for word in unit.words]
    texts = asked.index.texts(
        [n for n, count in counts.items() if count == most and all(rows[n][-1].get(word, 1) for word in inner)]
    )
    return {n for n, text in texts.items() if needle in rows[n][0][3].lower() or needle in text.lower()}


def _scored(asked: Asked, row: "Row", near: "Near", *, is_literal: bool = False) -> Hit:
    columns, length, together, found = row
    share, question = asked.share, asked.question
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
    hit.by_words, hit.by_meaning = by_words, nearness if share else 0.0
    if asked.meaning:
        hit.piece = near[1], asked.meaning.space.piece_words
    hit.share, hit.weights = there, found
    return hit
