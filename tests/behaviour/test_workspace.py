"""The joint: one rule finds the vault, usage is one number, and what is known already is not learned twice."""

import json
import multiprocessing
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memtend.change import Change, ChangeSet, Verb, retired
from memtend.errors import NotFound, SecretFound, StaleDecision, UnknownMemory, UnusableInput, Usage
from memtend.review import Action, Decision
from memtend.store.apply import Store
from memtend.workspace import LearnRequest, Workspace
from memtend.workspace.clock import now_of
from memtend.workspace.plan import decisions_from_json, from_json, load
from memtend.workspace.upkeep import Upkeep

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}

GUIDE = """# Parcel guide

## Retries

The parcel client retries a failed request three times, with exponential backoff and full jitter between the tries.
The budget of one call is nine seconds; after that the order goes to the dead letter queue and a person is paged.
{retries}

## Labels

Labels are rendered as PDF by the label worker. It runs with two processes, since the font cache is not thread safe,
and restarts every four hours because the renderer leaks file handles when a customs form has more than nine pages.
{labels}

## Customs

Customs forms need the tariff number of each article. Articles without one are held back until the catalogue team
has filled it in; the nightly report lists them by warehouse, oldest first, with the name of the buyer beside them.
{customs}
"""


def remarks(subject: str) -> str:
    """Enough sentences about a subject that a section stands alone; no two subjects share their words."""
    rand = random.Random(subject)
    made = ["".join(rand.choice("bdfgklmnprst") + rand.choice("aeiou") for _ in range(3)) for _ in range(60)]
    return " ".join(f"The {subject} of {' '.join(rand.sample(made, 6))}." for _ in range(20))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """An empty vault in a project folder that is also the working directory."""
    monkeypatch.chdir(tmp_path)
    return Workspace.create(start=str(tmp_path), environ=ENVIRON)[0]


def learn(workspace: Workspace, *inputs: str, **values: object) -> list[tuple[str, str | None]]:
    """Follow every recommendation."""
    plan = workspace.plan_learn(LearnRequest(inputs=inputs, **values))  # type: ignore[arg-type]
    decisions = [Decision(p.id, p.recommendation.action, p.recommendation.target) for p in plan.proposals]
    return [(done.type, done.memory_id) for done in workspace.apply(plan, decisions).operations]


def guide(path: Path, change: Callable[[str], str] = lambda text: text) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        change(GUIDE.format(retries=remarks("retry log"), labels=remarks("label"), customs=remarks("tariff"))),
        encoding="utf-8",
    )


def test_the_nearest_vault_upwards_is_found_also_from_inside_it(workspace: Workspace, tmp_path: Path) -> None:
    deep = tmp_path / "src" / "deep"
    deep.mkdir(parents=True)
    for start in (tmp_path, deep, tmp_path / ".memory", tmp_path / ".memory" / "10-Memories"):
        assert Path(Workspace.open(start=str(start), environ={}).root).samefile(workspace.root)


def test_a_vault_that_is_named_wins_and_says_who_named_it(workspace: Workspace, tmp_path: Path) -> None:
    other = Workspace.create("elsewhere", start=str(tmp_path), environ=ENVIRON)[0]
    opened = Workspace.open(start=str(tmp_path), environ={"MEMTEND_VAULT": "elsewhere"})
    assert Path(opened.root).samefile(other.root)
    assert opened.rule == "MEMTEND_VAULT"
    flagged = Workspace.open(".memory", start=str(tmp_path), environ={"MEMTEND_VAULT": "elsewhere"})
    assert Path(flagged.root).samefile(workspace.root)


