"""The category layout: the contract, and what reading a file has to give."""

from dataclasses import replace

import pytest
from category_case import CASE
from contract import LAWS, Law, name_of

from memtend.layouts.category import CategoryLayout

SYNCED = replace(CASE, layout=CategoryLayout(syncs=True))


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_the_category_layout_keeps_the_contract(law: Law) -> None:
    law(CASE)


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_the_layout_that_syncs_the_index_keeps_the_contract(law: Law) -> None:
    law(SYNCED)
