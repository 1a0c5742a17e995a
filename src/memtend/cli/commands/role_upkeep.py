"""role: what keeps a role's memory in order, a step at a time or as one procedure."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from memtend.cli import role_actions as actions
from memtend.cli import role_render as render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, though_unread, unbroken
from memtend.cli.faults import unconfirmed
from memtend.cli.parameter import Argument, Option
from memtend.cli.role_options import Changing, Proving, Writing, opened
from memtend.cli.screen import typed
from memtend.errors import Cancelled, NotFound, UnusableInput, Usage

if TYPE_CHECKING:
    from memtend.layouts.role.plan import TidyPlan


def consolidate(
    call: Call,
    *,
    threshold: Annotated[
        float | None,
        Option("--threshold", metavar="SHARE", help="Share of words in common from which two lines are copies; 0.9."),
    ] = None,
    **chosen: Unpack[Writing],
) -> int:
    """Merge copies by rule and lay the file out. Removes no unique entry and says every merge."""
    answer = opened(call, **chosen).consolidate(threshold)
    call.answer(answer.to_json(), render.consolidated(answer))
    return DONE


def repair(call: Call, **chosen: Unpack[Writing]) -> int:
    """Mend malformed headings, missing and repeated sections, stray lines, counts and tiers."""
    answer = opened(call, **chosen).repair()
    call.answer(answer.to_json(), render.repaired(answer))
    return FOUND_SOMETHING if answer.left else DONE


def tidy(
    call: Call,
    *,
    plan_file: Annotated[Path | None, Option("--plan", metavar="FILE", help="Save the plan there and stop.")] = None,
    apply_file: Annotated[
        Path | None, Option("--apply", metavar="FILE", help="Take this plan instead of making one.")
    ] = None,
    delete: Annotated[
        list[str] | None, Option("--delete", metavar="ID", help="A preference or often used entry that may go.")
    ] = None,
    only: Annotated[
        list[str] | None, Option("--only", metavar="ID", help="Apply this part alone; again for more.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Allow more than 20 % deletions.")] = False,
    schema: Annotated[bool, Option("--schema", help="Print the JSON Schema of a plan, and stop.")] = False,
    **chosen: Unpack[Writing],
) -> int:
    """Plan what could be tidied, show it as a diff, and apply it after a yes.

    Without a language model the plan comes from rules that invent no text. Contradictions are reported, never
    applied. Without a terminal the plan is printed and the exit status is 3; --yes accepts it in advance.
    """
    if schema:
        from memtend.layouts.role.schema import plan_schema

        actions.tell(True, plan_schema(), "")
        return DONE
    workspace = opened(call, **chosen)
    plan = workspace.tidy() if apply_file is None else workspace.tidy_marked(_loaded(apply_file))
    parts: dict[str, Any] = {"named": tuple(delete or ()), "only": tuple(only) if only else None}
    shown = render.plan(plan, workspace.tidy_diff(plan, **parts))
    if plan_file is not None:
        _save(plan_file, plan)
    if not _is_accepted(call, plan, shown, stops=plan_file is not None):
        return FOUND_SOMETHING if plan.contradictions or plan.remarks else DONE
    with unbroken():
        answer = workspace.apply_tidy(plan, accepted=True, force=force, **parts)
    call.answer(answer.to_json(), render.tidied(answer))
    return FOUND_SOMETHING if answer.skipped else DONE


def _is_accepted(call: Call, plan: "TidyPlan", shown: str, *, stops: bool) -> bool:
    """Show the plan and ask. False where there is nothing to apply or only a look was wanted."""
    is_only_shown = stops or call.dry_run or plan.is_empty
    is_accepted = call.yes and not is_only_shown
    if is_accepted and call.json:
        return True
    with though_unread(is_accepted):
        call.answer({"status": "planned", "plan": plan.to_json()}, shown)
    if is_accepted or is_only_shown:
        return is_accepted
    prompter = call.prompter()
    if prompter is None:
        raise _unasked(call)
    if not prompter.confirm("Apply this plan?", default=False):
        raise Cancelled("Cancelled. Nothing was written.")
    return True


def _unasked(call: Call) -> Exception:
    from memtend.cli.faults import Answered

    fault = unconfirmed("tidy", "--yes applies the plan as it is shown; --plan FILE saves it for later.")
    return Answered(fault) if call.json else fault


def _loaded(path: Path) -> "TidyPlan":
    from memtend.layouts.role.plan import plan_from_json
    from memtend.workspace import plan_file

    data = plan_file.load(path, hint="`memtend role tidy --plan FILE` makes a plan.")
    return plan_from_json(data.get("plan", data) if isinstance(data, dict) else data)


def _save(path: Path, plan: "TidyPlan") -> None:
    from memtend.workspace import plan_file

    plan_file.save(path, plan.to_json())


def extract(
    call: Call,
    transcript: Annotated[str, Argument(metavar="FILE", help="A transcript, JSON lines or text; - is stdin.")],
    **chosen: Unpack[Changing],
) -> int:
    """Propose at most three lines of a transcript that say remember, always, never or prefer."""
    answer = opened(call, **chosen).extract(_transcript(transcript))
    call.answer(answer.to_json(), render.extracted(answer))
    return DONE if answer.added else FOUND_SOMETHING


def _transcript(name: str) -> str:
    if name == "-":
        return typed()
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError as fault:
        raise NotFound(f"File not found: {name}", hint="Name a transcript, or - for stdin.") from fault
    except OSError as fault:
        raise UnusableInput(f"{name} cannot be read: {fault.strerror}", hint="Name a transcript file.") from fault


def organize(
    call: Call,
    *,
    due: Annotated[bool, Option("--due", help="Only what is due: weekly upkeep, a monthly tidy plan.")] = False,
    with_tidy: Annotated[bool, Option("--tidy", help="Make a tidy plan too; nothing of it is applied.")] = False,
    query: Annotated[
        str, Option("--query", metavar="TEXT", help="Current work: pending entries that it proves are promoted.")
    ] = "",
    transcript: Annotated[
        str | None, Option("--transcript", metavar="FILE", help="With --due: extract from this session first.")
    ] = None,
    **chosen: Unpack[Proving],
) -> int:
    """Assess, repair, consolidate, plan tidying where asked, see to what is pending, and report."""
    if transcript is not None and not due:
        raise Usage("--transcript goes with --due", hint="`memtend role extract FILE` reads one by itself.")
    workspace = opened(call, **chosen)
    if due:
        answer = workspace.organize_due(None if transcript is None else _transcript(transcript))
    else:
        answer = workspace.organize(tidy=with_tidy, query=query)
    text = render.organized(answer)
    if with_tidy and answer.plan is not None:
        text += "\n\n" + render.plan(answer.plan, workspace.tidy_diff(answer.plan))
    call.answer(answer.to_json(), text)
    return DONE


def migrate(call: Call, **chosen: Unpack[Writing]) -> int:
    """Take over a MEMORY.md and dated journals of an older layout; what was there is kept in memory/archive."""
    answer = opened(call, **chosen).migrate()
    call.answer(answer.to_json(), render.migrated(answer))
    return DONE if answer.taken else FOUND_SOMETHING


COMMANDS = (
    Command("consolidate", consolidate, ("memtend role consolidate", "memtend role consolidate --dry-run"), "role"),
    Command("repair", repair, ("memtend role repair",), "role"),
    Command(
        "tidy",
        tidy,
        ("memtend role tidy", "memtend role tidy --plan plan.json", "memtend role tidy --apply plan.json --yes"),
        "role",
    ),
    Command("extract", extract, ("memtend role extract session.jsonl",), "role"),
    Command("organize", organize, ("memtend role organize", "memtend role organize --due"), "role"),
    Command("migrate", migrate, ("memtend role migrate",), "role"),
)
