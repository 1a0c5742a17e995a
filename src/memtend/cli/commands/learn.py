"""learn, apply, harvest: outside material becomes proposals, a person decides, and the decisions are applied."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from memtend.cli import render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, progress, unbroken
from memtend.cli.faults import Answered, unconfirmed
from memtend.cli.parameter import Argument, Option
from memtend.cli.prompt import Prompter
from memtend.cli.reviewer import FollowingReviewer, TerminalReviewer, choose_files
from memtend.cli.screen import out, show, typed
from memtend.errors import UnusableInput, Usage
from memtend.review import Action, Decision, Proposal
from memtend.workspace.plan import LearnRequest, decisions_from_json
from memtend.workspace.plan import load as load_plan
from memtend.workspace.plan_file import read_text

if TYPE_CHECKING:
    from memtend.workspace import Plan, Workspace

AllowSecrets = Annotated[bool, Option("--allow-secrets", help="Store what looks like a key or password all the same.")]
NoCommit = Annotated[bool, Option("--no-commit", help="Make no git commit afterwards.")]
AllowLarge = Annotated[
    bool, Option("--allow-large", help="Allow a change that touches an unusually large share of the vault.")
]
Interactive = Annotated[
    bool,
    Option("--interactive", "-i", help="Ask even where stdin is no terminal; answers are read line by line."),
]
PlanFile = Annotated[
    Path | None,
    Option("--plan", metavar="FILE", help="Save the plan there and stop; `memtend apply` answers it."),
]
TaskNumber = Annotated[int | None, Option("--task", metavar="N", min=0, help="The artifacts of task N in specs/.")]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person said about applying, beside the flags of every command."""

    allow_secrets: bool = False
    allow_large: bool = False
    commit: bool = True
    plan_file: Path | None = None
    asks_category: bool = False


def learn(
    call: Call,
    *,
    inputs: Annotated[
        list[str] | None,
        Argument(metavar="INPUT...", help="Texts, files or directories; - reads a text from stdin."),
    ] = None,
    text: Annotated[
        str | None, Option("--text", "-t", metavar="TEXT", help="A text to learn; - reads it from stdin.")
    ] = None,
    files: Annotated[list[str] | None, Option("--file", "-f", metavar="FILE", help="A file to learn.")] = None,
    directory: Annotated[str | None, Option("--dir", "-d", metavar="DIR", help="A directory to learn.")] = None,
    task: TaskNumber = None,
    category: Annotated[
        str | None, Option("--category", metavar="NAME", help="The category of what is created.")
    ] = None,
    topic: Annotated[
        str | None, Option("--topic", metavar="PATH", help="The topic of what is created: python/http.")
    ] = None,
    plan_file: PlanFile = None,
    content_map: Annotated[bool, Option("--content-map", help="Print how the input was cut, and stop.")] = False,
    max_files: Annotated[
        int | None, Option("--max-files", metavar="N", min=1, help="The most files of a directory.")
    ] = None,
    allow_secrets: AllowSecrets = False,
    no_commit: NoCommit = False,
    allow_large: AllowLarge = False,
    interactive: Interactive = False,
) -> int:
    """Learn from texts, files, directories or a task.

    Cuts the input into segments, finds the memories each may belong to, and asks what to do with it: update one,
    extend one, create, skip. Nothing is written before you say so. Without a terminal the plan is printed and the
    exit status is 3; --yes follows the recommendations, weak ones left out.
    """
    if content_map and plan_file:
        raise Usage("--content-map saves no plan", hint="Leave one of --content-map and --plan out.")
    if inputs == ["-"]:
        inputs, text = None, "-"
    request = LearnRequest(
        inputs=tuple(inputs or ()),
        text=typed() if text == "-" else text,
        files=tuple(files or ()),
        directory=directory,
        task=task,
        category=category,
        topic=topic,
        max_files=max_files,
    )
    workspace = call.workspace()
    prompter = None if call.dry_run or content_map or plan_file else call.prompter(interactive)
    plan = _planned(workspace, request, prompter)
    if content_map:
        out(json.dumps(plan.content_map, ensure_ascii=False, indent=2))
        return DONE
    wishes = Wishes(allow_secrets, allow_large, not no_commit, plan_file, asks_category=plan.mode == "task")
    return _carry_out(call, workspace, plan, prompter, wishes)


