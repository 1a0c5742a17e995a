"""Upkeep of a role, step by step and as one procedure with its report and its calendar."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from memtend.change import ChangeSet
from memtend.errors import SecretFound, UnusableInput
from memtend.layouts.role import daily
from memtend.layouts.role import extract as taken
from memtend.layouts.role.consolidate import THRESHOLD
from memtend.layouts.role.decode import LEGACY
from memtend.layouts.role.ids import copy_keys
from memtend.layouts.role.legacy import ARCHIVE, Migration, migration
from memtend.layouts.role.pending import age_days
from memtend.layouts.role.plan import TidyPlan
from memtend.workspace.place import OWN_FOLDER
from memtend.workspace.role.folder import RoleFolder
from memtend.workspace.role.reports import Consolidated, Expired, Extracted, Migrated, Organized, Repaired
from memtend.workspace.role.upkeep import Upkeep, counts_of

if TYPE_CHECKING:
    from memtend.workspace.role.roles import RoleWorkspace

WEEK_DAYS = 7
MONTH_DAYS = 30
PLAN_FILE = "role-tidy-plan.json"
"""In the role's own folder: the plan that waits to be looked at."""


def _upkeep(role: RoleFolder) -> Upkeep:
    return Upkeep(role.name, role.now, role.plain)


def consolidate(role: RoleFolder, threshold: float | None) -> Consolidated:
    """Merge copies by rule. Raises UnusableInput for a threshold that is no share."""
    threshold = THRESHOLD if threshold is None else threshold
    if not 0 < threshold <= 1:
        raise UnusableInput(f"{threshold} is no share", hint="The threshold is a number above 0 and up to 1.")
    answer, receipt = role.change(lambda state: _upkeep(role).consolidated(state, threshold))
    role.follow({id: merge.id for merge in answer.merges for id, _ in merge.removed})
    return answer.with_receipt(receipt)


def repair(role: RoleFolder) -> Repaired:
    """Mend what is malformed."""
    answer, receipt = role.change(lambda state: _upkeep(role).repaired(state))
    return answer.with_receipt(receipt)


def expire(role: RoleFolder) -> Expired:
    """The life cycle of candidates."""
    archives = [path for path in role.paths() if path.startswith(f"{ARCHIVE}/pending-")]
    answer, receipt = role.change(lambda state: _upkeep(role).expired(state), archives)
    return answer.with_receipt(receipt)


def migrate(role: RoleFolder) -> Migrated:
    """Take over what an older layout left."""
    old = [
        path
        for path in role.paths()
        if path == LEGACY or daily.is_older(path) or path.startswith(f"{ARCHIVE}/migrated-")
    ]
    newer = [f"{daily.FOLDER}/{path.rpartition('/')[2]}" for path in old if daily.is_older(path)]
    state = role.state(*old, *newer)
    found: Migration = migration(state.files, role.name, role.today, role.plain)
    if not found.taken:
        return Migrated()
    receipt = role.apply(ChangeSet((), found.edits, f"migrate: {', '.join(found.taken)}"))
    return Migrated(found.taken, found.archive, found.added, found.raised, receipt=receipt)


def extract(role: "RoleWorkspace", transcript: str, *, by_model: bool) -> Extracted:
    """Propose lines of a transcript as candidates: by the model where there is one, else by rule."""
    state = role.state()
    known = frozenset[str]().union(*(copy_keys(entry.text) for entry in (*state.curated, *state.candidates)))
    maker = "model" if role.model is not None and by_model else "rules"
    found = _by_model(role, transcript) if maker == "model" else taken.candidates(transcript, known)
    found = [one for one in found if not _holds_secret(role, one.text)]
    answers = [
        role.add_preference(one.text, one.category, source="auto")
        if one.category
        else role.add_learning(one.text, source="auto")
        for one in found
    ]
    added = tuple(answer for answer in answers if answer.status == "pending")
    return Extracted(added, tuple(answer for answer in answers if answer.status != "pending"), maker)


def _holds_secret(role: RoleFolder, text: str) -> bool:
    try:
        role.require_no_secret(text)
    except SecretFound:
        return True
    return False


def _by_model(role: RoleFolder, transcript: str) -> list[taken.Candidate]:
    """What a model takes from a transcript, checked. Raises UnusableInput where its answer is no JSON."""
    if role.model is None:
        return []
    answer = role.model(taken.prompt(transcript))
    return taken.from_answer(answer)


