"""What a person sees of distill: the report as tables with a gauge and bars, candidates, and what was done."""

import io
import shutil
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memtend.cli import render
from memtend.cli.reviewer import RELIABLE
from memtend.distill.markdown import pair_line
from memtend.distill.report import Report
from memtend.review import Proposal
from memtend.workspace.distill_plan import Distilled, DistillPlan, Mode

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_LISTED = 10
_COLOURS = {"healthy": "green", "manageable": "yellow", "concerning": "dark_orange", "critical": "red"}
_BLOCKS = " ▏▎▍▌▋▊▉█"

NOTHING = {
    Mode.PURGE: "No purge candidates found. All memories are healthy or already tombstoned.",
    Mode.MERGE: "No merge candidates found (no pairs with >= 60% keyword overlap).",
    Mode.COMPRESS: "No compress candidates found. All memories are within size limits (token_count <= 900).",
    Mode.REFINE: "No quality issues found. All memories have clean metadata.",
    Mode.GC: "No tombstoned memories past the 7-day grace period.",
    Mode.AUTO: "Auto distill: No changes needed. All memories have clean metadata.",
}


# --- the report -------------------------------------------------------------------------------------------


def report(found: Report, *, verbose: bool = False, width: int | None = None, colour: bool = True) -> str:
    """The report for a terminal."""
    from rich.console import Console

    screen = io.StringIO()
    console = Console(
        file=screen,
        force_terminal=colour,
        no_color=not colour,
        width=width or min(shutil.get_terminal_size().columns, 120),
        highlight=False,
    )
    for part in _parts(found, verbose):
        console.print(part)
    return "\n".join(line.rstrip() for line in screen.getvalue().rstrip().split("\n"))


def _parts(found: Report, verbose: bool) -> Iterable["RenderableType"]:
    from rich.columns import Columns
    from rich.text import Text

    yield Text(f"Memory vault health, {found.generated}", style="bold")
    yield _gauge(found)
    yield ""
    yield Columns([_overview(found), _retrieval(found)], padding=(0, 4))
    yield _clusters(found)
    yield _categories(found)
    yield from _candidates(found)
    if found.retired:
        yield _retired(found)
    if verbose:
        yield _scores(found)
    yield Text("\nRecommended", style="bold")
    for action in found.actions() or ["Nothing to do."]:
        yield Text(f"  {action}")


def _gauge(found: Report) -> "Text":
    from rich.text import Text

    colour = _COLOURS[found.status]
    text = Text.assemble(
        (bar(found.health / 100, 40), colour), f" {found.health}/100 ", (found.status, f"bold {colour}")
    )
    scores = found.scores
    text.append(f"\n{len(scores.purge)} to purge, {len(scores.merge)} alike, {len(scores.compress)} too long")
    return text


def bar(share: float, cells: int) -> str:
    """A share (0 to 1) as a bar of that many cells, to an eighth of a cell."""
    eighths = round(max(0.0, min(1.0, share)) * cells * 8)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_BLOCKS[rest] if rest else "")).ljust(cells, "░")


