"""What a person sees of a role: answers in, lines of text out. Light, since the fast lane loads it."""

from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.layouts.role.plan import TidyPlan
    from memtend.workspace.role.answers import Entry, Issue, Listed
    from memtend.workspace.role.outcomes import Edited, Found, Reinforced, Resolved, Stored, Written
    from memtend.workspace.role.reports import Consolidated, Expired, Extracted, Migrated, Organized, Repaired, Tidied

_TIERS = (("high", "Learnings (High Priority)"), ("normal", "Learnings (Normal)"), ("new", "Learnings (New)"))


def listed(answer: "Listed") -> str:
    """Counts, what is the matter, then every entry with its id."""
    learnings, pending = answer.learnings, answer.pending
    tiers = ", ".join(f"{tier} {learnings[tier]}" for tier, _ in _TIERS)
    categories = ", ".join(f"{name} {count}" for name, count in answer.preferences.items() if name != "total")
    lines = [
        f"Memory of {answer.role}",
        f"- Learnings: {learnings['total']} ({tiers})",
        f"- Preferences: {answer.preferences['total']}" + (f" ({categories})" if categories else ""),
        f"- Events: {answer.events}",
        "- Pending: "
        + ", ".join(f"{count} {state}" for state, count in pending.items() if count or state != "unknown"),
        f"- Never used [0x]: {learnings['new']} of {learnings['total']} ({round(answer.noise * 100)} %)",
        f"- Over 120 characters: {len(answer.long)}",
        f"- Last consolidated: {answer.last_consolidated or 'never'}",
        f"- Parse issues: {len(answer.issues)}",
    ]
    lines += issues(answer.issues)
    lines += _entries(answer)
    return "\n".join(lines)


def issues(found: "Sequence[Issue]") -> list[str]:
    """One line an issue, with its place."""
    return [f"  {issue.path}" + (f":{issue.line}" if issue.line else "") + f" {issue.message}" for issue in found]


def _entries(answer: "Listed") -> list[str]:
    sections: dict[str, list[str]] = {title: [] for _, title in _TIERS}
    titles = dict(_TIERS)
    for line in answer.entries:
        if line.kind == "learning":
            sections[titles[line.tier]].append(f"{line.id}  [{line.times}x] {line.text}{_tags(line)}")
        elif line.kind == "preference":
            sections.setdefault(f"Preferences: {line.category}", []).append(f"{line.id}  {line.text}{_tags(line)}")
        elif line.kind == "event":
            sections.setdefault("Events", []).append(f"{line.id}  {line.date or '-'} {line.text}")
        else:
            sections.setdefault("Pending", []).append(f"{line.id}  {line.state} [{line.source}] {line.text}")
    return [text for title, texts in sections.items() if texts for text in ("", title, *texts)]


def _tags(line: "Entry") -> str:
    return f"  #{' #'.join(line.tags)}" if line.tags else ""


def found(answer: "Found") -> str:
    """A line a hit, then what the search proved."""
    lines = []
    for hit in answer.hits:
        what = f"[{hit.times}x] " if hit.kind == "learning" else f"[{hit.category or hit.state or hit.kind}] "
        lines.append(f"{hit.score:.2f}  {hit.id}  {what}{hit.text}")
    lines += [f"reinforced {one.id} to [{one.times}x]" for one in answer.reinforced]
    lines += [f"promoted {one.id}; it is {one.kind} {one.new_id} now" for one in answer.promoted]
    return "\n".join(lines)


def stored(answer: "Stored") -> str:
    """Created, waiting, or there already."""
    where = f" in {answer.category}" if answer.category else ""
    if answer.status == "pending":
        return f"Proposed {answer.id}{where}: {answer.text}\nIt waits in pending.md until it has proved to be of use."
    return f"Created {answer.kind} {answer.id}{where}: {answer.text}"


def edited(answer: "Edited") -> str:
    """What an entry said and says."""
    if answer.status == "deleted":
        return f"Deleted {answer.kind} {answer.id}: {answer.old_text}"
    if answer.status == "unchanged":
        return f"Unchanged: {answer.kind} {answer.id} says that already."
    return f"Updated {answer.kind} {answer.old_id}; its id is {answer.id} now.\n- {answer.old_text}\n+ {answer.text}"