def organize(role: "RoleWorkspace", *, tidy: bool, query: str) -> Organized:
    """Assess, repair, consolidate, a tidy plan where it is asked for, pending, report."""
    before = counts_of(role.state().page)
    repaired, consolidated = repair(role), role.consolidate()
    plan = role.tidy() if tidy else None
    found = role.search(query) if query.strip() else None
    expired = expire(role)
    receipts = (repaired.receipt, consolidated.receipt, found.receipt if found else "", expired.receipt)
    notes = [f"line {issue.line}: {issue.message}" for issue in repaired.left]
    if plan is not None and not plan.is_empty:
        notes.append(f"a tidy plan waits: {_summary(plan)}")
    return Organized(
        role=role.name,
        before=before,
        after=counts_of(role.state().page),
        repaired=repaired.repaired,
        removed=consolidated.removed,
        promoted=len(found.promoted) if found else 0,
        expired=len(expired.expired),
        ran=("repair", "consolidate", *(("tidy plan",) if tidy else ()), *(("search",) if found else ()), "expire"),
        notes=tuple(notes),
        plan=plan,
        receipts=tuple(receipt for receipt in receipts if receipt),
    )


def _summary(plan: TidyPlan) -> str:
    return (
        f"{len(plan.rewrites)} rewrites, {len(plan.deletions)} deletions, {len(plan.additions)} additions, "
        f"{len(plan.contradictions)} contradictions"
    )


def _where_it_waits(role: RoleFolder, plan: TidyPlan) -> str:
    """Where a person finds a plan, and what is in it; a contradiction alone is something to look at as well."""
    if plan.is_empty and not plan.contradictions:
        return "there is nothing to tidy"
    return f"a plan waits in {role.root / OWN_FOLDER / PLAN_FILE}: {_summary(plan)}"


def organize_due(role: "RoleWorkspace", transcript: str | None) -> Organized:
    """What is due: a transcript now, the weekly upkeep after seven days, the monthly plan after thirty."""
    before = counts_of(role.state().page)
    made = Organized(role.name, before, before)
    if transcript is not None:
        taken_now = role.extract(transcript)
        made = replace(made, ran=("extract",), notes=(f"extract: {len(taken_now.added)} proposed",))
    weekly, why = _is_weekly_due(role)
    if weekly:
        done = organize(role, tidy=False, query="")
        made = replace(done, ran=(*made.ran, *done.ran), notes=(*made.notes, why, *done.notes))
    else:
        made = replace(made, notes=(*made.notes, why))
    monthly, why = _is_monthly_due(role)
    if monthly:
        plan = role.tidy()
        _save_plan(role, plan)
        why = f"{why}; {_where_it_waits(role, plan)}"
        made = replace(made, ran=(*made.ran, "tidy plan"), plan=plan)
    return replace(made, notes=(*made.notes, why), after=counts_of(role.state().page))


_INTERVAL = re.compile(r"(\d{1,4})\s*d(?:ays?)?", re.IGNORECASE)


def _is_weekly_due(role: RoleFolder) -> tuple[bool, str]:
    """Whether repair, consolidate and expire are due, and why."""
    from memtend.layouts.role import header

    page = role.state().page
    if header.value(page.header, "autoConsolidate").lower() in ("false", "no", "off"):
        return False, "weekly: switched off by autoConsolidate"
    given = _INTERVAL.fullmatch(header.value(page.header, "consolidationInterval"))
    interval = int(given[1]) if given else WEEK_DAYS
    return _is_due(page.title(header.LAST_CONSOLIDATED), interval, role, "weekly")


def _is_monthly_due(role: RoleFolder) -> tuple[bool, str]:
    made = ""
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        made = str(json.loads((role.root / OWN_FOLDER / PLAN_FILE).read_text(encoding="utf-8")).get("made", ""))
    return _is_due(made, MONTH_DAYS, role, "monthly")


def _is_due(last: str, interval_days: int, role: RoleFolder, name: str) -> tuple[bool, str]:
    age = age_days(last, role.now)
    if age is None:
        return True, f"{name}: never done"
    if age >= interval_days:
        return True, f"{name}: last done {last[:10]}, {age} days ago"
    return False, f"{name}: not due, last done {last[:10]}"


def _save_plan(role: RoleFolder, plan: TidyPlan) -> None:
    """Keep the plan where a person can look at it. It is no memory, so it stands in memtend's own folder."""
    file = role.root / OWN_FOLDER / PLAN_FILE
    file.parent.mkdir(exist_ok=True)
    fresh = file.with_suffix(".tmp")
    fresh.write_text(json.dumps(plan.to_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    fresh.replace(file)