def _planned(workspace: "Workspace", request: "LearnRequest", prompter: Prompter | None) -> "Plan":
    """The plan; of a directory a person first chooses the files."""
    names_directory = request.directory is not None or any(map(os.path.isdir, request.inputs))
    if prompter is not None and names_directory and request.task is None:
        listed = workspace.list_documents(request)
        request = replace(request, only=choose_files(prompter, [(item.path, item.size_bytes) for item in listed]))
    with progress("reading") as step:
        return workspace.plan_learn(request, step=step)


def apply(
    call: Call,
    *,
    plan_path: Annotated[Path, Argument(metavar="PLAN", help="What `memtend learn --plan` saved.")],
    decisions: Annotated[
        str | None, Option("--decisions", metavar="FILE|JSON", help="The answers, by segment; - reads stdin.")
    ] = None,
    allow_secrets: AllowSecrets = False,
    no_commit: NoCommit = False,
    allow_large: AllowLarge = False,
    interactive: Interactive = False,
) -> int:
    """Apply a saved plan with your decisions.

    A decision looks like {"seg-001": {"action": "extend", "target": "MEM-x"}}; a segment without one is skipped. A
    memory that has changed since the plan was made is never overwritten: exit status 4.
    """
    workspace = call.workspace()
    plan = load_plan(plan_path)
    wishes = Wishes(allow_secrets, allow_large, not no_commit, asks_category=plan.mode == "task")
    if decisions is None:
        return _carry_out(call, workspace, plan, None if call.dry_run else call.prompter(interactive), wishes)
    decided = decisions_from_json(_json_of(decisions), plan.proposals)
    if call.dry_run:
        return _preview(call, workspace, plan, decided)
    return _apply(call, workspace, plan, decided, wishes)


def _json_of(given: str) -> Any:
    """JSON given as such, in a file, or on stdin."""
    name, text = "--decisions", given
    if given == "-":
        text = typed()
    elif not given.lstrip().startswith(("{", "[")):
        name = given
        text = read_text(given, hint=_DECISIONS_HINT)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise UnusableInput(f"{name} is not JSON: {fault}", hint=_DECISIONS_HINT) from fault


_DECISIONS_HINT = """Give a file or JSON such as '{"seg-001": {"action": "extend", "target": "MEM-x"}}'."""


def harvest(
    call: Call,
    *,
    task: Annotated[int, Option("--task", metavar="N", min=0, help="The task whose candidates to learn.")],
    plan_file: PlanFile = None,
    allow_secrets: AllowSecrets = False,
    no_commit: NoCommit = False,
    allow_large: AllowLarge = False,
    interactive: Interactive = False,
) -> int:
    """Learn what a task left for memory in specs/state.json.

    Those with a confidence of 0.7 and more are proposed; what is known already is recommended to be skipped.
    """
    workspace = call.workspace()
    with call.busy("Reading"):
        plan = workspace.harvest(task)
    prompter = None if call.dry_run or plan_file else call.prompter(interactive)
    wishes = Wishes(allow_secrets, allow_large, not no_commit, plan_file)
    return _carry_out(call, workspace, plan, prompter, wishes)


