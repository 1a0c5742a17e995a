"""Which memories are worth a closer look for a question, and what they have of it.

The best by words, those of the days asked for where they are few, and the nearest in meaning: some dozens of however
many there are. `rank` says what each is worth.
"""

from memtend.search.phrases import COLUMNS, best_by_words
from memtend.search.question import Question
from memtend.search.scope import Scope
from memtend.search.words import fold, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from memtend.search.index import Index
    from memtend.search.meaning import Meaning, Near, Sense
    from memtend.search.question import Expression

    Row = tuple[Sequence[Any], float, float, dict[str, float]]
    """A hit's columns, its length as a share of the mean, what the words that stand together are worth, and what each
    word of the question weighs in it."""
    Candidate = tuple[Row, Near, bool]
    """With how near in meaning it is, and whether it holds the question as it is written."""

HYBRID, LEXICAL, SEMANTIC = "hybrid", "lexical", "semantic"
MODES = (HYBRID, LEXICAL, SEMANTIC)
"""By words and meaning, by words alone, by meaning alone."""

CONSIDERED, _NEAR_CONSIDERED = 20, 5
"""How many of the best by BM25, and of the nearest in meaning, are looked at more closely; more for a higher limit."""
_FEW = 500
"""Memories in a narrow scope whose vectors are all compared: the likely ones of all may all lie outside."""
_MOST_OF_DAYS, _MANY = 50, 50_000
"""Memories of the days asked for that are looked at, if they are no more; and in a vault of how many."""
_FAR = (0.0, 0)
_LITERAL_LENGTH = 120
HIT = "m.n, m.id, m.path, m.title, m.topic, m.category, m.status, m.created, m.token_count"


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
        self.count = max(CONSIDERED, limit)
        self.near_count = max(_NEAR_CONSIDERED, limit)
        self.method = method
        self.note = ""
        self.meaning: Meaning | None = None
        """What is meant; None by words alone, or for a single name such as `C++` or `E0277`, which means itself."""
        if method != LEXICAL and not question.is_a_name:
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


def candidates(asked: Asked) -> "list[Candidate]":
    """The memories that are worth a closer look: the best by words, those of the days asked for, the nearest."""
    rows = {} if asked.method == SEMANTIC else _rows(asked.index, asked.question, asked.scope, asked.count)
    literal = _holding(asked, rows)
    rows |= _rows_of_days(asked, rows)
    nearness: dict[int, Near] = {}
    if asked.meaning:
        nearness = _nearness(asked, asked.meaning, rows)
        nearest = sorted((-cosine, n) for n, (cosine, _) in nearness.items() if n not in rows)
        rows |= _rows_near(asked, [n for _, n in nearest])
    return [(row, nearness.get(n, _FAR), n in literal) for n, row in rows.items()]


def of_ids(asked: Asked, ids: "Sequence[str]", known: "Container[int]") -> "list[Candidate]":
    """The memories of some ids that are not known yet, as if the question had found them."""
    folded = set(map(fold, ids))
    columns = asked.index.rows_of(
        f"select {HIT} from memories m where m.id_key in ({{keys}}) and {asked.scope.condition}",
        list(map(key, folded)),
        asked.scope.bindings,
    )
    rows = _with_words(asked, [row for row in columns if row[0] not in known and fold(row[1]) in folded])
    nearness = asked.meaning.cosines((), rows) if asked.meaning and rows else {}
    return [(row, nearness.get(n, _FAR), False) for n, row in rows.items()]


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
    some = _sought(asked.question)
    if found and some and asked.question.is_light(some) and asked.method != SEMANTIC:
        found |= _weighed(asked.index, asked.question, some, list(found))
    return found


def _rows(index: "Index", question: Question, scope: Scope, count: int) -> "dict[int, Row]":
    """The memories worth a closer look: with some of the words, and with every word where that is not clear."""
    if question.is_common and question.every and (rows := _matching(index, question, question.every, scope, count)):
        return rows
    sought, rarest, related = _sought(question), question.rarest, question.related
    first = best_by_words(index, rarest.text, scope, count) if rarest else {}
    further = best_by_words(index, related.expression.text, scope, count // 2) if related else {}
    rows = _weighed(index, question, sought, list(first | further)) if sought else {}
    is_clear = len(first) < count or any(question.is_answered_wholly(row[-1]) for row in rows.values())
    if question.every and question.is_light(question.every) and not (is_clear and question.some_is_all):
        # What holds all the words may stand behind what holds a few of them often.
        holding = _matching(index, question, question.every, scope, count)
        if sought and rarest is not question.some:
            holding = _weighed(index, question, sought, list(holding))
        rows |= holding
    return rows


def _sought(question: Question) -> "Expression | None":
    """What asks for every word that tells memories apart, be it the question's own or a related one."""
    return question.related.with_own if question.related else question.some


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
