"""category: decisions, patterns, sessions … compacted, archived and restored without losing one."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memtend.cli import category_deciding as deciding
from memtend.cli import category_render as render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, unbroken
from memtend.cli.fast import instead_of_spelling
from memtend.cli.parameter import Argument, Option
from memtend.cli.screen import typed
from memtend.errors import Usage

if TYPE_CHECKING:
    from memtend.workspace.category.categories import CategoryWorkspace

Root = Annotated[
    str | None,
    Option("--root", metavar="DIR", help="The memory; else the nearest contexts/memory with an index.md."),
]
Commit = Annotated[bool, Option("--commit", help="Commit the change alone, where the memory is in a git repository.")]
OneCategory = Annotated[str, Option("--category", metavar="NAME", help="Only this category.")]
Tags = Annotated[
    list[str] | None,
    Option("--tags", "--tag", metavar="NAME", help="Only files with one of these tags; parted by commas."),
]
HeadingMarkers = Annotated[bool, Option("--heading-markers", help="Accept a RETRACTED that stands only in a heading.")]
Move = Annotated[
    bool, Option("--move", help="Move archived decision files instead of leaving pointers to the archive.")
]
PlanFile = Annotated[Path | None, Option("--plan", metavar="FILE", help="Save the plan there and stop.")]
ApplyFile = Annotated[Path | None, Option("--apply", metavar="FILE", help="Take this plan instead of making one.")]


def _open(root: str | None, *, commit: bool = False) -> "CategoryWorkspace":
    import os

    from memtend.workspace.category.categories import CategoryWorkspace

    options = {"commit": commit, "session": os.environ.get("MEMTEND_SESSION", ""), "notice": Call().tell_commit}
    return CategoryWorkspace.open(root, Path.cwd(), **options)


def _names(given: list[str] | None) -> tuple[str, ...]:
    return tuple(name for each in given or () for name in (part.strip() for part in each.split(",")) if name)


def create(
    call: Call,
    folder: Annotated[str, Argument(metavar="DIR", help="Where; contexts/memory.")] = "contexts/memory",
) -> int:
    """Make a category memory that remembers nothing yet. What is there stays as it is."""
    from memtend.workspace.category.categories import CategoryWorkspace

    root = Path.cwd() / folder
    workspace, receipt = CategoryWorkspace.create(root, dry_run=call.dry_run)
    document = {"root": str(workspace.root), "paths": list(receipt.paths), "receipt": receipt.id}
    made = "Would make" if call.dry_run else "Made"
    is_new = bool(receipt.paths)
    text = f"{made} a category memory at {folder}" if is_new else f"There is a category memory at {folder} already"
    call.answer(document, text)
    return DONE


def list_(
    call: Call,
    category: Annotated[str, Argument(metavar="CATEGORY", help="Its files too.")] = "",
    *,
    root: Root = None,
) -> int:
    """List the categories: files, entries, tokens, what could be compacted; and the archives."""
    answer = _open(root).list(category)
    call.answer(answer.to_json(), render.listed(answer))
    is_empty = not answer.categories and not answer.archives
    if is_empty:
        call.say("Nothing is in this memory yet. `memtend category add` adds a first entry.")
    return FOUND_SOMETHING if is_empty else DONE


def search(
    call: Call,
    query: Annotated[list[str] | None, Argument(metavar="WORDS", help="What to look for.")] = None,
    *,
    category: OneCategory = "",
    tags: Tags = None,
    since: Annotated[str, Option("--since", metavar="DATE", help="Only what is as new, 2026-06-30.")] = "",
    neighbours: Annotated[
        str, Option("--neighbours", metavar="ID", help="What names this entry, what it names, what is like it.")
    ] = "",
    archived: Annotated[bool, Option("--archived", help="Look into the archives too.")] = False,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", min=1, help="At most so many hits.")] = 10,
    root: Root = None,
) -> int:
    """Find entries by their text, their metadata, or as the neighbours of one id."""
    answer = _open(root).search(
        " ".join(query or ()),
        category=category,
        tags=_names(tags),
        since=since,
        neighbours=neighbours,
        archived=archived,
        limit=limit,
    )
    if answer.looked_for:
        call.say(instead_of_spelling(answer.looked_for))
    call.answer(answer.to_json(), render.found(answer))
    if not answer.hits:
        call.say("Nothing answers that.")
    return DONE if answer.hits else FOUND_SOMETHING


def check(call: Call, *, root: Root = None) -> int:
    """Compare index and files, look at markers, links, sizes and archives. Status 1 when something is wrong."""
    from dataclasses import asdict

    found = _open(root).check()
    call.answer(
        {"findings": [asdict(each) for each in found]}, render.problems(found) or "Everything is as it should be."
    )
    return FOUND_SOMETHING if found else DONE


def sync(call: Call, *, root: Root = None, commit: Commit = False) -> int:
    """Add rows for files that the index lacks. Rows without a file are named and never deleted."""
    answer = _open(root, commit=commit).sync(dry_run=call.dry_run)
    call.answer(answer.to_json(), render.done(answer))
    return FOUND_SOMETHING if answer.left else DONE


def add(
    call: Call,
    text: Annotated[list[str], Argument(metavar="TEXT", help="The text; - reads it from stdin.")],
    *,
    category: Annotated[str, Option("--category", metavar="NAME", help="Where it belongs.")],
    title: Annotated[str, Option("--title", "-t", metavar="TEXT", help="Its heading.")],
    tags: Annotated[list[str] | None, Option("--tags", "--tag", metavar="NAME", help="Tags, parted by commas.")] = None,
    to: Annotated[str, Option("--to", metavar="PATH", help="The file it goes into; else a new one.")] = "",
    purpose: Annotated[str, Option("--purpose", metavar="TEXT", help="What a new category is for.")] = "",
    force: Annotated[bool, Option("--force", help="Add a copy of what is there all the same.")] = False,
    allow_secrets: Annotated[
        bool, Option("--allow-secrets", help="Store a text that looks like it holds a key or password.")
    ] = False,
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Add an entry, after a look at what is there.

    A decision gets the next id and a file of its own. A new category is registered before its first file. What says
    nearly the same, or contradicts it, is shown; a copy is refused.
    """
    given = typed() if text == ["-"] else " ".join(text)
    workspace = _open(root, commit=commit)
    answer = workspace.add(
        category,
        title,
        given,
        tags=_names(tags),
        to=to,
        purpose=purpose,
        force=force,
        allow_secrets=allow_secrets,
        dry_run=call.dry_run,
    )
    call.answer(answer.to_json(), render.done(answer))
    return DONE


