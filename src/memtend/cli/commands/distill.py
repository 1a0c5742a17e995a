"""distill, restore, forget: the upkeep of a grown vault."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memtend.cli import render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, is_terminal, unbroken
from memtend.cli.commands.look import EMPTY, Id
from memtend.cli.faults import Answered, unconfirmed
from memtend.cli.parameter import Argument, Option
from memtend.cli.reviewer import RELIABLE
from memtend.cli.screen import out, show
from memtend.errors import Cancelled, UnusableInput, Usage
from memtend.review import Action, Decision, Proposal

if TYPE_CHECKING:
    from memtend.distill.report import Report
    from memtend.workspace import Workspace
    from memtend.workspace.distill_plan import Distilled, DistillPlan, Mode
    from memtend.workspace.forgetting import Forgotten

_MANY = 5000
"""Memories from which a report's JSON is one line: setting it in would take longer than making it."""

_NARROW = 60
"""Columns below which tables would be cut to pieces."""

NoCommit = Annotated[bool, Option("--no-commit", help="Make no git commit afterwards.")]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person said beside the mode."""

    verbose: bool = False
    html: Path | None = None
    markdown: bool = False
    allow_large: bool = False
    allow_conflicts: bool = False
    commit: bool = True
    interactive: bool = False


def distill(
    call: Call,
    *,
    mode: Annotated[
        str, Argument(metavar="MODE", help="report, purge, merge, compress, refine, gc or auto.")
    ] = "report",
    only: Annotated[
        list[str] | None, Option("--only", metavar="ID,...", help="Just these memories; of merge, these pairs.")
    ] = None,
    verbose: Annotated[bool, Option("--verbose", help="The four scores of every memory too.")] = False,
    html: Annotated[
        Path | None, Option("--html", metavar="FILE", help="Write the report as a page with charts.")
    ] = None,
    markdown: Annotated[bool, Option("--markdown", help="The report as Markdown, in a terminal too.")] = False,
    allow_large: Annotated[
        bool, Option("--allow-large", help="Allow more than a fifth of the memories to be retired.")
    ] = False,
    allow_conflicts: Annotated[
        bool, Option("--allow-conflicts", help="With --yes: merge pairs that contradict each other too.")
    ] = False,
    no_commit: NoCommit = False,
    interactive: Annotated[
        bool, Option("--interactive", "-i", help="Ask even where stdin is no terminal, line by line.")
    ] = False,
) -> int:
    """Report how the vault is, and tend it: retire, merge, shorten and mend memories.

    report shows scores, candidates and a health score. purge retires what nobody uses, merge joins duplicates,
    compress shortens, refine mends names, gc deletes what was retired a week ago; each asks before it writes, and
    everything can be undone. auto does what needs no judgement. --yes takes what is recommended.
    """
    from memtend.workspace.distill_plan import Mode

    if mode not in list(Mode):
        raise Usage(f"{mode!r} is no mode of distill", hint=f"Modes: {', '.join(Mode)}.")
    chosen = Mode(mode)
    wishes = Wishes(verbose, html, markdown, allow_large, allow_conflicts, not no_commit, interactive)
    _require_fit(chosen, wishes)
    workspace = call.workspace()
    ids = _named(only)
    if chosen is Mode.REPORT:
        return _report(call, workspace, ids, wishes)
    with call.busy("Scoring"):
        plan = workspace.plan_distill(chosen, ids)
    return _carry_out(call, workspace, plan, wishes)


def _require_fit(mode: "Mode", wishes: Wishes) -> None:
    """Raise Usage for a wish that the mode would pass over."""
    if wishes.html is not None and mode != "report":
        raise Usage("--html goes with the report", hint="`memtend distill report --html FILE` writes the page.")
    if wishes.markdown and mode != "report":
        raise Usage("--markdown goes with the report", hint="`memtend distill report --markdown` prints it.")
    if wishes.allow_conflicts and mode != "merge":
        raise Usage("--allow-conflicts goes with merge", hint="`memtend distill merge --yes --allow-conflicts` merges.")


def _named(only: Sequence[str] | None) -> list[str]:
    """The ids of `--only`; an option that names none must not mean all."""
    ids = [id.strip() for listed in only or () for id in listed.split(",") if id.strip()]
    if only and not ids:
        raise Usage("--only names no memory", hint="`memtend list` shows the ids.")
    return ids


# --- report -------------------------------------------------------------------------------------------------


def _report(call: Call, workspace: "Workspace", only: Sequence[str], wishes: Wishes) -> int:
    if only:
        raise Usage("a report is about the whole vault", hint="`memtend distill purge --only ID` names memories.")
    if wishes.html is not None:
        _require_place(wishes.html)
    with call.busy("Scoring"):
        found, warnings = workspace.report(keep=not call.dry_run)
    if wishes.html is not None:
        _save_page(found, wishes.html)
        call.say(f"Wrote {wishes.html}")
    if call.json and found.total_memories > _MANY:
        out(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        text = "" if call.json or not found.total_memories else _told(found, wishes)
        call.answer(
            found.to_json() if call.json else {}, text, paged=wishes.markdown, has_colours=is_terminal(sys.stdout)
        )
    for warning in warnings:
        call.say(f"warning: {warning}")
    if not found.total_memories:
        call.say(EMPTY)
    return DONE if found.total_memories else FOUND_SOMETHING


def _told(found: "Report", wishes: Wishes) -> str:
    """Tables with bars in a terminal that is wide enough, Markdown anywhere else."""
    if wishes.markdown or not is_terminal(sys.stdout) or shutil.get_terminal_size().columns < _NARROW:
        from memtend.distill.markdown import markdown

        return markdown(found, verbose=wishes.verbose)
    from memtend.cli.distill_render import report

    return report(found, verbose=wishes.verbose)


def _require_place(page: Path) -> None:
    """Before anything is noted: a page can stand there. Raises UnusableInput."""
    if page.is_dir():
        raise UnusableInput(f"{page} cannot be written: Is a directory", hint="Name another file.")
    if not page.parent.is_dir():
        raise UnusableInput(f"{page} cannot be written: No such file or directory", hint="Name another file.")


def _save_page(found: "Report", path: Path) -> None:
    from memtend.distill.page import page

    try:
        path.write_text(page(found), encoding="utf-8", newline="\n")
    except OSError as fault:
        raise UnusableInput(f"{path} cannot be written: {fault.strerror}", hint="Name another file.") from fault


# --- the modes that decide ------------------------------------------------------------------------------------


def _carry_out(call: Call, workspace: "Workspace", plan: "DistillPlan", wishes: Wishes) -> int:
    """From a plan to its end: shown, or decided on and applied."""
    from memtend.cli import distill_render
    from memtend.workspace.distill_plan import Mode

    for warning in plan.warnings:
        call.say(f"warning: {warning}")
    document = plan.to_json(dry_run=call.dry_run)
    if wishes.verbose:
        found = plan.report or workspace.report(keep=False)[0]
        document["scores"] = found.to_json()["scores"]
        call.say(_score_table(found))
    if not plan.candidates and plan.mode is not Mode.AUTO:
        call.answer(document, "")
        call.say(_why_nothing(workspace, plan.mode))
        return FOUND_SOMETHING
    if call.dry_run:
        call.answer(document, distill_render.plan(plan))
        if not plan.candidates:
            call.say(distill_render.NOTHING[plan.mode])
        return DONE
    decisions, left_out = _decided(call, workspace, plan, wishes)
    with call.busy("Writing"), unbroken():
        done = workspace.apply_distill(
            plan, decisions, allow_large=wishes.allow_large, commit=None if wishes.commit else False
        )
    return _tell(call, done, left_out)


def _score_table(found: "Report") -> str:
    head = ("memory", "stale", "unused", "size", "alike", "score")
    rows = sorted(found.rows(), key=lambda row: (-row.composite, row.id))
    return render.table([(row.id, *(f"{value:.2f}" for value in row[1:6])) for row in rows], head)


def _why_nothing(workspace: "Workspace", mode: "Mode") -> str:
    from memtend.cli import distill_render
    from memtend.workspace.distill_plan import Mode

    count = len(workspace.memories(include_retired=mode is Mode.GC))
    if mode is Mode.MERGE and count < 2:
        return f"Merge requires at least 2 active memories. Vault has {count}."
    return distill_render.NOTHING[mode] if count else EMPTY


def _decided(
    call: Call, workspace: "Workspace", plan: "DistillPlan", wishes: Wishes
) -> tuple[list[Decision], list[Proposal]]:
    """The decisions, and the proposals that nobody has decided on."""
    from memtend.cli import distill_render
    from memtend.cli.distill_reviewer import NOTHING, DistillReviewer

    if not plan.proposals:
        return [], []
    if call.yes:
        return _followed(plan.proposals, wishes)
    prompter = call.prompter(wishes.interactive)
    if prompter is not None:
        reviewer = DistillReviewer(prompter, show, lambda decided: workspace.preview_distill(plan, decided))
        decided = reviewer.review(plan.proposals)
        if not (decided or plan.plain):  # tier 1 of refine needs no yes
            raise Cancelled(NOTHING)
        return decided, []
    if plan.plain:
        return [], list(plan.proposals)
    call.answer(plan.to_json(dry_run=False), distill_render.plan(plan))
    raise Answered(unconfirmed("these are only candidates", hint=_HOW_TO_CONFIRM))


_HOW_TO_CONFIRM = "Run it in a terminal, or add --yes to take what is recommended; --only ID,… names a few."


def _followed(proposals: Sequence[Proposal], wishes: Wishes) -> tuple[list[Decision], list[Proposal]]:
    """What is recommended, and what is too doubtful to be done unseen."""
    taken: list[Decision] = []
    left: list[Proposal] = []
    for proposal in proposals:
        about = proposal.recommendation
        wanted = about.strength in RELIABLE or (about.conflict is not None and wishes.allow_conflicts)
        if wanted and about.action is not Action.SKIP:
            taken.append(Decision(proposal.id, about.action, about.target))
        else:
            left.append(proposal)
    return taken, left


def _tell(call: Call, done: "Distilled", left_out: Sequence[Proposal]) -> int:
    from memtend.cli import distill_render
    from memtend.workspace.distill_plan import Mode

    document = done.to_json() | {"left_out": [proposal.id for proposal in left_out]}
    call.answer(document, distill_render.distilled(done))
    for reason in done.refused:
        call.say(f"left alone: {reason}")
    for proposal in left_out:
        reasons = "; ".join(proposal.recommendation.reasons)
        call.say(f"left out, decide yourself: {distill_render.choice(proposal)}: {reasons}")
    for warning in done.warnings:
        call.say(f"warning: {warning}")
    call.tell_commit(done.receipt)
    if not done.affected:
        call.say(distill_render.NOTHING[Mode.AUTO] if done.plan.mode is Mode.AUTO else "Nothing was changed.")
    return (
        DONE if not (left_out or done.refused) and (done.affected or done.plan.mode is Mode.AUTO) else FOUND_SOMETHING
    )


# --- restore and forget -----------------------------------------------------------------------------------------


def restore(call: Call, *, memory_id: Id, no_commit: NoCommit = False) -> int:
    """Bring a retired memory back into use, also out of a merge."""
    workspace = call.workspace()
    if call.dry_run:
        known = workspace.plan_restore(memory_id)
        call.answer({"id": known.id, "retired_reason": known.retired_reason}, f"Would bring {known.id} back into use")
        return DONE
    with unbroken():
        restored = workspace.restore(memory_id, commit=False if no_commit else None)
    call.answer(restored.to_json(), f"{restored.id} is in use again. Receipt {restored.receipt.id}.")
    for warning in restored.warnings:
        call.say(f"warning: {warning}")
    call.tell_commit(restored.receipt)
    return DONE


def forget(call: Call, *, memory_id: Id, no_commit: NoCommit = False) -> int:
    """Erase a memory everywhere in the vault, for good.

    Its file, its copies in other memories, indexes and journal; this cannot be undone. What it cannot reach, such as
    git's history, is named.
    """
    workspace = call.workspace()
    planned = workspace.plan_forget(memory_id)
    if call.dry_run:
        call.answer(planned.to_json(), _would_forget(planned))
        return DONE
    if not call.yes:
        prompter = call.prompter()
        if prompter is None:
            call.answer(planned.to_json(), _would_forget(planned))
            raise Answered(unconfirmed("forgetting cannot be undone", hint="Add --yes when it is meant."))
        show(_would_forget(planned))
        if not prompter.confirm(f"Erase {planned.id} for good?", default=False):
            raise Cancelled("Nothing was erased.")
    with call.busy("Erasing"), unbroken():
        forgotten = workspace.forget(memory_id, commit=False if no_commit else None)
    call.answer(forgotten.to_json(), _forgotten(forgotten))
    call.tell_commit(forgotten.receipt)
    return DONE


def _would_forget(planned: "Forgotten") -> str:
    lines = [f"Would erase {planned.path}, and what the indexes and the journal have of it"]
    lines += [f"Would take its part out of {id}" for id in planned.changed]
    return "\n".join(lines)


def _forgotten(forgotten: "Forgotten") -> str:
    lines = [f"Erased {forgotten.id}"]
    lines += [f"Took its part out of {id}" for id in forgotten.changed]
    if forgotten.erased_images:
        count = len(forgotten.erased_images)
        lines.append(f"Erased what {render.counted(count, 'receipt')} had of it; they can no longer be undone")
    return "\n".join([*lines, *(f"Remains: {line}" for line in forgotten.remains)])


COMMANDS = (
    Command(
        "distill",
        distill,
        (
            "memtend distill",
            "memtend distill report --html health.html",
            "memtend distill purge --dry-run",
            "memtend distill merge --only MEM-a,MEM-b",
            "memtend distill compress --yes",
            "memtend distill auto",
        ),
    ),
    Command("restore", restore, ("memtend restore MEM-http-retry-policy",)),
    Command("forget", forget, ("memtend forget MEM-old-token --dry-run", "memtend forget MEM-old-token --yes")),
)
