"""role: learnings and preferences that a role remembers, and their upkeep."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtend.cli import role_actions as actions
from memtend.cli import role_render as render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, unbroken
from memtend.cli.faults import unconfirmed
from memtend.errors import Cancelled, NotFound, UnusableInput

if TYPE_CHECKING:
    from memtend.layouts.role.plan import TidyPlan
    from memtend.workspace.roles import RoleWorkspace

Role = Annotated[
    str | None, typer.Option("--role", metavar="NAME", help="The role; else MEMTEND_ROLE, else the only one.")
]
RolesDir = Annotated[
    str | None,
    typer.Option("--roles", metavar="DIR", help="Where the roles are; else MEMTEND_ROLES, PI_ROLES_DIR, ~/.pi/roles."),
]
Plain = Annotated[bool, typer.Option("--plain", help="Write no metadata comments behind the lines.")]
Commit = Annotated[
    bool, typer.Option("--commit", help="Commit the change alone, where the role is in a git repository.")
]
Session = Annotated[str, typer.Option("--session", metavar="ID", help="The agent's session; else MEMTEND_SESSION.")]
Texts = Annotated[list[str], typer.Argument(metavar="TEXT", help="The text; - reads it from stdin.")]
Needle = Annotated[str, typer.Argument(metavar="ID|TEXT", help="An id, or a text that means exactly one entry.")]
Words = Annotated[list[str], typer.Argument(metavar="TEXT", help="The new text; - reads it from stdin.")]
Source = Annotated[str, typer.Option("--source", help="Where it comes from; `auto` lets it wait for proof of use.")]
Tags = Annotated[list[str] | None, typer.Option("--tags", help="Tags, parted by commas; may be given again.")]
AllowSecrets = Annotated[
    bool, typer.Option("--allow-secrets", help="Store what looks like a key or password all the same.")
]
Category = Annotated[str, typer.Option("--category", help="Communication, Code, Tools, Workflow, General or your own.")]


def _open(call: Call, role: str | None, roles: str | None, **options: Any) -> "RoleWorkspace":
    return actions.open_role(role, roles, dry_run=call.dry_run, **options)


def _text(words: list[str]) -> str:
    return sys.stdin.read() if words == ["-"] else " ".join(words)


def _tags(given: list[str] | None) -> tuple[str, ...]:
    from memtend.layouts.role.bullet import tag_names

    return tag_names(",".join(given or ()))


def list_(call: Call, *, role: Role = None, roles: RolesDir = None) -> int:
    """List what a role remembers, with ids, and what is the matter with its files.

    Counts by tier and category, what is pending, parse issues by line, entries over 120 characters, and the share
    of learnings that were never used. Status 1 where part of a file cannot be read.
    """
    return actions.list_(_open(call, role, roles), call.json)


def search(
    call: Call,
    query: Texts,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many hits.")] = 10,
    no_reinforce: Annotated[bool, typer.Option("--no-reinforce", help="Only look: count and promote nothing.")] = False,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
    session: Session = "",
) -> int:
    """Find what a role remembers, best first.

    Afterwards learnings among the hits with a score of 0.5 and more count one use more, and pending ones are
    promoted: once an entry and session, and only where the query's own words stand in them.
    """
    workspace = _open(call, role, roles, plain=plain, commit=commit, session=session)
    return actions.search(workspace, call.json, _text(query), limit, not no_reinforce and not call.dry_run)


def add_learning(
    call: Call,
    text: Texts,
    *,
    source: Source = "",
    tags: Tags = None,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
    allow_secrets: AllowSecrets = False,
) -> int:
    """Remember a learning at [0x]. An exact copy is refused."""
    workspace = _open(call, role, roles, plain=plain, commit=commit, allow_secrets=allow_secrets)
    return actions.add_learning(workspace, call.json, _text(text), source=source, tags=_tags(tags))


def add_preference(
    call: Call,
    text: Texts,
    *,
    category: Category = "",
    source: Source = "",
    tags: Tags = None,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
    allow_secrets: AllowSecrets = False,
) -> int:
    """Remember a preference. An exact copy in the same category is refused."""
    workspace = _open(call, role, roles, plain=plain, commit=commit, allow_secrets=allow_secrets)
    return actions.add_preference(workspace, call.json, _text(text), category, source=source, tags=_tags(tags))


def update_learning(
    call: Call,
    needle: Needle,
    text: Words,
    *,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
    allow_secrets: AllowSecrets = False,
) -> int:
    """Give a learning another text; its count, tags and source stay."""
    workspace = _open(call, role, roles, plain=plain, commit=commit, allow_secrets=allow_secrets)
    answer = workspace.update_learning(needle, _text(text))
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def update_preference(
    call: Call,
    needle: Needle,
    text: Words,
    *,
    category: Category = "",
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
    allow_secrets: AllowSecrets = False,
) -> int:
    """Give a preference another text or category; its tags and source stay."""
    workspace = _open(call, role, roles, plain=plain, commit=commit, allow_secrets=allow_secrets)
    answer = workspace.update_preference(needle, _text(text), category)
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def delete_learning(
    call: Call, needle: Needle, *, role: Role = None, roles: RolesDir = None, commit: Commit = False
) -> int:
    """Take out a learning that is wrong or no longer matters."""
    answer = _open(call, role, roles, commit=commit).delete_learning(needle)
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def delete_preference(
    call: Call, needle: Needle, *, role: Role = None, roles: RolesDir = None, commit: Commit = False
) -> int:
    """Take out a preference, after a yes."""
    workspace = _open(call, role, roles, commit=commit)
    entry = workspace.preference(needle)
    confirmed = call.yes or call.dry_run
    prompter = None if confirmed else call.prompter()
    if prompter is not None:
        if not prompter.confirm(f"Delete the preference “{entry.text}”?", default=False):
            raise Cancelled("Cancelled. Nothing was written.")
        confirmed = True
    answer = workspace.delete_preference(entry.id, confirmed=confirmed)
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def reinforce(
    call: Call,
    needle: Needle,
    *,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
) -> int:
    """Count one more use of a learning, seen today."""
    return actions.reinforce(_open(call, role, roles, plain=plain, commit=commit), call.json, needle)


def promote(
    call: Call,
    needle: Needle,
    *,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
) -> int:
    """Make a pending entry a learning at [0x], or a preference where it has a category."""
    answer = _open(call, role, roles, plain=plain, commit=commit).promote(needle)
    call.answer(answer.to_json(), render.resolved(answer))
    return DONE


def discard(call: Call, needle: Needle, *, role: Role = None, roles: RolesDir = None, commit: Commit = False) -> int:
    """Mark a pending entry as not worth keeping."""
    answer = _open(call, role, roles, commit=commit).discard(needle)
    call.answer(answer.to_json(), render.resolved(answer))
    return DONE


def expire(call: Call, *, role: Role = None, roles: RolesDir = None, commit: Commit = False) -> int:
    """Discard what has waited for more than seven days.

    Completes lines that a person wrote without id or date, and moves what was resolved more than thirty days ago to
    memory/archive.
    """
    answer = _open(call, role, roles, commit=commit).expire()
    call.answer(answer.to_json(), render.expired(answer))
    return FOUND_SOMETHING if answer.unknown else DONE


def consolidate(
    call: Call,
    *,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Share of words in common from which two lines are copies; 0.9.")
    ] = None,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
) -> int:
    """Merge copies by rule and lay the file out. Removes no unique entry and says every merge."""
    answer = _open(call, role, roles, plain=plain, commit=commit).consolidate(threshold)
    call.answer(answer.to_json(), render.consolidated(answer))
    return DONE


def repair(
    call: Call, *, role: Role = None, roles: RolesDir = None, plain: Plain = False, commit: Commit = False
) -> int:
    """Mend malformed headings, missing and repeated sections, stray lines, counts and tiers."""
    answer = _open(call, role, roles, plain=plain, commit=commit).repair()
    call.answer(answer.to_json(), render.repaired(answer))
    return FOUND_SOMETHING if answer.left else DONE


def tidy(
    call: Call,
    *,
    plan_file: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="Save the plan there and stop.")
    ] = None,
    apply_file: Annotated[
        Path | None, typer.Option("--apply", metavar="FILE", help="Take this plan instead of making one.")
    ] = None,
    delete: Annotated[
        list[str] | None, typer.Option("--delete", metavar="ID", help="A preference or often used entry that may go.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="Apply this part alone; again for more.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Allow more than 20 % deletions.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a plan, and stop.")] = False,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
) -> int:
    """Plan what could be tidied, show it as a diff, and apply it after a yes.

    Without a language model the plan comes from rules that invent no text. Contradictions are reported, never
    applied. Without a terminal the plan is printed and the exit status is 3; --yes accepts it in advance.
    """
    if schema:
        from memtend.layouts.role.schema import plan_schema

        actions.tell(True, plan_schema(), "")
        return DONE
    workspace = _open(call, role, roles, plain=plain, commit=commit)
    plan = workspace.tidy() if apply_file is None else workspace.tidy_marked(_loaded(apply_file))
    chosen: dict[str, Any] = {"named": tuple(delete or ()), "only": tuple(only) if only else None}
    if plan_file is not None:
        _save(plan_file, plan)
    shown = render.plan(plan, workspace.tidy_diff(plan, **chosen))
    if not _is_accepted(call, plan, shown, stops=plan_file is not None):
        return FOUND_SOMETHING if plan.contradictions or plan.remarks else DONE
    with unbroken():
        answer = workspace.apply_tidy(plan, accepted=True, force=force, **chosen)
    call.answer(answer.to_json(), render.tidied(answer))
    return FOUND_SOMETHING if answer.skipped else DONE


def _is_accepted(call: Call, plan: "TidyPlan", shown: str, *, stops: bool) -> bool:
    """Show the plan and ask. False where there is nothing to apply or only a look was wanted."""
    is_only_shown = stops or call.dry_run or plan.is_empty
    is_accepted = call.yes and not is_only_shown
    if is_accepted and call.json:
        return True
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

    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise NotFound(f"File not found: {path}", hint="`memtend role tidy --plan FILE` makes a plan.") from fault
    except (OSError, ValueError) as fault:
        raise UnusableInput(f"{path} is no plan: {fault}", hint="Make it again with --plan.") from fault
    return plan_from_json(data.get("plan", data) if isinstance(data, dict) else data)


def _save(path: Path, plan: "TidyPlan") -> None:
    try:
        path.write_text(json.dumps(plan.to_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as fault:
        raise UnusableInput(f"{path} cannot be written: {fault.strerror}", hint="Name another file.") from fault


def extract(
    call: Call,
    transcript: Annotated[str, typer.Argument(metavar="FILE", help="A transcript, JSON lines or text; - is stdin.")],
    *,
    role: Role = None,
    roles: RolesDir = None,
    commit: Commit = False,
) -> int:
    """Propose at most three lines of a transcript that say remember, always, never or prefer."""
    answer = _open(call, role, roles, commit=commit).extract(_transcript(transcript))
    call.answer(answer.to_json(), render.extracted(answer))
    return DONE if answer.added else FOUND_SOMETHING


def _transcript(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError as fault:
        raise NotFound(f"File not found: {name}", hint="Name a transcript, or - for stdin.") from fault
    except OSError as fault:
        raise UnusableInput(f"{name} cannot be read: {fault.strerror}", hint="Name a transcript file.") from fault


def organize(
    call: Call,
    *,
    due: Annotated[bool, typer.Option("--due", help="Only what is due: weekly upkeep, a monthly tidy plan.")] = False,
    with_tidy: Annotated[bool, typer.Option("--tidy", help="Make a tidy plan too; nothing of it is applied.")] = False,
    query: Annotated[
        str, typer.Option("--query", help="Current work: pending entries that it proves are promoted.")
    ] = "",
    transcript: Annotated[
        str | None, typer.Option("--transcript", metavar="FILE", help="With --due: extract from this session first.")
    ] = None,
    role: Role = None,
    roles: RolesDir = None,
    plain: Plain = False,
    commit: Commit = False,
    session: Session = "",
) -> int:
    """Assess, repair, consolidate, plan tidying where asked, see to what is pending, and report."""
    workspace = _open(call, role, roles, plain=plain, commit=commit, session=session)
    if due:
        answer = workspace.organize_due(None if transcript is None else _transcript(transcript))
    else:
        answer = workspace.organize(tidy=with_tidy, query=query)
    text = render.organized(answer)
    if with_tidy and answer.plan is not None:
        text += "\n\n" + render.plan(answer.plan, workspace.tidy_diff(answer.plan))
    call.answer(answer.to_json(), text)
    return DONE


def inject(
    call: Call,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The role.")] = None,
    *,
    budget: Annotated[int, typer.Option("--budget", min=1, help="At most about so many tokens.")] = 2000,
    query: Annotated[str, typer.Option("--query", help="What the work is about: hits for it come second.")] = "",
    role: Role = None,
    roles: RolesDir = None,
) -> int:
    """Print what an agent's prompt gets of a role, within a budget, framed as data."""
    return actions.inject(_open(call, name or role, roles), call.json, budget, query)


