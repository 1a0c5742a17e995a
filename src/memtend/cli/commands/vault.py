"""init, status, check, index: the vault itself."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from memtend.cli import render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, unbroken
from memtend.cli.parameter import Argument, Option
from memtend.errors import Usage
from memtend.settings import DEFAULTS

if TYPE_CHECKING:
    from memtend.layouts import Problem

_OUT_OF_DATE = ("stale-page", "page-stale", "page-missing")
"""Codes of findings about derived pages that `index` writes anew."""
NoCommit = Annotated[bool, Option("--no-commit", help="Make no git commit afterwards.")]


def init(
    call: Call,
    *,
    directory: Annotated[str | None, Argument(metavar="DIR", help="Where; .memory unless given.")] = None,
) -> int:
    """Make a vault. What is there already stays as it is."""
    from memtend.workspace import Workspace

    if directory and call.vault:
        raise Usage("DIR and --vault both say where", hint="Name one folder.")
    folder = directory or call.vault or ".memory"
    if call.dry_run:
        call.answer({"status": "planned", "vault": folder}, f"Would make a vault at {folder}")
        return DONE
    with unbroken():
        workspace, receipt = Workspace.create(folder)
    made = bool(receipt.paths)
    document = {
        "status": "created" if made else "unchanged",
        "vault": workspace.root,
        "receipt": receipt.id,
        "paths": list(receipt.paths),
    }
    call.answer(document, f"Made a vault at {folder}" if made else f"There is a vault at {folder} already")
    return DONE


def status(call: Call) -> int:
    """Say which vault this is and why."""
    workspace = call.workspace()
    memories = workspace.memories(include_retired=True)
    active = [memory for memory in memories if memory.is_active]
    settings = workspace.settings
    changed = {name: settings.origin(name) for name in DEFAULTS if settings.origin(name) != "default"}
    document: dict[str, Any] = {
        "vault": workspace.root,
        "rule": workspace.rule,
        "memories": len(active),
        "retired": len(memories) - len(active),
        "tokens": sum(memory.token_count for memory in active),
        "categories": dict(Counter(memory.category or "none" for memory in active)),
        "settings": changed,
    }
    facts = [
        ("vault", workspace.root),
        ("found by", workspace.rule),
        ("memories", f"{len(active)} in use, {len(memories) - len(active)} retired"),
        ("tokens", str(document["tokens"])),
        ("categories", ", ".join(f"{name} {count}" for name, count in sorted(document["categories"].items()))),
        *((f"{name}", f"set by {origin}") for name, origin in changed.items()),
    ]
    call.answer(document, "\n".join(f"{name:<12}{value}" for name, value in facts if value))
    return DONE


def check(
    call: Call,
    *,
    fix: Annotated[
        bool, Option("--fix", help="First mend interrupted writes, usage counts and derived pages.")
    ] = False,
    no_commit: NoCommit = False,
) -> int:
    """Look for anything wrong with the vault.

    Changes nothing without --fix, which does what `memtend index` does: a write that was interrupted is taken back,
    usage counts and derived pages are brought up to date. What is left after it needs a person. Findings: exit
    status 1.
    """
    workspace = call.workspace()
    receipt = None
    if fix and not call.dry_run:
        with unbroken():
            receipt = workspace.reindex(commit=False if no_commit else None)
    with call.busy("Checking"):
        problems = workspace.check()
    document: dict[str, Any] = {"findings": [_finding(problem) for problem in problems]}
    if receipt is not None:
        document |= {"receipt": receipt.id or None, "paths": list(receipt.paths)}
        call.tell_receipt(receipt)
        call.say(f"Mended {render.counted(len(receipt.paths), 'file')}." if receipt.paths else "Nothing to mend.")
    call.answer(document, _as_lines(problems))
    return FOUND_SOMETHING if problems else DONE


def _finding(problem: "Problem") -> dict[str, Any]:
    finding = {
        "code": problem.code,
        "severity": problem.severity,
        "path": problem.path,
        "message": problem.message,
    }
    return finding | ({"line": problem.line} if problem.line else {})


def _as_lines(problems: Sequence["Problem"]) -> str:
    if not problems:
        return "Nothing is wrong."
    return "\n".join(
        f"{problem.severity}[{problem.code}]: {problem.path}{f':{problem.line}' if problem.line else ''}: "
        f"{problem.message}"
        for problem in problems
    )


def index(
    call: Call,
    *,
    rebuild: Annotated[bool, Option("--rebuild", help="Make the private search index anew first.")] = False,
    no_commit: NoCommit = False,
) -> int:
    """Bring counts and derived pages up to date, and the vectors of an embedder that is set."""
    workspace = call.workspace()
    if call.dry_run:
        stale = sorted({problem.path for problem in workspace.check() if problem.code in _OUT_OF_DATE})
        call.answer({"status": "planned", "paths": stale}, render.indented(stale) or "Everything is up to date.")
        return DONE
    with call.busy("Indexing"), unbroken():
        receipt = workspace.reindex(rebuild=rebuild, commit=False if no_commit else None)
        embedded = workspace.embed()
    paths = list(receipt.paths)
    said = f"Brought up to date:\n{render.indented(paths)}" if paths else ""
    made = f"Made the vectors of {embedded} {'memory' if embedded == 1 else 'memories'}." if embedded else ""
    shown = "\n".join(filter(None, (said, made))) or "Everything is up to date."
    call.answer({"receipt": receipt.id or None, "paths": paths} | ({"embedded": embedded} if made else {}), shown)
    call.tell_receipt(receipt)
    return DONE


COMMANDS = (
    Command("init", init, ("memtend init", "memtend init notes/.memory")),
    Command("status", status, ("memtend status", "memtend status --vault ~/notes/.memory --json")),
    Command("check", check, ("memtend check", "memtend check --fix")),
    Command("index", index, ("memtend index", "memtend index --rebuild")),
)