def test_without_a_vault_the_error_says_where_was_looked(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as fault:
        Workspace.open(start=str(tmp_path), environ={})
    assert str(tmp_path) in fault.value.message
    with pytest.raises(NotFound):
        Workspace.open(str(tmp_path / "nowhere"), start=str(tmp_path), environ={})


def test_o_gt_04_a_linked_worktree_has_one_vault_for_reading_and_writing(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    Workspace.create(start=str(main), environ=ENVIRON)
    (linked / "sub" / "dir").mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/linked\n")
    with pytest.raises(NotFound):
        Workspace.open(start=str(linked / "sub" / "dir"), environ={})
    made = Workspace.create(start=str(linked), environ=ENVIRON)[0]
    opened = Workspace.open(start=str(linked / "sub" / "dir"), environ={})
    assert Path(opened.root).samefile(made.root)


def test_the_clock_is_set_by_a_date_or_a_timestamp_and_a_wrong_one_is_named() -> None:
    assert now_of({"MEMTEND_NOW": "2026-06-30"}).isoformat() == "2026-06-30T00:00:00+00:00"
    assert now_of({"MEMTEND_NOW": "2026-06-30T12:00:00+02:00"}).isoformat() == "2026-06-30T10:00:00+00:00"
    with pytest.raises(UnusableInput, match="yesterday"):
        now_of({"MEMTEND_NOW": "yesterday"})


def test_o_va_01_usage_from_index_page_file_and_log_is_one_number_that_never_falls(workspace: Workspace) -> None:
    learn(workspace, text="The nightly export of the warehouse runs at four in the morning, after the backup.")
    (memory,) = workspace.memories()
    page = Path(workspace.root) / "memory-index.json"
    index = json.loads(page.read_text())
    index["entries"][0].update(retrieval_count=39, last_retrieved="2026-06-22")
    page.write_text(json.dumps(index))
    assert workspace.memories()[0].retrieval_count == 39
    assert workspace.recall("when does the nightly warehouse export run").hits
    assert workspace.memories()[0].retrieval_count == 40
    workspace.reindex(rebuild=True)
    text = (Path(workspace.root) / memory.place.path).read_text()
    assert "retrieval_count: 40" in text
    assert "last_retrieved: 2026-06-30" in text
    assert workspace.memories()[0].retrieval_count == 40
    assert workspace.reindex().id == ""
    page.unlink()
    workspace.reindex(rebuild=True)
    assert json.loads(page.read_text())["entries"][0]["retrieval_count"] == 40


def test_a_recall_between_learning_and_undo_stands_in_no_ones_way(workspace: Workspace) -> None:
    learn(workspace, text="The nightly export of the warehouse runs at four in the morning, after the backup.")
    before = (Path(workspace.root) / workspace.memories()[0].place.path).read_bytes()
    plan = workspace.plan_learn(LearnRequest(text="It is skipped on the first of January."))
    target = workspace.memories()[0].id
    done = workspace.apply(plan, [Decision("seg-001", Action.EXTEND, target)])
    workspace.recall("nightly warehouse export")
    workspace.reindex()
    assert done.receipt is not None
    workspace.undo(done.receipt.id)
    after = (Path(workspace.root) / workspace.memories()[0].place.path).read_bytes()
    assert after != before
    assert (
        after.replace(b"retrieval_count: 1", b"retrieval_count: 0").replace(
            b"last_retrieved: 2026-06-30", b"last_retrieved: null"
        )
        == before
    )


def test_o_dm_07_a_source_learned_again_gives_only_what_is_new(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "notes" / "guide.md"
    guide(path)
    assert [kind for kind, _ in learn(workspace, "notes/guide.md")] == ["CREATE"] * 3
    assert [kind for kind, _ in learn(workspace, "notes/guide.md")] == ["SKIP"] * 3

    def edited(text: str) -> str:
        text = text.replace("It runs with two processes", "It runs as a single process")
        start, end = text.index("## Customs"), len(text)
        new = "## Returns\n\nReturned parcels are scanned at the dock and matched with the order by the label's code.\n"
        return text[:start] + new + remarks("return slip") + "\n" + text[end:]

    guide(path, edited)
    plan = workspace.plan_learn(LearnRequest(inputs=("notes/guide.md",)))
    assert [p.recommendation.action for p in plan.proposals] == [Action.SKIP, Action.UPDATE, Action.CREATE]
    assert any("no longer holds" in warning and "customs" in warning for warning in plan.warnings)


def test_o_dm_07_a_renamed_source_is_recognised_by_what_it_says(workspace: Workspace, tmp_path: Path) -> None:
    guide(tmp_path / "notes" / "guide.md")
    learn(workspace, "notes/guide.md")
    (tmp_path / "notes" / "guide.md").rename(tmp_path / "notes" / "handbook.md")
    assert [kind for kind, _ in learn(workspace, "notes/handbook.md")] == ["SKIP"] * 3


def test_the_same_text_twice_in_one_plan_is_learned_once(workspace: Workspace, tmp_path: Path) -> None:
    for name in ("a", "b"):
        guide(tmp_path / "notes" / f"{name}.md")
    assert [kind for kind, _ in learn(workspace, "notes/")] == ["CREATE"] * 3 + ["SKIP"] * 3


@pytest.mark.parametrize(
    "text",
    [
        "Retry five times with a pause. Never retry a POST.",
        "The blue slot is rolled back first.",
        "# Pool\n\nThe pool is small. It grows at noon.\n",
        "# Pool\n\n```python\nprint(1)\n```\n",
        "The controller restarts every probe that does not answer within ten seconds, and waits for the next window of "
        "the operators. A second sentence tells why.",
    ],
)
def test_the_summary_that_a_plan_shows_is_the_one_that_is_written(workspace: Workspace, text: str) -> None:
    plan = workspace.plan_learn(LearnRequest(text=text))
    workspace.apply(plan, [Decision("seg-001", Action.CREATE)])
    assert [memory.summary for memory in workspace.memories()] == [plan.proposals[0].summary]


def test_o_dm_08_what_was_retired_is_not_learned_again_by_itself(workspace: Workspace) -> None:
    text = "The label printer in hall two needs the old driver, version nine."
    learn(workspace, text=text)
    memory = workspace.read(workspace.memories()[0].id)
    Upkeep(workspace).apply(ChangeSet((retired(memory, at="2026-06-30", reason="purge"),)), allow_large=True)
    plan = workspace.plan_learn(LearnRequest(text=text))
    recommended = plan.proposals[0].recommendation
    assert recommended.action is Action.SKIP
    assert memory.id in recommended.reasons[0]
    assert "purge" in recommended.reasons[0]


def test_a_plan_saved_and_loaded_is_the_same_plan(workspace: Workspace, tmp_path: Path) -> None:
    learn(workspace, text="The nightly export of the warehouse runs at four in the morning.")
    plan = workspace.plan_learn(LearnRequest(text="The nightly export of the warehouse runs at five in the morning."))
    plan.save(tmp_path / "plan.json")
    assert load(tmp_path / "plan.json").to_json() == plan.to_json()


def test_a_decision_on_a_changed_memory_is_refused_and_nothing_is_written(workspace: Workspace) -> None:
    learn(workspace, text="The nightly export of the warehouse runs at four in the morning.")
    memory = workspace.memories()[0]
    plan = workspace.plan_learn(LearnRequest(text="The nightly export also writes a checksum beside each file."))
    path = Path(workspace.root) / memory.place.path
    path.write_bytes(path.read_bytes() + b"\nA person was here.\n")
    before = path.read_bytes()
    with pytest.raises(StaleDecision):
        workspace.apply(plan, [Decision("seg-001", Action.EXTEND, memory.id)])
    assert path.read_bytes() == before


def test_o_pv_01_a_secret_is_refused_unless_allowed_also_in_a_text_that_was_edited(workspace: Workspace) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    plan = workspace.plan_learn(LearnRequest(text=f"The bot logs in with {token} on the build server."))
    assert [(place.segment_id, place.line) for place in plan.secrets] == [("seg-001", 1)]
    assert "ghp_" not in json.dumps([str(place) for place in plan.secrets])
    with pytest.raises(SecretFound) as fault:
        workspace.apply(plan, [Decision("seg-001", Action.CREATE)])
    assert token not in str(fault.value)
    assert workspace.memories() == []
    clean = workspace.plan_learn(LearnRequest(text="The bot logs in on the build server."))
    with pytest.raises(SecretFound):
        workspace.apply(clean, [Decision("seg-001", Action.CREATE, text=f"Its token is {token}.")])
    workspace.apply(plan, [Decision("seg-001", Action.CREATE)], allow_secrets=True)
    assert len(workspace.memories()) == 1


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ([], "object"),
        ({"seg-009": {"action": "skip"}}, "seg-009"),
        ({"seg-001": {"action": "purge"}}, "purge"),
        ({"seg-001": {"action": "explode"}}, "explode"),
        ({"seg-001": "create"}, "create"),
        ({"seg-001": {"action": "create", "colour": "red"}}, "colour"),
    ],
)
def test_decisions_that_do_not_fit_are_named(workspace: Workspace, data: object, part: str) -> None:
    plan = workspace.plan_learn(LearnRequest(text="One fact."))
    with pytest.raises(UnusableInput) as fault:
        decisions_from_json(data, plan.proposals)
    assert part in fault.value.message
    assert fault.value.hint


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"status": "planned"},
        {"status": "planned", "proposals": [1]},
        {"status": "planned", "proposals": [{}]},
    ],
)
def test_what_is_no_plan_is_refused(data: object) -> None:
    with pytest.raises(UnusableInput):
        from_json(data)


