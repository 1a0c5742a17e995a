"""What a person sees of a category memory: plain values in, lines of text out."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memtend.cli.render import counted, percent, table

if TYPE_CHECKING:
    from memtend.layouts import Problem
    from memtend.review import Proposal
    from memtend.workspace.category.answers import CategoryInfo, CategoryPlan, Done, Listed, SearchedEntries

_ENTRIES_SHOWN = 6


def listed(answer: "Listed") -> str:
    """Categories as a table, then a category's files, then the archives."""
    rows = [_row(each) for each in answer.categories]
    parts = [table(rows, ("category", "kind", "files", "entries", "tokens", "compactable", "oldest"))] if rows else []
    if answer.files:
        files = [
            (str(f["path"]), str(f["entries"]), str(f["marked"]), str(f["lines"]), str(f["date"])[:10] or "?")
            for f in answer.files
        ]
        parts.append(table(files, ("file", "entries", "marked", "lines", "date")))
    if answer.archives:
        held = [
            (each.path, str(each.entries), "damaged" if each.is_damaged else each.archived_at[:10])
            for each in answer.archives
        ]
        parts.append(table(held, ("archive", "entries", "made")))
    return "\n\n".join(parts)


def _row(category: "CategoryInfo") -> tuple[str, ...]:
    counts = (str(category.files), str(category.entries), str(category.tokens))
    files = counted(category.compactable_files, "file")
    compactable = f"{category.compactable_entries} of {files}" if category.compactable_entries else "-"
    return (category.category, category.durability, *counts, compactable, category.oldest[:10] or "?")


def found(answer: "SearchedEntries") -> str:
    """One entry a paragraph: address, title, and why."""
    lines = []
    for hit in answer.hits:
        state = "" if hit.is_active else "  (archived)" if hit.archive else "  (not in force)"
        lines.append(f"{hit.score:.2f}  {hit.address}{state}")
        lines.append(f"      {hit.title}")
        lines += [f"      {reason}" for reason in hit.reasons]
        lines += [f"      {hit.snippet}"] if hit.snippet else []
    return "\n".join(lines)


def problems(found: "Sequence[Problem]") -> str:
    """One finding a line, as compilers write them."""
    return "\n".join(
        f"{each.path}{f':{each.line}' if each.line else ''}: {each.severity}[{each.code}]: {each.message}"
        for each in found
    )


def plan(plan: "CategoryPlan") -> str:
    """Every proposal of a plan, what yields nothing, and what to know before deciding."""
    parts = [proposal(each) for each in plan.proposals]
    skipped = [f"{each.get('category') or each.get('path')}: {each['reason']}" for each in plan.skipped]
    if skipped:
        parts.append("Skipped\n" + "\n".join(f"  {line}" for line in skipped))
    if plan.problems:
        parts.append(problems(plan.problems))
    return "\n\n".join(parts) or "There is nothing to do."


def proposal(proposal: "Proposal") -> str:
    """One proposal with what a person needs to decide on it."""
    report: Mapping[str, Any] = proposal.payload.get("report", {})
    lines = [proposal.summary]
    if proposal.kind in ("compact", "refresh"):
        lines += _compaction(report)
    elif proposal.kind == "split":
        lines += [f"  {part['path']}: {counted(part['entries'], 'entry')}" for part in report["parts"]]
    elif proposal.kind == "restore":
        lines += [f"  stays: {reason}" for reason in report["left"]]
    return "\n".join(lines)


def _compaction(report: Mapping[str, Any]) -> list[str]:
    entries = report["entries"]
    lines = [f"  {address}" for address in entries[:_ENTRIES_SHOWN]]
    lines += [f"  … and {len(entries) - _ENTRIES_SHOWN} more"] if len(entries) > _ENTRIES_SHOWN else []
    lines.append(f"  archive: {report['archive']}")
    if not report["summary"]:
        return [*lines, "  no summary: contacts are personal data"]
    share = f"{report['original_tokens']} → {report['summary_tokens']} tokens, {percent(report['share'])}"
    lines.append(f"  summary: {report['summary']} ({share})")
    if report["over_share"]:
        lines.append(f"  over 20 %: {report['over_share']}")
    names = ("constraints", "decisions", "identifiers", "numbers")
    kept = [f"{report[name]['kept']} of {report[name]['total']} {name}" for name in names if report[name]["total"]]
    lines += [f"  kept: {', '.join(kept)}"] if kept else []
    if report["contradictions"]:
        lines.append(f"  {counted(report['contradictions'], 'contradiction')}: both sides are kept and named")
    return [*lines, f"  {report['model_refused']}"] if report.get("model_refused") else lines


def done(answer: "Done") -> str:
    """What was done, and how to take it back."""
    lines = [_did(answer.kind, report, answer.dry_run) for report in answer.done]
    lines += [f"stays: {reason}" for reason in answer.left]
    if answer.receipt and answer.kind != "forget":
        lines.append(f"Receipt {answer.receipt}: `memtend category undo` takes it back.")
    return "\n".join(lines) or "Nothing was to be done."


def _did(kind: str, report: Mapping[str, Any], dry_run: bool) -> str:
    if kind in ("compact", "refresh"):
        count = len(report["entries"])
        summary = f", summary in {report['summary']}" if report["summary"] else ""
        return f"{report['category']}: {counted(count, 'entry')} archived in {report['archive']}{summary}"
    if kind == "split":
        return f"{report['path']}: split into {', '.join(part['path'] for part in report['parts'])} and what is left"
    if kind == "restore":
        how = "byte for byte" if report["exact"] else "to its place among what has changed since"
        return f"{report['archive']}: {counted(len(report['entries']), 'entry')} given back, {how}"
    if kind == "forget":
        return f"Forgotten in {counted(report['places'], 'place')}: {', '.join(report['paths'])}"
    if kind == "sync":
        return f"{report['path']} {'would get' if dry_run else 'has'} a row{'' if dry_run else ' now'}"
    return _added(report, dry_run)


def _added(report: Mapping[str, Any], dry_run: bool) -> str:
    """What was added, and what is there that is like it."""
    where = f"{report['address']}{' in a new category' if report['new_category'] else ''}"
    lines = [f"{'Would add' if dry_run else 'Added'} {where}"]
    for other in report["alike"]:
        against = f", contradicts ({other['conflict']})" if other["conflict"] else ""
        lines.append(f"  alike {percent(other['similarity'])}{against}: {other['address']}  {other['title']}")
    return "\n".join(lines)
