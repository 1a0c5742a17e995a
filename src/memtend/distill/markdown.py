"""The report as Markdown, in the form that vaults of this kind have always had it (vault spec, 5, report)."""

from collections.abc import Iterable, Iterator, Sequence

from memtend.distill.alike import Basis, Pair
from memtend.distill.report import Report

_LISTED = 50
"""Lines of a list of candidates; JSON has them all."""
_MARKS = {"healthy": "🟢", "manageable": "🟡", "concerning": "🟠", "critical": "🔴"}


def markdown(report: Report, *, verbose: bool = False) -> str:
    """The report as Markdown; with `verbose`, the four components of every memory too."""
    parts = [
        f"## Memory Vault Health Report\n\n**Generated**: {report.generated}\n**Vault**: {report.vault}",
        "### Overview\n\n" + _table(("Metric", "Value"), _overview(report)),
        "### Category Distribution\n\n" + _categories(report),
        "### Topic Clusters\n\n" + _clusters(report),
        "### Retrieval Statistics\n\n" + _table(("Metric", "Value"), _retrieval(report)),
        "### Maintenance Candidates\n\n" + "\n\n".join(_candidates(report)),
        "### Tombstoned Memories\n\n" + _retired(report),
        "### Health Score\n\n" + _health(report),
        "### Recommended Actions\n\n" + _list(report.actions(), "Nothing to do."),
    ]
    if report.date_problems:
        parts.insert(-1, "### Dates That Count As Today\n\n" + _dates(report))
    if verbose:
        parts.append("### Scores\n\n" + _scores(report))
    return "\n\n---\n\n".join(parts)


def _overview(report: Report) -> Iterator[tuple[str, str]]:
    yield "Total memories", str(report.total_memories)
    yield "Total tokens", str(report.total_tokens)
    yield "Average tokens/memory", f"{report.average_tokens:.0f}"
    extremes = report.extremes()
    if extremes:
        for name, found in zip(("Oldest memory", "Newest memory"), extremes, strict=True):
            yield name, f"{found.date} ({found.id})"


def _categories(report: Report) -> str:
    rows = [(row.name, str(row.count), str(row.tokens), f"{row.average_score:.2f}") for row in report.categories()]
    return _table(("Category", "Count", "Tokens", "Avg Score"), rows)


def _clusters(report: Report) -> str:
    rows = [
        (row.name, str(row.count), f"{row.average_staleness:.2f}", f"{row.average_duplicate:.2f}")
        for row in report.clusters()
    ]
    return _table(("Cluster", "Memories", "Avg Staleness", "Avg Duplicate"), rows)


def _retrieval(report: Report) -> Iterator[tuple[str, str]]:
    used = report.retrieval()
    yield "Never retrieved", f"{used.never} ({_percent(used.never, report.total_memories)})"
    yield "Retrieved 1-3 times", str(used.low)
    yield "Retrieved 4+ times", str(used.high)
    yield "Most retrieved", f"{used.most} ({used.most_count} times)" if used.most else "none"


def _candidates(report: Report) -> Iterator[str]:
    scores, columns = report.scores, report.columns
    composite = scores.composite.tolist()
    purge = [f"{columns.ids[n]} ({composite[n]:.2f})" for n in scores.purge]
    yield "#### Purge Candidates (score >= 0.7)\n\n" + _list(purge)
    flagged = [f"{found.id} ({found.duplicate:.2f} with {found.partner})" for found in report.flagged]
    pairs = [pair_line(pair) for pair in report.alike.pairs]
    if not report.alike.is_complete:
        pairs.append("only the best pair of each memory; `memtend distill merge` lists them all")
    yield "#### Merge Candidates (duplicate > 0.6)\n\n" + _list(flagged)
    if pairs:
        yield "Pairs that may be one memory:\n\n" + _list(pairs)
    compress = [f"{columns.ids[n]} ({columns.token_counts[n]} tokens)" for n in scores.compress]
    yield "#### Compress Candidates (size > 0.5)\n\n" + _list(compress)
    review = [f"{columns.ids[n]} ({composite[n]:.2f})" for n in scores.review]
    yield "#### Review Candidates (score 0.3-0.7)\n\n" + _list(review)


def pair_line(pair: Pair) -> str:
    """A pair in one line: who would stay, how much is alike, and a contradiction where there is one."""
    texts = f", texts {pair.likeness.similarity * 100:.0f} % alike" if pair.likeness else ", texts not compared"
    told = f"keywords {pair.overlap * 100:.0f} %{texts}"
    if pair.basis is Basis.TEXT:
        told = f"text similarity {pair.likeness.similarity * 100 if pair.likeness else 0:.0f} %"
    conflict = f", conflict: {pair.conflict}" if pair.conflict else ""
    return f"{pair.primary} + {pair.secondary} ({told}{conflict})"


def _retired(report: Report) -> str:
    if not report.retired:
        return "None."
    rows = [(row.id, row.retired_at, row.reason, str(row.days_until_gc)) for row in report.retired]
    due = sum(row.days_until_gc == 0 for row in report.retired)
    table = _table(("Memory", "Tombstoned Date", "Reason", "Days Until GC"), rows)
    return f"{table}\n\n**Total tombstoned**: {len(rows)}\n**Eligible for GC**: {due} (past the 7-day grace period)"


def _health(report: Report) -> str:
    scores = report.scores
    label = f"{_MARKS[report.status]} {report.status.capitalize()}"
    counts = f"{len(scores.purge)} * 3 + {len(scores.merge)} * 5 + {len(scores.compress)} * 2"
    thresholds = [("80-100", "Healthy"), ("60-79", "Manageable"), ("40-59", "Concerning"), ("0-39", "Critical")]
    return (
        f"**Score**: {report.health}/100\n**Status**: {label}\n\n"
        f"Formula: `100 - (purge_count * 3) - (merge_count * 5) - (compress_count * 2)`, here 100 - ({counts})\n\n"
        + _table(("Threshold", "Status"), thresholds)
    )


def _dates(report: Report) -> str:
    return _list(
        [f"{found.id}: {found.field} is {found.value or '(empty)'}: {found.reason}" for found in report.date_problems]
    )


def _scores(report: Report) -> str:
    head = ("Memory", "Staleness", "Zero Retrieval", "Size Penalty", "Duplicate", "Composite", "Class")
    rows = [
        (row.id, *(f"{value:.2f}" for value in row[1:6]), row.kind.replace("_", " "))
        for row in sorted(report.rows(), key=lambda row: (-row.composite, row.id))
    ]
    return _table(head, rows)


def _percent(part: int, whole: int) -> str:
    return f"{part / whole * 100:.0f}%" if whole else "0%"


def _list(lines: Sequence[str], otherwise: str = "None") -> str:
    shown = [f"- {line}" for line in lines[:_LISTED]]
    if len(lines) > _LISTED:
        shown.append(f"- … and {len(lines) - _LISTED} more (`--json` has them all)")
    return "\n".join(shown) or otherwise


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    """A text that stays in its cell."""
    return " ".join(text.replace("|", "\\|").split())
