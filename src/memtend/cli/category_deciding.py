"""Showing what an action on a category memory would do, asking, and doing it."""

from typing import TYPE_CHECKING

from memtend.cli import category_render as render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, though_unread, unbroken
from memtend.cli.faults import Answered, unconfirmed
from memtend.errors import Cancelled

if TYPE_CHECKING:
    from memtend.review import Decision
    from memtend.workspace.category.answers import CategoryPlan, Done
    from memtend.workspace.category.categories import CategoryWorkspace


def would_undo(call: Call, workspace: "CategoryWorkspace", receipt_id: str | None) -> int:
    """Say which change an undo would take back. Raises NotFound, LaterChange, Refused as the undo would."""
    found = workspace.store.plan_undo(receipt_id)
    document = {"receipt": None, "undone": found.id, "paths": list(found.paths)}
    call.answer(document, f"Would take back {found.id}: {', '.join(found.paths)}")
    return DONE


def everything(plan: "CategoryPlan") -> "tuple[Decision, ...]":
    """A yes to all of a plan."""
    from memtend.workspace.category.categories import accept_all

    return accept_all(plan)


def decide(
    call: Call, workspace: "CategoryWorkspace", plan: "CategoryPlan", *, stops: bool = False, with_diff: bool = False
) -> int:
    """Show a plan, ask, and do what was accepted."""
    is_decided = call.yes and not (stops or call.dry_run or plan.is_empty)
    if not (is_decided and call.json):
        text = render.plan(plan)
        if with_diff and not plan.is_empty:
            text += "\n\n" + workspace.preview(plan, everything(plan)).rstrip("\n")
        with though_unread(is_decided):
            call.answer(plan.to_json(), text)
    if stops or call.dry_run or plan.is_empty:
        return DONE
    decisions = everything(plan) if is_decided else _asked(call, plan)
    return apply(call, workspace, plan, decisions)


def _asked(call: Call, plan: "CategoryPlan") -> "tuple[Decision, ...]":
    """What a person accepts. Raises NeedsConfirmation where nobody can be asked, Cancelled for a no."""
    from memtend.cli.prompt import Choice

    prompter = call.prompter()
    if prompter is None:
        fault = unconfirmed(plan.kind, "--yes accepts the plan as it is shown; --dry-run only shows it.")
        raise Answered(fault) if call.json else fault
    if len(plan.proposals) == 1:
        chosen = {plan.proposals[0].id} if prompter.confirm("Do it?", default=False) else set()
    else:
        choices = [Choice(proposal.id, proposal.summary) for proposal in plan.proposals]
        chosen = set(prompter.checkbox("Do which?", choices))
    if not chosen:
        raise Cancelled("Cancelled. Nothing was written.")
    return tuple(each for each in everything(plan) if each.proposal_id in chosen)


def apply(call: Call, workspace: "CategoryWorkspace", plan: "CategoryPlan", decisions: "tuple[Decision, ...]") -> int:
    """Do what was decided, and say what was done. Status 1 where something stayed."""
    with unbroken():
        answer: Done = workspace.apply(plan, decisions)
    call.answer(answer.to_json(), render.done(answer))
    for warning in answer.warnings:
        call.say(f"warning: {warning}")
    return FOUND_SOMETHING if answer.left else DONE