def roles_(call: Call, *, roles: RolesDir = None) -> int:
    """List the roles."""
    from memtend.workspace.roles import Roles

    found = Roles.open(roles, os.environ)
    names = found.names()
    call.answer({"root": str(found.root), "roles": list(names)}, "\n".join(names))
    return DONE if names else FOUND_SOMETHING


def create(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, '.', '_' and '-'.")],
    *,
    roles: RolesDir = None,
) -> int:
    """Make a role that remembers nothing yet. What is there stays as it is."""
    from memtend.workspace.roles import Roles

    workspace, receipt = Roles.open(roles, os.environ).create(name)
    document = {
        "role": workspace.name,
        "root": str(workspace.root),
        "paths": list(receipt.paths),
        "receipt": receipt.id,
    }
    text = (
        f"Made the role {workspace.name} at {workspace.root}."
        if receipt.paths
        else f"{workspace.name} is there already."
    )
    call.answer(document, text)
    return DONE


def files(call: Call, *, role: Role = None, roles: RolesDir = None) -> int:
    """List the files of a role's folder."""
    found = _open(call, role, roles).files()
    call.answer({"files": list(found)}, "\n".join(f"{file['size_bytes']:>8}  {file['path']}" for file in found))
    return DONE if found else FOUND_SOMETHING


