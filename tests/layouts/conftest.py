"""The contract's asserts explain themselves like those of a test file."""

import pytest

pytest.register_assert_rewrite("contract")
