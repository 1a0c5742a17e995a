"""Where a vault may be made, and how one that is not there is named."""

from pathlib import Path

import pytest

from memtend.errors import NotFound, Refused, UnusableInput
from memtend.workspace import Workspace


@pytest.mark.parametrize("inside", ["10-Memories", "10-Memories/.memory", "sub", "00-Inbox/deep/.memory"])
def test_no_vault_is_made_inside_another_one(tmp_path: Path, inside: str) -> None:
    outer = tmp_path / ".memory"
    Workspace.create(str(outer), environ={})
    before = sorted(outer.rglob("*"))
    with pytest.raises(Refused, match="lies in the vault"):
        Workspace.create(str(outer / inside), environ={})
    assert sorted(outer.rglob("*")) == before


def test_a_project_below_a_project_gets_its_own_vault(tmp_path: Path) -> None:
    Workspace.create(str(tmp_path / ".memory"), environ={})
    inner, receipt = Workspace.create(str(tmp_path / "part/.memory"), environ={})
    assert receipt.paths
    assert inner.root == str(tmp_path / "part/.memory")


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_folder_is_said_to_be_none(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "taken"
    if kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UnusableInput, match="is no folder"):
        Workspace.create(str(place), environ={})


@pytest.mark.parametrize(("named", "typed"), [("a b", "'a b'"), ("-1", "./-1"), ("plain", "plain"), ("$x", "'$x'")])
def test_the_command_that_a_hint_names_can_be_typed(tmp_path: Path, named: str, typed: str) -> None:
    with pytest.raises(NotFound) as raised:
        Workspace.open(named, start=str(tmp_path), environ={})
    assert raised.value.hint == f"`memtend init {typed}` makes one."
