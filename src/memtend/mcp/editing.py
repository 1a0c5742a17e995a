"""What a role remembers, changed after a yes: an entry, or whole files; each change is one proposal.

A change to an entry stands on what that entry says, so a use that is counted meanwhile is in nobody's way. A change to
files is worked out on a copy and shown as a diff; what is then written are those bytes, where the files are still the
ones that were read.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtend.mcp import asking
from memtend.mcp.answers import NOTICE, Answer, Outcome, in_pages
from memtend.mcp.arguments import Arguments
from memtend.mcp.desk import Desk
from memtend.memory import Digest, MemoryId, digest_of

if TYPE_CHECKING:
    from memtend.layouts.role.ids import Kind
    from memtend.workspace.role.answers import Entry
    from memtend.workspace.role.roles import RoleWorkspace

Action = Callable[["RoleWorkspace", Arguments], Any]

_NOTHING_TO_DO = ("duplicate", "unchanged")
_LONG = 400
"""Characters of an old and a new text that stand in one line; longer ones are shown as lines."""


def answered(role: str, action: str, answer: Any, offset: int = 0) -> Answer:
    """What an action of a role answers."""
    return Answer({"notice": NOTICE, "role": role, "action": action, **in_pages(answer.to_json(), offset)})


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to one entry of a role; an addition is `about` none."""

    desk: Desk
    role: str
    action: Action
    given: Arguments
    about: "Entry | None" = None

    def ask(self) -> Outcome:
        """Ask about it. A candidate is written at once, and where there is nothing to do that is the answer."""
        would = self._done(dry_run=True)
        name = str(self.given["action"])
        if would.status == "pending":
            return answered(self.role, name, self._done())
        if would.status in _NOTHING_TO_DO:
            return answered(self.role, name, would)
        told = {"role": self.role, "action": name}
        summary, diff = _told(would, self.about)
        payload = {**told, **would.to_json(), "tags": list(self.given["tags"]), "diff": diff}
        payload["source"] = self.given["source"] or ""
        id = self.about.id if self.about else would.id
        proposal = asking.one_change("memory", id, summary, payload, digests=self._relies_on)
        return asking.ask_once(self.desk, proposal, lambda: answered(self.role, name, self._done()), told)

    @property
    def _relies_on(self) -> dict[MemoryId, Digest]:
        return {self.about.id: self.about.digest} if self.about else {}

    def _done(self, *, dry_run: bool = False) -> Any:
        role = self.desk.role(self.role, relies_on=self._relies_on, dry_run=dry_run)
        return self.action(role, {**self.given, "id": self.about.id} if self.about else self.given)


def edit(desk: Desk, given: Arguments, action: Action, needle: str = "", kind: "Kind | None" = None) -> Outcome:
    """Ask about an action on the entry of a kind that a needle means, or about an addition. Raises UnknownMemory."""
    role = desk.role(given["role"])
    about = role.state().find(needle, kind) if kind is not None else None
    return Edit(desk, role.name, action, given, about).ask()


def _told(would: Any, about: "Entry | None") -> tuple[str, str]:
    """What a change to an entry comes to, in a line, and as lines where that would be long."""
    if would.status == "created":
        return f"add {would.kind}{_home(would.category)}: {would.text}", ""
    assert about is not None
    if would.status == "deleted":
        return f"delete {would.kind}{_home(would.category)}: {about.content}", ""
    if would.status in ("promoted", "discarded"):
        what = f"promote to a {would.kind}" if would.status == "promoted" else "discard the candidate"
        return f"{what}: {would.text}", ""
    what = f"update {would.kind}{_home(about.category)}"
    what += f" → [{would.category}]" if would.category != about.category else ""
    if len(about.text) + len(would.text) <= _LONG:
        return f"{what}: {about.text} → {would.text}", ""
    return what, f"-{about.text}\n+{would.text}"


def _home(category: str) -> str:
    return f" [{category}]" if category else ""


def files(
    desk: Desk,
    role: "RoleWorkspace",
    action: str,
    do: "Callable[[RoleWorkspace], Any]",
    summary: Callable[[Any], str],
    *,
    path: str = "",
) -> Outcome:
    """Ask about an action that changes files of a role as a whole, or the one at a path.

    `summary` says what its answer comes to.
    """
    rehearsed = role.rehearse(do, (path,))
    edits = rehearsed.change_set.edits
    told = {"role": role.name, "action": action}

    def done(receipt: str) -> Answer:
        answer = rehearsed.answer
        made = answer.with_receipt(receipt) if hasattr(answer, "with_receipt") else answer._replace(receipt=receipt)
        return Answer({"status": "completed", **answered(role.name, action, made).document})

    if not edits:
        return done("")
    after = {edit.path: None if edit.after is None else digest_of(edit.after) for edit in edits}
    payload = {**told, "diff": rehearsed.diff, "after": after}
    digests = {MemoryId(edit.path): edit.before or Digest("") for edit in edits}
    proposal = asking.one_change("files", action, summary(rehearsed.answer), payload, digests=digests)
    return asking.ask_once(desk, proposal, lambda: done(desk.role(role.name).apply(rehearsed.change_set)), told)
