"""The one place that asks for the time. `MEMTEND_NOW` sets it: a date, or a full timestamp."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from memtend.errors import UnusableInput

Clock = Callable[[], datetime]
"""What says what time it is."""


def now_of(environ: Mapping[str, str] = os.environ) -> datetime:
    """The present, in UTC, to the second. Raises UnusableInput for a MEMTEND_NOW that is no time."""
    given = environ.get("MEMTEND_NOW", "").strip()
    if not given:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as fault:
        raise UnusableInput(
            f"MEMTEND_NOW={given} is no time", hint="Give a date such as 2026-06-30 or a timestamp in ISO 8601."
        ) from fault
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
