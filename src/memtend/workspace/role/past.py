"""How a role begins, and how what was done in it is taken back."""

from typing import TYPE_CHECKING

from memtend.store.receipt import Receipt
from memtend.store.record import stamp
from memtend.workspace.place import require_folder

if TYPE_CHECKING:
    from memtend.workspace.role.folder import RoleFolder


def create(role: "RoleFolder") -> Receipt:
    """Make a role that remembers nothing yet; what is there stays as it is. Raises UnusableInput."""
    require_folder(str(role.root))
    if role.dry_run:
        return role.store.plan_create(now=role.now)
    role.root.parent.mkdir(parents=True, exist_ok=True)
    return role.store.create(now=role.now, session=role.session)


def undo(role: "RoleFolder", receipt_id: str | None) -> Receipt:
    """Take back a receipt, or the latest that stands. Raises NotFound, LaterChange, ChangedOnDisk."""
    if role.dry_run:
        target = role.store.plan_undo(receipt_id)
        return Receipt(id="", at=stamp(role.now), note=f"undo of {target.id}", paths=target.paths, undoes=target.id)
    receipt = role.store.undo(receipt_id, now=role.now, session=role.session, commit=role.commit)
    if role.notice is not None:
        role.notice(receipt)
    return receipt