def _carry_out(call: Call, workspace: "Workspace", plan: "Plan", prompter: Prompter | None, wishes: Wishes) -> int:
    """From a plan to its end: saved, shown, or decided on and applied."""
    for warning in plan.warnings:
        call.say(f"warning: {warning}")
    for skipped in plan.skipped:
        call.say(f"left out: {skipped['path']}: {skipped['reason']}")
    if wishes.plan_file is not None:
        plan.save(wishes.plan_file)
        call.say(f"Saved the plan: `memtend apply {wishes.plan_file}` answers it.")
    if not plan.proposals or call.dry_run or wishes.plan_file is not None:
        _show(call, plan)
        return DONE if plan.proposals else FOUND_SOMETHING
    if call.yes:
        following = FollowingReviewer()
        decided = following.review(plan.proposals)
        return _apply(call, workspace, plan, decided, wishes, left_out=following.left_out)
    if prompter is None:
        _show(call, plan)
        raise Answered(unconfirmed("this is only a plan", hint=_HOW_TO_CONFIRM))
    return _review(call, workspace, plan, prompter, wishes)


def _review(call: Call, workspace: "Workspace", plan: "Plan", prompter: Prompter, wishes: Wishes) -> int:
    """Ask about each proposal, and apply what was decided."""
    reviewer = TerminalReviewer(
        prompter,
        show,
        lambda decision: workspace.preview(plan, decision),
        secrets=render.secrets_by_segment(plan),
        asks_category=wishes.asks_category,
    )
    decided = reviewer.review(plan.proposals)
    wishes = replace(wishes, allow_secrets=wishes.allow_secrets or reviewer.accepted_secrets)
    return _apply(call, workspace, plan, decided, wishes)


def _show(call: Call, plan: "Plan") -> None:
    """The plan in the form that is asked for; of a large one, making both would take as long as a third of planning."""
    call.answer(plan.to_json() if call.json else {}, "" if call.json else render.plan(plan))


_HOW_TO_CONFIRM = (
    "Run it in a terminal, add --yes to follow the recommendations, or save it with --plan FILE and answer it with "
    "`memtend apply FILE --decisions …`."
)


_HOW_TO_DECIDE = (
    "Run it again in a terminal to decide, or save what is left with --plan FILE and answer it with "
    "`memtend apply FILE --decisions …`."
)


def _preview(call: Call, workspace: "Workspace", plan: "Plan", decided: Sequence[Decision]) -> int:
    diffs = {d.proposal_id: workspace.preview(plan, d) for d in decided if d.action is not Action.SKIP}
    call.answer({"status": "planned", "mode": plan.mode, "diffs": diffs}, "\n".join(diffs.values()).rstrip("\n"))
    return DONE


def _apply(
    call: Call,
    workspace: "Workspace",
    plan: "Plan",
    decided: Sequence[Decision],
    wishes: Wishes,
    *,
    left_out: Sequence[Proposal] = (),
) -> int:
    with call.busy("Writing"), unbroken():
        learned = workspace.apply(
            plan,
            decided,
            allow_secrets=wishes.allow_secrets,
            allow_large=wishes.allow_large,
            commit=None if wishes.commit else False,
        )
    document = learned.to_json()
    if left_out:
        document["left_out"] = [proposal.id for proposal in left_out]
    call.answer(document, render.learned(learned))
    if learned.receipt is not None:
        call.tell_receipt(learned.receipt)
    for proposal in left_out:
        call.say(f"left out, decide yourself: {render.named(proposal)}: {render.recommended(proposal)}")
    if left_out:
        call.say(_HOW_TO_DECIDE)
    is_empty = all(operation.type == "SKIP" for operation in learned.operations)
    if is_empty:
        call.say("No memories created (all content skipped)")
    return FOUND_SOMETHING if left_out or is_empty else DONE


COMMANDS = (
    Command(
        "learn",
        learn,
        (
            "memtend learn notes/http.md",
            "memtend learn -d notes --topic shop",
            'memtend learn -t "Retry at most three times." --topic python/http --yes',
            "memtend learn notes --plan plan.json",
            "memtend learn --task 12",
        ),
    ),
    Command(
        "apply",
        apply,
        (
            "memtend apply plan.json",
            """memtend apply plan.json --decisions '{"seg-001": {"action": "create"}}'""",
            "memtend apply plan.json --decisions answers.json --dry-run",
        ),
    ),
    Command("harvest", harvest, ("memtend harvest --task 12", "memtend harvest --task 12 --yes --json")),
)