def read(
    call: Call,
    path: Annotated[str, typer.Argument(metavar="PATH", help="From the role's folder: core/identity.md.")],
    *,
    role: Role = None,
    roles: RolesDir = None,
) -> int:
    """Print a file of a role's folder. With --json its digest too, to write it back against."""
    answer = _open(call, role, roles).read(path)
    call.answer(answer.to_json(), answer.text.removesuffix("\n"))
    return DONE


def write(
    call: Call,
    path: Annotated[str, typer.Argument(metavar="PATH", help="From the role's folder: core/identity.md.")],
    *,
    text: Annotated[str, typer.Option("--text", "-t", help="The whole text; - reads it from stdin.")] = "-",
    expected: Annotated[
        str | None, typer.Option("--expected", metavar="DIGEST", help="Refuse unless the file is as it was read.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Allow a memory file to lose many entries.")] = False,
    role: Role = None,
    roles: RolesDir = None,
    commit: Commit = False,
    allow_secrets: AllowSecrets = False,
) -> int:
    """Write a whole file of a role's folder. Memory files go through the parser."""
    given = sys.stdin.read() if text == "-" else text
    workspace = _open(call, role, roles, commit=commit, allow_secrets=allow_secrets)
    answer = workspace.write(path, given, expected=expected, force=force)
    call.answer(answer.to_json(), render.written(answer))
    return FOUND_SOMETHING if answer.issues else DONE


