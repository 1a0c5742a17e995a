"""The report as one page that needs nothing else: styles and charts are in it, no script, no network.

It follows the reader's light or dark setting and prints in black on white.
"""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from memtend.distill.alike import Basis, Pair
from memtend.distill.charts import Edge, area, bars, gauge, histogram, network
from memtend.distill.markdown import pair_line
from memtend.distill.report import Report

_CLUSTERS = 12
_MAPPED = 120
"""Memories on the map of duplicates."""
_LISTED = 50
_SIZES = (0, 100, 200, 300, 600, 900, 1200, 2400)
_COUNTS = (0, 1, 2, 4, 8, 16, 32)


def page(report: Report) -> str:
    """The page as HTML."""
    title = f"Memory health, {report.generated}"
    cards = "\n".join(_cards(report))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{_style()}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<p class="soft">{escape(report.vault)}</p>\n<div class="cards">\n{cards}\n</div>\n'
        f"<footer><p>Made by memtend on {report.generated}. Dates are UTC days.</p></footer>\n</body>\n</html>\n"
    )


def _style() -> str:
    return files("memtend.distill").joinpath("page.css").read_text(encoding="utf-8")


def _cards(report: Report) -> Iterable[str]:
    yield _card("Health", _health(report))
    yield _card("What to do next", _list(report.actions(), "Nothing to do."))
    yield _card("Staleness by topic cluster", _staleness(report))
    yield _card("Growth", area(report.growth(), "Memories by the end of each month"))
    yield _card("Sizes in tokens", _sizes(report))
    yield _card("Retrievals", _retrievals(report))
    yield _card("Map of duplicates", _map(report), wide=True)
    for title, lines in _lists(report):
        yield _card(title, _list(lines))
    yield _card("Categories", _categories(report))
    if report.retired:
        yield _card("Retired", _retired(report))
    if report.date_problems:
        lines = [f"{p.id}: {p.field} is {p.value or 'empty'} ({p.reason})" for p in report.date_problems]
        yield _card("Dates that count as today", _list(lines))
    yield _card("Scores", _scores(report), wide=True)


def _card(title: str, body: str, *, wide: bool = False) -> str:
    return f'<section class="card{" wide" if wide else ""}"><h2>{escape(title)}</h2>{body}</section>'


def _health(report: Report) -> str:
    numbers = [
        (str(report.total_memories), "memories"),
        (str(report.total_tokens), "tokens"),
        (str(len(report.scores.purge)), "to purge"),
        (str(len(report.scores.merge)), "alike"),
        (str(len(report.scores.compress)), "too long"),
        (str(len(report.conflicts)), "in conflict"),
    ]
    told = "".join(f"<span><b>{value}</b>{name}</span>" for value, name in numbers)
    return f'<div class="numbers">{gauge(report.health, report.status)}{told}</div>'


def _staleness(report: Report) -> str:
    rows = [
        (row.name, row.average_staleness, f"{row.average_staleness:.2f} ({row.count})") for row in report.clusters()
    ]
    return bars(rows[:_CLUSTERS], "Average staleness", 1.0) + _rest(len(rows) - _CLUSTERS, "smaller clusters")


def _sizes(report: Report) -> str:
    counts = _binned(report.columns.token_counts, _SIZES)
    chart = histogram(_named(counts, _SIZES), "Memories by size", marked=[_SIZES.index(n) for n in _SIZES if n >= 900])
    return chart + '<p class="soft">Over 900 tokens a memory counts as too long.</p>'


def _retrievals(report: Report) -> str:
    used = report.retrieval()
    most = f"{used.most} was retrieved most: {used.most_count} times." if used.most else "None was ever retrieved."
    counts = _binned(report.columns.retrieval_counts, _COUNTS)
    chart = histogram(_named(counts, _COUNTS), "Memories by retrievals", marked=[0])
    return f'{chart}<p class="soft">{escape(most)}</p>'


def _binned(values: Iterable[int], starts: Sequence[int]) -> list[int]:
    """How many values lie from each start up to the next."""
    counts = [0] * len(starts)
    for value in values:
        counts[max(place for place, start in enumerate(starts) if start <= max(0, value))] += 1
    return counts


def _named(counts: Sequence[int], starts: Sequence[int]) -> list[tuple[str, int]]:
    ends = [*(str(end - 1) for end in starts[1:]), ""]
    names = [
        f"{start}+" if not end else str(start) if end == str(start) else f"{start}–{end}"
        for start, end in zip(starts, ends, strict=True)
    ]
    return list(zip(names, counts, strict=True))


