"""log and undo: what was done, and taking it back."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from memtend.cli import render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, unbroken
from memtend.cli.faults import unconfirmed
from memtend.cli.parameter import Argument, Option
from memtend.errors import Cancelled, Usage

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt


_NAMED = 3


def log(
    call: Call,
    *,
    all_: Annotated[bool, Option("--all", help="Upkeep too: usage counts and derived pages.")] = False,
    prune: Annotated[bool, Option("--prune", help="Erase what the journal keeps for undo, for good.")] = False,
    before: Annotated[
        str | None, Option("--before", metavar="DATE", help="With --prune: only what was done before that day.")
    ] = None,
) -> int:
    """List what was done, newest last.

    With --prune, what is kept for undo is erased: all of it, or what is older than a day; that cannot be undone.
    """
    if prune:
        return _prune(call, None if before is None else _day(before))
    if before is not None:
        raise Usage("--before goes with --prune", hint="`memtend log` lists everything that was done.")
    receipts = call.workspace().log(with_bookkeeping=all_)
    rows = [(receipt.id, _when(receipt), _what(receipt), _standing(receipt)) for receipt in receipts]
    text = render.table(rows, ("receipt", "when", "what", "")) if rows else ""
    call.answer({"receipts": [receipt.to_json() for receipt in receipts]}, text, paged=True)
    if not rows:
        call.say("Nothing was done yet.")
    return DONE if rows else FOUND_SOMETHING


def _day(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as fault:
        raise Usage(f"--before {text or '(empty)'} is no date", hint="Give a date such as 2026-06-30.") from fault
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _prune(call: Call, before: datetime | None) -> int:
    workspace = call.workspace()
    receipts = workspace.log(with_bookkeeping=True)
    going = [r for r in receipts if before is None or datetime.fromisoformat(r.at) < before]
    told = f"{render.counted(len(going), 'receipt')} and what only they keep for undo"
    if not going or call.dry_run:
        call.answer(
            {"pruned": 0, "receipts": [receipt.id for receipt in going]}, f"Would erase {told}" if going else ""
        )
        if not going:
            call.say("There is nothing to erase.")
        return DONE if going else FOUND_SOMETHING
    if not call.yes:
        prompter = call.prompter()
        if prompter is None:
            raise unconfirmed(f"{told} would be erased for good", hint="Add --yes when it is meant.")
        if not prompter.confirm(f"Erase {told}, for good?", default=False):
            raise Cancelled("Nothing was erased.")
    with unbroken():
        pruned = workspace.prune(before)
    document = {"pruned": pruned.records, "images": pruned.images}
    call.answer(document, f"Erased {render.counted(pruned.records, 'receipt')}, {pruned.images} file contents.")
    return DONE


def _when(receipt: "Receipt") -> str:
    return receipt.at.replace("T", " ")[:16]


def _what(receipt: "Receipt") -> str:
    """What was done to which memories, the first few by name."""
    if receipt.undoes:
        return f"undo of {receipt.undoes}"
    done = ", ".join(f"{verb} {count}" for verb, count in receipt.verbs.items())
    named = ", ".join(receipt.memory_ids[:_NAMED]) + (", …" if len(receipt.memory_ids) > _NAMED else "")
    return f"{done}: {named}" if done and named else receipt.note


def _standing(receipt: "Receipt") -> str:
    if receipt.undone_by:
        return "undone"
    return "cannot be undone" if receipt.is_erased else ""


def complete_receipt(ctx: Any, incomplete: str) -> list[str]:
    """Receipts that begin like this, newest first, for the shell."""
    from memtend.errors import MemtendError

    try:
        receipts = Call(vault=ctx.params.get("vault")).workspace().log()
    except (MemtendError, OSError):
        return []
    return [receipt.id for receipt in reversed(receipts) if receipt.id.startswith(incomplete)]


def undo(
    call: Call,
    *,
    receipt_id: Annotated[
        str | None,
        Argument(
            metavar="RECEIPT", help="From `memtend log`; the latest unless given.", autocompletion=complete_receipt
        ),
    ] = None,
    no_commit: Annotated[bool, Option("--no-commit", help="Make no git commit afterwards.")] = False,
) -> int:
    """Take back what was done, to the byte.

    Refused where a later change would be lost with it. An undo can be undone: name its receipt. What `memtend forget`
    erased stays erased; an earlier receipt is then named and not taken in its place.
    """
    workspace = call.workspace()
    if call.dry_run:
        return _would_undo(call, workspace.plan_undo(receipt_id))
    with unbroken():
        receipt = workspace.undo(receipt_id, commit=False if no_commit else None)
    document = {"receipt": receipt.id, "undone": receipt.undoes, "paths": list(receipt.paths)}
    text = f"Took back {receipt.undoes} ({render.counted(len(receipt.paths), 'file')}). Receipt {receipt.id}."
    call.answer(document, text)
    call.tell_receipt(receipt)
    return DONE


def _would_undo(call: Call, receipt: "Receipt") -> int:
    """Say what an undo would take back. That nobody has changed the files since is only looked at by the undo."""
    text = f"Would take back {receipt.id}: {_what(receipt)}\n{render.indented(receipt.paths)}"
    call.answer({"receipt": None, "undone": receipt.id, "paths": list(receipt.paths)}, text)
    return DONE


COMMANDS = (
    Command("log", log, ("memtend log", "memtend log --json", "memtend log --prune --before 2026-01-01")),
    Command("undo", undo, ("memtend undo", "memtend undo RECEIPT", "memtend undo --dry-run")),
)
