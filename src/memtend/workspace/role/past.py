"""How a role begins, and how what was done in it is taken back."""

from typing import TYPE_CHECKING

from memtend.errors import NotFound
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
        target = _target(role.store.log(), receipt_id)
        return Receipt(id="", at=stamp(role.now), note=f"undo of {target.id}", paths=target.paths, undoes=target.id)
    receipt = role.store.undo(receipt_id, now=role.now, session=role.session, commit=role.commit)
    if role.notice is not None:
        role.notice(receipt)
    return receipt


def _target(receipts: tuple[Receipt, ...], receipt_id: str | None) -> Receipt:
    """What an undo would take back. Raises NotFound."""
    wanted = [one for one in receipts if (one.id == receipt_id if receipt_id else not one.undoes)]
    standing = [one for one in wanted if not one.undone_by]
    if not standing:
        what = f"There is no receipt {receipt_id} that stands" if receipt_id else "There is nothing to undo"
        raise NotFound(what, hint="`memtend role log` shows what was done.")
    return standing[-1]