def log(call: Call, *, role: Role = None, roles: RolesDir = None) -> int:
    """Show what was done in a role, oldest first."""
    receipts = _open(call, role, roles).log()
    lines = [
        f"{one.id}  {one.at[:16].replace('T', ' ')}  {one.note}"
        + (f"  (undone by {one.undone_by})" if one.undone_by else "")
        for one in receipts
    ]
    call.answer({"receipts": [one.to_json() for one in receipts]}, "\n".join(lines), paged=True)
    return DONE if receipts else FOUND_SOMETHING


def undo(
    call: Call,
    receipt_id: Annotated[str | None, typer.Argument(metavar="RECEIPT", help="From `role log`; the latest.")] = None,
    *,
    role: Role = None,
    roles: RolesDir = None,
    commit: Commit = False,
) -> int:
    """Take back what was done in a role, to the byte."""
    with unbroken():
        receipt = _open(call, role, roles, commit=commit).undo(receipt_id)
    document = {"receipt": receipt.id, "undone": receipt.undoes, "paths": list(receipt.paths)}
    call.answer(document, f"Took back {receipt.undoes}: {', '.join(receipt.paths)}. Receipt {receipt.id}.")
    return DONE


def migrate(
    call: Call, *, role: Role = None, roles: RolesDir = None, plain: Plain = False, commit: Commit = False
) -> int:
    """Take over a MEMORY.md and dated journals of an older layout; what was there is kept in memory/archive."""
    answer = _open(call, role, roles, plain=plain, commit=commit).migrate()
    call.answer(answer.to_json(), render.migrated(answer))
    return DONE if answer.taken else FOUND_SOMETHING


