"""Every known kind of fault has a test that carries its id, and the table of them is the one of now."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("cases", ROOT / "tools" / "cases.py")
assert spec is not None and spec.loader is not None
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)

MISSING: tuple[str, ...] = ()
"""Kinds that only parts not built yet can meet. It may only shrink: one that has a test must go from here."""


@pytest.mark.parametrize("id", [id for id in cases.kinds() if id not in MISSING])
def test_every_known_kind_of_fault_has_a_test(id: str):
    assert cases.tests().get(id), f"{id} ({cases.kinds()[id]}) has no test"


def test_what_is_listed_as_missing_is_missing():
    assert [id for id in MISSING if cases.tests().get(id)] == []
    assert set(MISSING) <= set(cases.kinds())


def test_no_test_carries_an_id_that_is_none():
    assert set(cases.tests()) <= set(cases.kinds())


def test_the_list_is_whole():
    assert len(cases.kinds()) == 74


def test_the_table_of_the_readme_is_the_one_of_now():
    assert cases.page() == cases.README.read_text(encoding="utf-8"), "run `make docs`"


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("test_o_fm_05_a_block", {"O-FM-05"}),
        ("test_o_dm_01_02_03_what", {"O-DM-01", "O-DM-02", "O-DM-03"}),
        ("test_o_fs_02_and_03_links", {"O-FS-02", "O-FS-03"}),
        ("test_o_cc_01_and_o_cc_02_processes", {"O-CC-01", "O-CC-02"}),
        ("test_o_mc_02_text_is_utf_8", {"O-MC-02"}),
        ("test_no_id_at_all", set()),
    ],
)
def test_a_name_carries_its_ids(name: str, ids: set[str]):
    assert cases.ids_in(name) == ids
