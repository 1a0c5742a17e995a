"""Reading a category memory: where it is found, what the list says, what a search gives."""

from pathlib import Path

import pytest
from small_memory import FILES, INDEX, NOW, lay, opened, small, tree_of

from memtend.errors import NotFound, UnknownMemory, Usage
from memtend.search import rank
from memtend.workspace.category.categories import CategoryWorkspace
from memtend.workspace.category.folder import find_root

# --- where the memory is ---------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["contexts/memory", ".gaai/contexts/memory", ".gaai/project/contexts/memory"])
def test_the_memory_is_found_upwards_in_its_usual_places(tmp_path: Path, place: str) -> None:
    lay(tmp_path / place, {"index.md": INDEX})
    deep = tmp_path / "src/deep"
    deep.mkdir(parents=True)
    assert find_root(None, deep) == tmp_path / place
    assert find_root(None, tmp_path / place) == tmp_path / place
    assert find_root(str(tmp_path), deep) == tmp_path / place
    assert find_root("../..", deep) == deep / "../.." / place


def test_an_index_of_another_kind_is_no_memory(tmp_path: Path) -> None:
    lay(tmp_path / "contexts/memory", {"index.md": "---\ntype: other\n---\n"})
    with pytest.raises(NotFound):
        find_root(None, tmp_path)
    assert find_root("contexts/memory", tmp_path) == tmp_path / "contexts/memory"
    with pytest.raises(NotFound):
        find_root("nothing", tmp_path)


def test_a_folder_that_is_gone_is_an_error_and_never_an_empty_memory(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        opened(tmp_path / "gone").list()


def test_a_new_memory_is_laid_down_once_and_is_as_it_should_be(tmp_path: Path) -> None:
    workspace, receipt = CategoryWorkspace.create(tmp_path / "contexts/memory", clock=lambda: NOW)
    assert "index.md" in receipt.paths
    assert workspace.check() == ()
    assert workspace.list().categories == ()
    before = tree_of(workspace.root)
    CategoryWorkspace.create(tmp_path / "contexts/memory", clock=lambda: NOW)
    assert tree_of(workspace.root) == before
    assert CategoryWorkspace.open(None, tmp_path).root == workspace.root


# --- list and search -------------------------------------------------------------------------------------


def test_the_list_says_what_there_is_and_what_could_be_compacted(tmp_path: Path) -> None:
    found = {each.category: each for each in small(tmp_path).list().categories}
    assert list(found) == ["decisions", "patterns", "sessions"]
    decisions = found["decisions"]
    assert (decisions.durability, decisions.files, decisions.entries) == ("durable", 2, 5)
    assert (decisions.compactable_files, decisions.compactable_entries) == (2, 2)
    assert (found["sessions"].oldest, found["sessions"].newest) == ("2026-06-01", "2026-06-02")
    assert found["sessions"].durability == "ephemeral"
    assert found["sessions"].compactable_tokens > 0


def test_the_list_of_a_category_has_its_files_and_the_archives_are_named(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    answer = workspace.list("decisions")
    assert [(file["path"], file["entries"], file["marked"]) for file in answer.files] == [
        ("decisions/DEC-7.md", 1, 1),
        ("decisions/_log.md", 4, 1),
    ]
    assert [(held.path, held.entries) for held in answer.archives] == [("archive/sessions-2026-06-30.archive.md", 2)]


def addresses(workspace: CategoryWorkspace, query: str = "", **how: object) -> list[str]:
    return [hit.address for hit in workspace.search(query, **how).hits]  # type: ignore[arg-type]


def test_entries_are_found_by_their_text(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    assert set(addresses(workspace, "port of mail")[:2]) == {"sessions/2026-06-01.md", "sessions/2026-06-02.md"}
    assert addresses(workspace, "queue for each kind of mail")[0] == "decisions/_log.md#dec-3"
    assert addresses(workspace, "DEC-4")[0] == "decisions/_log.md#dec-4"
    assert addresses(workspace, "nowhere-to-be-found") == []


def test_entries_are_found_by_their_metadata(tmp_path: Path) -> None:
    tagged = "---\ntags: [storage, Mail]\nupdated_at: 2026-06-20\n---\n# Ops\n\n## Disks\n\na\n"
    workspace = opened(lay(tmp_path, {**FILES, "ops/disks.md": tagged}))
    assert addresses(workspace, tags=("mail",)) == ["ops/disks.md#disks"]
    assert addresses(workspace, category="sessions") == ["sessions/2026-06-02.md", "sessions/2026-06-01.md"]
    (tmp_path / "patterns/conventions.md").unlink()  # it has no date of its own
    assert addresses(workspace, since="2026-06-02") == ["ops/disks.md#disks", "sessions/2026-06-02.md"]
    assert addresses(workspace, "mail", category="decisions", limit=1)[0].startswith("decisions/")
    with pytest.raises(Usage):
        workspace.search()


def test_an_entry_that_is_marked_is_found_and_told_as_not_in_force(tmp_path: Path) -> None:
    found = {hit.address: hit.is_active for hit in small(tmp_path).search("queue").hits}
    assert found["decisions/_log.md#dec-3"] is False
    assert found["decisions/_log.md#dec-4"] is True


def test_a_slip_in_a_query_is_seen_through_and_said(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    answer = workspace.search("quuee")
    assert (answer.query, answer.looked_for) == ("quuee", "queue")
    assert [hit.address for hit in answer.hits] == [hit.address for hit in workspace.search("queue").hits]
    assert answer.to_json()["looked_for"] == "queue"
    assert "looked_for" not in workspace.search("queue").to_json()


def test_the_clock_of_a_memory_says_what_this_week_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    search = rank.search

    def heard(*given: object, today: str = "", **more: object) -> object:
        said.append(today)
        return search(*given, today=today, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(rank, "search", heard)
    small(tmp_path).search("the queue this week")
    assert said == [f"{NOW:%Y-%m-%d}"]


def test_archived_entries_are_found_on_request(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("decisions", accepted=True)
    assert "decisions/_log.md#dec-3" not in addresses(workspace, "own queue")
    hits = [hit for hit in workspace.search("own queue", archived=True).hits if hit.archive]
    assert [(hit.address, hit.archive) for hit in hits] == [
        ("decisions/_log.md#dec-3", "archive/decisions-2026-06-30.archive.md")
    ]


def test_the_neighbours_of_an_id_are_what_it_names_and_what_names_it(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    found = {hit.address: hit.reasons for hit in workspace.search(neighbours="DEC-4").hits}
    assert found["decisions/_log.md#dec-3"] == ("superseded by DEC-4",)
    assert found["decisions/DEC-7.md"] == ("superseded by DEC-4",)
    back = {hit.address: hit.reasons for hit in workspace.search(neighbours="DEC-3").hits}
    assert back["decisions/_log.md#dec-4"][0] == "supersedes DEC-3"
    with pytest.raises(UnknownMemory):
        workspace.search(neighbours="DEC-44")


def test_ten_hits_are_given_unless_more_are_asked_for(tmp_path: Path) -> None:
    files = {f"sessions/s{n:02}.md": f"# S{n}\n\nThe kettle number {n} boils.\n" for n in range(14)}
    workspace = opened(lay(tmp_path, {"index.md": INDEX, **files}))
    assert len(addresses(workspace, "kettle")) == 10
    assert len(addresses(workspace, "kettle", limit=14)) == 14
