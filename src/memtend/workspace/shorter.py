"""What was recalled, again, where it is longer than whoever asked takes whole.

A budget counts tokens as the vault's layout does, by words. A text of long words, addresses or code has several times
as many characters as a budget of its tokens suggests, and agents cut by characters: they keep a beginning, and the
rest in a file that nobody reads.
"""

from memtend.search.recall import Recalled, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.workspace import Vault


def shorter(vault: "Vault", text: str, found: Recalled, most_bytes: int, budget: int | None = None) -> Recalled:
    """What `vault.recall(text, budget)` found, with so much less of it that its context has `most_bytes`.

    The uses are counted already. Empty where not even the beginning of one memory fits.
    """
    budget = vault.settings.number("recall_budget") if budget is None else budget
    most = max(1, len(found.hits))
    while (size := size_bytes(found)) > most_bytes:
        budget = min(budget - 1, budget * most_bytes // size)
        if budget < 1:
            return Recalled()
        found = recall(vault.index(), text, budget, most)
    return found


def size_bytes(found: Recalled) -> int:
    """How long a context is; no count of its characters is larger."""
    return len(found.context.encode("utf-8", "replace"))