def _map(report: Report) -> str:
    groups, pairs = _groups(report.alike.pairs)
    if not groups:
        return "<p>No two memories are alike.</p>"
    edges = [Edge(p.primary, p.secondary, _weight(p), _kind(p), pair_line(p)) for p in pairs]
    hint = "Solid: shared keywords. Dashed: near-duplicate text. Red: the texts contradict each other."
    left = len({id for pair in report.alike.pairs for id in (pair.primary, pair.secondary)}) - sum(map(len, groups))
    return (
        network(groups, edges, "Memories that are alike") + f'<p class="soft">{hint}</p>' + _rest(left, "more memories")
    )


def _groups(pairs: Sequence[Pair]) -> tuple[list[list[str]], list[Pair]]:
    """The groups of memories that are alike, contradictions first, as many as the map has room for; and their pairs."""
    group_of: dict[str, set[str]] = {}
    for pair in pairs:
        joined = group_of.get(pair.primary, {pair.primary}) | group_of.get(pair.secondary, {pair.secondary})
        group_of |= dict.fromkeys(joined, joined)
    feuds = {pair.primary for pair in pairs if pair.conflict}
    groups = sorted(
        {min(group): sorted(group) for group in group_of.values()}.values(),
        key=lambda group: (feuds.isdisjoint(group), -len(group), group),
    )
    kept: list[list[str]] = []
    for group in groups:
        if sum(map(len, kept)) + len(group) <= _MAPPED:
            kept.append(group)
    shown = {name for group in kept for name in group}
    return kept, [pair for pair in pairs if pair.primary in shown]


def _weight(pair: Pair) -> float:
    return pair.likeness.similarity if pair.basis is Basis.TEXT and pair.likeness else pair.overlap


def _kind(pair: Pair) -> str:
    return "conflict" if pair.conflict else pair.basis


def _lists(report: Report) -> Iterable[tuple[str, list[str]]]:
    scores, columns = report.scores, report.columns
    composite = scores.composite.tolist()
    yield "To purge", [f"{columns.ids[n]} ({composite[n]:.2f})" for n in scores.purge]
    yield "To merge", [pair_line(pair) for pair in report.alike.pairs if not pair.conflict]
    if report.conflicts:
        yield "In conflict", [pair_line(pair) for pair in report.conflicts]
    yield "To compress", [f"{columns.ids[n]} ({columns.token_counts[n]} tokens)" for n in scores.compress]
    yield "To review", [f"{columns.ids[n]} ({composite[n]:.2f})" for n in scores.review]


def _categories(report: Report) -> str:
    rows = [(row.name, str(row.count), str(row.tokens), f"{row.average_score:.2f}") for row in report.categories()]
    return _table(("Category", "Memories", "Tokens", "Score"), rows)


def _retired(report: Report) -> str:
    rows = [(row.id, row.retired_at, row.reason, str(row.days_until_gc)) for row in report.retired[:_LISTED]]
    return _table(("Memory", "Since", "Reason", "Days until gc"), rows) + _rest(len(report.retired) - _LISTED, "more")


def _scores(report: Report) -> str:
    rows = sorted(report.rows(), key=lambda row: (-row.composite, row.id))
    cells = [(row.id, *(f"{value:.2f}" for value in row[1:6])) for row in rows[:_LISTED]]
    table = _table(("Memory", "Staleness", "Unused", "Size", "Alike", "Score"), cells)
    return table + _rest(len(rows) - _LISTED, "memories with lower scores")


def _list(lines: Sequence[str], otherwise: str = "None.") -> str:
    if not lines:
        return f"<p>{escape(otherwise)}</p>"
    listed = "".join(f"<li>{_with_code(line)}</li>" for line in lines[:_LISTED])
    return f"<ul>{listed}</ul>" + _rest(len(lines) - _LISTED, "more")


def _with_code(line: str) -> str:
    """A line with its backticks as code."""
    pieces = escape(line).split("`")
    return "".join(f"<code>{piece}</code>" if place % 2 else piece for place, piece in enumerate(pieces))


def _rest(count: int, what: str) -> str:
    return f'<p class="soft">… and {count} {what}.</p>' if count > 0 else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        kinds = (' class="number"' if place and _is_number(cell) else "" for place, cell in enumerate(row))
        return "".join(f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).isdecimal()