def test_o_lk_04_a_name_is_exact_or_the_candidates_are_listed(workspace: Workspace) -> None:
    folder = Path(workspace.root) / "10-Memories"
    for name in ("MEM-cache.md", "MEM-cache-key.md", "old/MEM-Cache.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"---\ntitle: {name}\n---\n# {name}\n\nText.\n")
    assert workspace.read("MEM-cache").title == "MEM-cache.md"
    assert workspace.read("[[MEM-cache-key]]").title == "MEM-cache-key.md"
    assert workspace.read("cache-key").title == "MEM-cache-key.md"
    assert workspace.read("10-Memories/old/MEM-Cache.md").title == "old/MEM-Cache.md"
    with pytest.raises(UnknownMemory, match="2 memories"):
        workspace.read("mem-CACHE")
    with pytest.raises(UnknownMemory) as fault:
        workspace.read("MEM-cach")
    assert "MEM-cache" in fault.value.hint


def test_links_are_known_in_both_directions_and_dead_ones_are_named(workspace: Workspace) -> None:
    folder = Path(workspace.root) / "10-Memories"
    (folder / "MEM-a.md").write_text("---\ntitle: A\n---\n# A\n\nSee [[MEM-b]] and [[MEM-gone|that]].\n")
    (folder / "MEM-b.md").write_text("---\ntitle: B\n---\n# B\n\n`[[MEM-a]]` is only code.\n")
    linked = workspace.links("MEM-b")
    assert (linked.incoming, linked.outgoing, linked.broken) == (("MEM-a",), (), ())
    linked = workspace.links("MEM-a")
    assert (linked.incoming, linked.outgoing, linked.broken) == ((), ("MEM-b",), ("MEM-gone",))


def _learn_many(root: str, name: str, count: int) -> None:
    os.chdir(root)
    workspace = Workspace.open(start=root, environ={**ENVIRON, "MEMTEND_LOCK_TIMEOUT_SECONDS": "60"})
    for number in range(count):
        text = f"Worker {name} found out fact number {number}: the {name} line stops at {number} degrees."
        plan = workspace.plan_learn(LearnRequest(text=text))
        workspace.apply(plan, [Decision("seg-001", Action.CREATE, title=f"{name} {number}")])


def test_o_cc_01_two_processes_learning_at_once_lose_nothing(workspace: Workspace, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_learn_many, args=(str(tmp_path), name, 8)) for name in ("red", "blue")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(workspace.memories()) == 16
    entries = json.loads((Path(workspace.root) / "memory-index.json").read_text())["entries"]
    assert len(entries) == 16
    assert workspace.check() == ()


def test_a_write_that_was_interrupted_is_taken_back_when_the_vault_is_next_opened(workspace: Workspace) -> None:
    learn(workspace, text="The nightly export of the warehouse runs at four in the morning.")
    path = Path(workspace.root) / workspace.memories()[0].place.path
    before = path.read_bytes()

    def crash(step: str) -> None:
        if step.startswith("place MEM-"):
            crash.seen = True  # type: ignore[attr-defined]
        elif getattr(crash, "seen", False):
            raise KeyboardInterrupt

    store = Store(Path(workspace.root), workspace.layout, step=crash)
    memory = workspace.read(workspace.memories()[0].id)
    change = Change(Verb.EXTEND, memory.id, memory.digest, {"content": memory.content + "\n\nIt takes an hour."})
    with pytest.raises(KeyboardInterrupt):
        store.apply(ChangeSet((change,)), now=workspace.now, commit=False)
    assert path.read_bytes() != before
    reopened = Workspace.open(start=workspace.project, environ=ENVIRON)
    assert reopened.search("nightly export").hits
    assert path.read_bytes() == before
    assert reopened.check() == ()


def test_code_is_learned_in_a_fence_and_known_again(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text("# Reads the box.\ndef read(box):\n    # one at a time\n    return box.pop()\n")
    assert [kind for kind, _ in learn(workspace, "box.py")] == ["CREATE"]
    content = workspace.read(workspace.memories()[0].id).content
    assert content.startswith("```python\n# Reads the box.\n")
    assert [kind for kind, _ in learn(workspace, "box.py")] == ["SKIP"]


def test_learning_pythons_own_json_package_twice_gives_nothing_new(workspace: Workspace) -> None:
    folder = str(Path(json.__file__).parent)
    first = learn(workspace, directory=folder)
    assert {kind for kind, _ in first} == {"CREATE"}
    assert {kind for kind, _ in learn(workspace, directory=folder)} == {"SKIP"}
    assert workspace.search("decode a JSON document from a string").hits
    assert workspace.check() == ()


def test_init_opens_a_vault_that_is_there_without_touching_it(workspace: Workspace, tmp_path: Path) -> None:
    gone = Path(workspace.root) / ".obsidian" / "graph.json"
    gone.unlink()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again, receipt = Workspace.create(start=str(tmp_path), environ=ENVIRON)
    assert receipt.paths == ()
    assert again.memories() == []
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and ".memtend" not in path.parts}
    assert after == {path: data for path, data in before.items() if ".memtend" not in path.parts}


def test_a_search_for_more_than_can_be_counted_gives_all(workspace: Workspace) -> None:
    learn(workspace, text="# Pots\n\nThe kiln is heated slowly.")
    for most in (10**6, 2**62, 2**63, 10**30):
        assert len(workspace.search("kiln", most).hits) == 1


def test_a_search_for_no_day_or_in_no_mode_is_refused_here_too(workspace: Workspace) -> None:
    for words in ({"since": "yesterday"}, {"before": "2026-13-45"}, {"mode": "loud"}):
        with pytest.raises(Usage, match=str(next(iter(words.values())))) as caught:
            workspace.search("kiln", **words)  # type: ignore[arg-type]
        assert caught.value.hint


def test_a_recall_that_is_not_counted_answers_alike_and_knows_what_yesterday_is(workspace: Workspace) -> None:
    learn(workspace, text="# Pots\n\nThe kiln is heated slowly.")
    text = "what did we decide today?"
    rehearsed = workspace.recall(text, is_counted=False)
    assert not Path(workspace.own_folder, "usage.log").exists()
    assert workspace.recall(text).context == rehearsed.context != ""
    assert Path(workspace.own_folder, "usage.log").exists()