def _grid(title: str, *columns: tuple[str, str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name, justify in columns:
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _overview(found: Report) -> "Table":
    table = _grid("Overview", ("", "left"), ("", "left"))
    table.show_header = False
    table.add_row("memories", str(found.total_memories))
    table.add_row("tokens", f"{found.total_tokens} ({found.average_tokens:.0f} each)")
    for name, dated in zip(("oldest", "newest"), found.extremes() or (), strict=False):
        table.add_row(name, f"{dated.date} {dated.id}")
    return table


def _retrieval(found: Report) -> "Table":
    used = found.retrieval()
    table = _grid("Retrieval", ("", "left"), ("", "right"), ("", "left"))
    table.show_header = False
    total = max(1, found.total_memories)
    for name, count in (("never", used.never), ("1-3 times", used.low), ("4+ times", used.high)):
        table.add_row(name, str(count), bar(count / total, 12))
    if used.most:
        table.add_row("most", str(used.most_count), used.most)
    return table


def _clusters(found: Report) -> "Table":
    table = _grid(
        "Topic clusters", ("cluster", "left"), ("memories", "right"), ("staleness", "left"), ("alike", "left")
    )
    rows = found.clusters()
    for row in rows[:_LISTED]:
        table.add_row(row.name, str(row.count), _bar(row.average_staleness), _bar(row.average_duplicate))
    return _with_rest(table, len(rows))


def _categories(found: Report) -> "Table":
    table = _grid("Categories", ("category", "left"), ("memories", "right"), ("tokens", "right"), ("score", "left"))
    rows = found.categories()
    for row in rows[:_LISTED]:
        table.add_row(row.name, str(row.count), str(row.tokens), _bar(row.average_score))
    return _with_rest(table, len(rows))


def _bar(value: float) -> str:
    return f"{bar(value, 10)} {value:.2f}"


def _with_rest(table: "Table", total: int) -> "Table":
    if total > _LISTED:
        table.add_row(f"… and {total - _LISTED} more", *([""] * (len(table.columns) - 1)))
    return table


def _candidates(found: Report) -> Iterable["RenderableType"]:
    scores, columns = found.scores, found.columns
    composite = scores.composite.tolist()
    yield _list("To purge", [f"{columns.ids[n]} ({composite[n]:.2f})" for n in scores.purge])
    pairs = [pair_line(pair) for pair in found.alike.pairs if not pair.conflict]
    pairs += [f"{row.id} is like {row.partner}, of another cluster" for row in found.flagged_elsewhere]
    yield _list("To merge", pairs)
    yield _list("In conflict", [pair_line(pair) for pair in found.conflicts])
    yield _list("To compress", [f"{columns.ids[n]} ({columns.token_counts[n]} tokens)" for n in scores.compress])
    yield _list("To review", [f"{columns.ids[n]} ({composite[n]:.2f})" for n in scores.review])


def _list(title: str, lines: Sequence[str]) -> "Text":
    from rich.text import Text

    if not lines:
        return Text.assemble((f"{title}: ", "bold"), "none")
    shown = [f"  {line}" for line in lines[:_LISTED]]
    if len(lines) > _LISTED:
        shown.append(f"  … and {len(lines) - _LISTED} more (--json has them all)")
    return Text.assemble((f"{title}: {len(lines)}\n", "bold"), "\n".join(shown))


def _retired(found: Report) -> "Table":
    table = _grid("Retired", ("memory", "left"), ("since", "left"), ("reason", "left"), ("gc", "left"))
    for row in found.retired[:_LISTED]:
        table.add_row(
            row.id, row.retired_at, row.reason, f"in {row.days_until_gc} days" if row.days_until_gc else "now"
        )
    return _with_rest(table, len(found.retired))


def _scores(found: Report) -> "Table":
    names = ("memory", "stale", "unused", "size", "alike", "score", "")
    table = _grid("Scores", *((name, "right" if name not in ("memory", "") else "left") for name in names))
    for row in sorted(found.rows(), key=lambda row: (-row.composite, row.id)):
        table.add_row(row.id, *(f"{value:.2f}" for value in row[1:6]), row.kind.replace("_", " "))
    return table


# --- candidates and what was done ---------------------------------------------------------------------------


def plan(found: DistillPlan) -> str:
    """The candidates of a mode, one line each, with the reasons."""
    lines = [f"{fix.id}: {_fixes(fix.fixes)}" for fix in found.plain]
    for proposal in found.proposals:
        about = proposal.recommendation
        lines.append(choice(proposal) + ("" if about.strength in RELIABLE else " [doubtful]"))
        if found.mode is not Mode.GC:
            lines += [f"    {reason}" for reason in about.reasons]
    return "\n".join(lines)


def choice(proposal: Proposal) -> str:
    """A proposal in one line."""
    told = {"purge": _purge, "merge": _merge, "compress": _compress, "refine": _refine, "gc": _gc}
    return told[proposal.kind](proposal.id, proposal.payload)


def _purge(id: str, payload: Any) -> str:
    past = f", past its time by {payload['days_over']} days" if payload["days_over"] else ""
    return f"{id} ({payload['composite']:.2f}, {payload['category'] or 'no category'}{past})"


def _merge(_id: str, payload: Any) -> str:
    counts = payload["retrieval_counts"]
    conflict = f", conflict: {payload['conflict']}" if payload["conflict"] else ""
    by = "text similarity" if payload["basis"] == "text" else "keywords"
    share = payload["similarity"] if payload["basis"] == "text" else payload["overlap"]
    used = f"retrieved {counts[0]} and {counts[1]} times"
    return f"{payload['primary']} + {payload['secondary']} ({by} {render.percent(share)}, {used}{conflict})"


def _compress(id: str, payload: Any) -> str:
    if payload["reason"]:
        return f"{id} ({payload['token_count']} tokens; cannot be shortened)"
    return f"{id} ({payload['tokens_text']} tokens of text to about {payload['tokens_short']})"


def _refine(_id: str, payload: Any) -> str:
    value = payload["value"]
    told = ", ".join(value) if isinstance(value, list | tuple) else value
    return f"{payload['id']}: {_fixes([payload['fix']])} -> {told}"


_FIXES = {
    "keyword_dedup": "keywords once each",
    "summary_gen": "a summary",
    "topic_normalize": "a plain topic",
    "keyword_enrich": "more keywords",
    "category_reclassify": "category",
    "topic_correct": "topic",
}
"""What is mended, in words; the names are those of distill-log.json."""


def _fixes(names: Iterable[str]) -> str:
    return ", ".join(_FIXES[name] for name in names)


def _gc(id: str, payload: Any) -> str:
    return f"{id} (retired {payload['retired_at']}, {payload['reason'] or 'no reason given'})"


def distilled(done: Distilled) -> str:
    """What was done, one line each, the receipt, and what became of the health."""
    lines = [*(_done(done.plan.mode, entry) for entry in done.affected), *render.receipt_lines(done.receipt)]
    if done.health is not None:
        lines.append(f"Health {done.health[0]} -> {done.health[1]}")
    return "\n".join(lines)


def _done(mode: Mode, entry: Any) -> str:
    if mode is Mode.PURGE:
        return f"retired  {entry}"
    if mode is Mode.GC:
        return f"erased  {entry}"
    if mode is Mode.MERGE:
        return f"merged  {entry['secondary']} into {entry['primary']}"
    if mode is Mode.COMPRESS:
        return f"compressed  {entry['id']}: {entry['tokens_before']} tokens to {entry['tokens_after']}"
    return f"refined  {entry['id']}: {_fixes(entry['fixes_applied'])}"