def reinforced(answer: "Reinforced") -> str:
    """The new count."""
    return f"Reinforced {answer.id} to [{answer.times}x] ({answer.tier}): {answer.text}"


def resolved(answer: "Resolved") -> str:
    """What became of a candidate."""
    if answer.status == "discarded":
        return f"Discarded {answer.id}: {answer.text}"
    return f"Promoted {answer.id}; it is {answer.kind} {answer.new_id} now: {answer.text}"


def expired(answer: "Expired") -> str:
    """What upkeep of pending.md did."""
    lines = [f"Expired {len(answer.expired)}, completed {len(answer.completed)}, archived {answer.archived}."]
    lines += [f"- {line.id} of {line.date}: {line.text}" for line in answer.expired]
    return "\n".join([*lines, *issues(answer.unknown)])


def consolidated(answer: "Consolidated") -> str:
    """Every merge with what went into what."""
    before, after = answer.before, answer.after
    lines = [
        f"Before: {before['learnings']} learnings, {before['preferences']} preferences",
        f"After:  {after['learnings']} learnings, {after['preferences']} preferences",
        f"Removed {answer.removed} duplicates.",
    ]
    for merge in answer.merges:
        count = f"[{merge.count}x] " if merge.kind == "learning" else ""
        lines.append(f"= {merge.id} {count}{merge.text} ({merge.rule}, {merge.score:.2f})")
        lines += [f"  - {id} {text}" for id, text in merge.removed]
    return "\n".join(lines)


def repaired(answer: "Repaired") -> str:
    """What was mended and what is left."""
    lines = ["Repaired: yes" if answer.repaired else "Repaired: no"]
    lines += issues(answer.mended)
    return "\n".join([*lines, *(["Left as it stands:", *issues(answer.left)] if answer.left else [])])


def plan(answer: "TidyPlan", diff: str) -> str:
    """A tidy plan: what would change as a diff, then the reasons."""
    if answer.is_empty and not answer.contradictions and not answer.remarks:
        return "Nothing to tidy."
    lines = [diff] if diff else []
    lines += [f"rewrite {one.id}: {one.reason}" for one in answer.rewrites]
    lines += [f"delete {one.id}: {one.reason}{_named(one.must_be_named, one.id)}" for one in answer.deletions]
    lines += [f"add: {one.text} (from {', '.join(one.sources)}; {one.reason})" for one in answer.additions]
    for pair in answer.contradictions:
        lines += [
            f"contradiction: {pair.reason}",
            *(f"  {id} {text}" for id, text in zip(pair.ids, pair.texts, strict=True)),
        ]
    lines += [f"remark: {one.reason}" + (f" ({one.id})" if one.id else "") for one in answer.remarks]
    return "\n".join(lines)


def _named(is_needed: bool, id: str) -> str:
    return f" (only with --delete {id})" if is_needed else ""


def tidied(answer: "Tidied") -> str:
    """What of a plan was applied."""
    lines = [f"Rewrote {answer.rewrote}, deleted {answer.deleted}, added {answer.added}."]
    return "\n".join([*lines, *(f"- left {one['id']}: {one['reason']}" for one in answer.skipped)])


def extracted(answer: "Extracted") -> str:
    """What was proposed."""
    lines = [f"Proposed {len(answer.added)} by {answer.maker}."]
    lines += [f"- {one.id} {one.text}" + (f" [{one.category}]" if one.category else "") for one in answer.added]
    return "\n".join([*lines, *(f"- already there: {one.text}" for one in answer.skipped)])


def organized(answer: "Organized") -> str:
    """The report, then what a person should know."""
    return "\n".join([answer.report, *(["", *answer.notes] if answer.notes else [])])


def migrated(answer: "Migrated") -> str:
    """What was taken over."""
    if not answer.taken:
        return "Nothing of an older layout is there."
    return (
        f"Took over {', '.join(answer.taken)}: {answer.added} added, {answer.raised} counts raised.\n"
        f"What was there is kept in {answer.archive}."
    )


def written(answer: "Written") -> str:
    """What became of a file."""
    return "\n".join([f"{answer.status.capitalize()} {answer.path}.", *issues(answer.issues)])
