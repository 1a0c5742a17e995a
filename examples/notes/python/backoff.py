"""How long to wait before the next attempt."""

import random
from collections.abc import Iterator


def delays(attempts: int = 3, first_seconds: float = 0.2, jitter_seconds: float = 0.1) -> Iterator[float]:
    """Yield the pause before each retry: doubled every time, with jitter so that clients spread out."""
    pause = first_seconds
    for _ in range(attempts):
        yield pause + random.uniform(0, jitter_seconds)
        pause *= 2


def is_worth_retrying(method: str, status: int) -> bool:
    """Whether a failed request may be sent again without doing something twice."""
    if method not in {"GET", "HEAD", "PUT", "DELETE"}:
        return False
    return status == 429 or status >= 500