def compact(
    call: Call,
    *,
    category: OneCategory = "",
    tags: Tags = None,
    task: Annotated[str, Option("--task", metavar="TEXT", help="Current work: what it names goes first.")] = "",
    pressure: Annotated[bool, Option("--pressure", help="Only the single largest category.")] = False,
    heading_markers: HeadingMarkers = False,
    move: Move = False,
    diff: Annotated[bool, Option("--diff", help="Show what would change, line by line.")] = False,
    plan_file: PlanFile = None,
    apply_file: ApplyFile = None,
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Summarise and archive: sessions, and of everything else only what carries a marker.

    Shows what would be done, and does it after a yes; --yes gives it in advance. Nine checks must hold, or nothing is
    written. Without a terminal and without --yes the plan is printed and the status is 3.
    """
    workspace = _open(root, commit=commit)
    if apply_file is not None:
        from memtend.workspace.category.answers import load_plan

        if any((category, tags, task, pressure, heading_markers, move)):
            raise Usage("a saved plan says itself what goes", hint="Leave --category and the like out, or plan anew.")
        plan = load_plan(apply_file)
    else:
        with call.busy("Compacting …"):
            plan = workspace.plan_compact(
                category,
                tags=_names(tags),
                task=task,
                pressure=pressure,
                heading_markers=heading_markers,
                move=move,
            )
    if plan_file is not None:
        plan.save(plan_file)
    return deciding.decide(call, workspace, plan, stops=plan_file is not None, with_diff=diff)


def refresh(
    call: Call,
    *,
    hours: Annotated[int, Option("--hours", metavar="N", min=0, help="Sessions older than this.")] = 48,
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Compact the sessions older than 48 hours: the scheduled form of compact."""
    workspace = _open(root, commit=commit)
    return deciding.decide(call, workspace, workspace.plan_refresh(hours))


def split(
    call: Call,
    path: Annotated[str, Argument(metavar="PATH", help="Only this file.")] = "",
    *,
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Split durable files of more than 400 lines by domain: whole sections move, no text changes."""
    workspace = _open(root, commit=commit)
    return deciding.decide(call, workspace, workspace.plan_split(path))


def restore(
    call: Call,
    archive: Annotated[str, Argument(metavar="ARCHIVE", help="Its path, name or id.")],
    *,
    keep: Annotated[bool, Option("--keep", help="Let the archive and the summary stay.")] = False,
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Give back what an archive holds: the very tree, where nothing has changed since.

    The archive goes when all of it is back; `undo` brings it again.
    """
    workspace = _open(root, commit=commit)
    plan = workspace.plan_restore(archive, keep=keep)
    if call.dry_run:
        call.answer(plan.to_json(), render.plan(plan))
        return DONE
    return deciding.apply(call, workspace, plan, deciding.everything(plan))


def forget(
    call: Call,
    target: Annotated[str, Argument(metavar="ENTRY", help="Address, id, or the start of its hash.")] = "",
    *,
    text: Annotated[str, Option("--text", metavar="TEXT", help="Everything that holds this text.")] = "",
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Erase what a person asks to be forgotten, from files, archives, summaries and the journal. Cannot be undone.

    A record without content stays in the archive. What git has committed stays in its history.
    """
    workspace = _open(root, commit=commit)
    return deciding.decide(call, workspace, workspace.plan_forget(target, text=text))


def log(call: Call, *, root: Root = None) -> int:
    """Show what was done, oldest first."""
    return call.tell_log(_open(root).log())


def undo(
    call: Call,
    receipt_id: Annotated[str | None, Argument(metavar="RECEIPT", help="From `category log`; the latest.")] = None,
    *,
    root: Root = None,
    commit: Commit = False,
) -> int:
    """Take back what was done, to the byte."""
    workspace = _open(root, commit=commit)
    if call.dry_run:
        return deciding.would_undo(call, workspace, receipt_id)
    with unbroken():
        receipt = workspace.undo(receipt_id)
    document = {"receipt": receipt.id, "undone": receipt.undoes, "paths": list(receipt.paths)}
    call.answer(document, f"Took back {receipt.undoes}: {', '.join(receipt.paths)}. Receipt {receipt.id}.")
    return DONE


_ACTIONS: tuple[tuple[str, Callable[..., int], tuple[str, ...]], ...] = (
    ("create", create, ("memtend category create", "memtend category create .gaai/contexts/memory")),
    ("list", list_, ("memtend category list", "memtend category list sessions --json")),
    (
        "search",
        search,
        (
            "memtend category search booking calendar",
            "memtend category search --neighbours DEC-41",
            "memtend category search --category patterns --since 2026-06-01",
        ),
    ),
    ("check", check, ("memtend category check",)),
    ("sync", sync, ("memtend category sync",)),
    (
        "add",
        add,
        (
            'memtend category add "Use SQLite for the index." --category decisions --title "SQLite for the index"',
            "memtend category add - --category patterns --title Errors --to patterns/conventions.md < text.md",
        ),
    ),
    (
        "compact",
        compact,
        (
            "memtend category compact",
            "memtend category compact --category sessions --dry-run --diff",
            "memtend category compact --pressure --yes",
        ),
    ),
    ("refresh", refresh, ("memtend category refresh --yes",)),
    ("split", split, ("memtend category split", "memtend category split decisions/_log.md --yes")),
    ("restore", restore, ("memtend category restore sessions-2026-06-30",)),
    (
        "forget",
        forget,
        ("memtend category forget contacts/leads.md#ada", 'memtend category forget --text "Ada Example"'),
    ),
    ("log", log, ("memtend category log",)),
    ("undo", undo, ("memtend category undo",)),
)

COMMANDS = tuple(Command(name, run, examples, "category") for name, run, examples in _ACTIONS)
