"""Taking back what was written, after a yes: of the vault, of a role, of a category memory."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memtend.errors import StaleDecision
from memtend.mcp import asking
from memtend.mcp.answers import Answer, Outcome
from memtend.mcp.desk import Desk

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt

_SHOWN = 50

Look = Callable[[str | None], "Receipt"]
"""The receipt that an undo would take back, by its name or the latest. Raises NotFound, LaterChange, Refused."""


def ask(
    desk: Desk, given: str | None, look: Look, undo: Callable[[str], "Receipt"], about: Mapping[str, Any] | None = None
) -> Outcome:
    """Ask about taking back a receipt, or the latest; what came after it meanwhile is never taken in its place."""
    told = dict(about or {})
    receipt = look(given)

    def do() -> Answer:
        there = look(given)
        if there.id != receipt.id:
            raise StaleDecision(
                f"{receipt.id} is not the latest any more, {there.id} is: {there.note}",
                hint=f"Nothing was written. Call undo again, or name {receipt.id}.",
            )
        done = undo(receipt.id)
        paths = list(done.paths)[:_SHOWN]
        return Answer({"status": "completed", **told, "receipt": done.id, "undone": done.undoes, "paths": paths})

    payload = {**told, "at": receipt.at, "paths": list(receipt.paths)}
    proposal = asking.one_change("undo", receipt.id, f"take back: {receipt.note}", payload)
    return asking.ask_once(desk, proposal, do, {**told, "undone": receipt.id})
