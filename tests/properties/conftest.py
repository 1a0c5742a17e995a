"""`MEMTEND_LAWS=10` looks at ten times as many examples of every law (`make laws`)."""

import os

import pytest
from hypothesis import settings

_TIMES = "MEMTEND_LAWS"
_SETTINGS = "_hypothesis_internal_use_settings"
"""Where Hypothesis keeps what `@settings` gave a test: a profile does not reach tests that say how much they want."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    times = int(os.environ.get(_TIMES, "1"))
    for item in items:
        given = getattr(getattr(item, "obj", None), _SETTINGS, None)
        if times > 1 and given is not None:
            setattr(item.obj, _SETTINGS, settings(given, max_examples=given.max_examples * times))