_ACTIONS: tuple[tuple[str, Callable[..., int], tuple[str, ...]], ...] = (
    ("list", list_, ("memtend role list --role zero", "memtend role list --json")),
    ("search", search, ("memtend role search guard clauses --role zero", "memtend role search cache --no-reinforce")),
    ("add_learning", add_learning, ('memtend role add_learning "Run the tests before you say done"',)),
    ("add_preference", add_preference, ('memtend role add_preference "Answer in English" --category Communication',)),
    ("update_learning", update_learning, ('memtend role update_learning 0c5598bb85 "Use guard clauses early"',)),
    ("update_preference", update_preference, ('memtend role update_preference tabs "use spaces" --category Code',)),
    ("delete_learning", delete_learning, ("memtend role delete_learning 0c5598bb85",)),
    ("delete_preference", delete_preference, ("memtend role delete_preference 2bb5523a80 --yes",)),
    ("reinforce", reinforce, ("memtend role reinforce 0c5598bb85",)),
    ("promote", promote, ("memtend role promote f20191b7e5",)),
    ("discard", discard, ("memtend role discard f20191b7e5",)),
    ("expire", expire, ("memtend role expire",)),
    ("consolidate", consolidate, ("memtend role consolidate", "memtend role consolidate --dry-run")),
    ("repair", repair, ("memtend role repair",)),
    (
        "tidy",
        tidy,
        ("memtend role tidy", "memtend role tidy --plan plan.json", "memtend role tidy --apply plan.json --yes"),
    ),
    ("extract", extract, ("memtend role extract session.jsonl",)),
    ("organize", organize, ("memtend role organize", "memtend role organize --due")),
    ("inject", inject, ('memtend role inject zero --budget 800 --query "caching"',)),
    ("roles", roles_, ("memtend role roles",)),
    ("create", create, ("memtend role create zero",)),
    ("files", files, ("memtend role files --role zero",)),
    ("read", read, ("memtend role read core/identity.md --role zero",)),
    ("write", write, ("memtend role write core/identity.md --role zero < identity.md",)),
    ("log", log, ("memtend role log",)),
    ("undo", undo, ("memtend role undo",)),
    ("migrate", migrate, ("memtend role migrate",)),
)

COMMANDS = tuple(Command(name, run, examples, "role") for name, run, examples in _ACTIONS)
