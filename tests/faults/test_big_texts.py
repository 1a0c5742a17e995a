"""A long text learned beside a long memory about the same: it ends, in time by the length, and says what is new."""

import importlib.util
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memtend.review import Action, Decision
from memtend.workspace import LearnRequest, Workspace

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}
LITTLE = ["the", "is", "a", "of", "to", "and", "in", "at", "every", "with", "on", "for"]
SYLLABLES = ["zel", "quin", "plo", "bran", "nul", "ko", "rit", "ten", "val", "pum", "mor", "sta", "lin", "dor", "gret"]
FACT, OTHER_FACT = (
    "The boiler of hall two holds 40 litres of brine.",
    "The boiler of hall two holds 55 litres of brine.",
)


def sentences(size: int) -> Iterator[str]:
    """Sentences of some length together, with words as common and as rare as those of a language."""
    rand = random.Random(11)
    words = ["".join(rand.choices(SYLLABLES, k=rand.randint(1, 4))) for _ in range(20_000)]
    weights = list(accumulate(1 / (rank + 20) for rank in range(len(words))))
    done = 0
    while done < size:
        chosen = rand.choices(words, cum_weights=weights, k=rand.randint(6, 16))
        said = [rand.choice(LITTLE) if rand.random() < 0.4 else word for word in chosen]
        if rand.random() < 0.2:
            said.append(f"{rand.choice(words)}_{rand.choice(words)} takes {rand.randint(2, 9000)}")
        sentence = " ".join(said).capitalize() + "."
        done += len(sentence) + 1
        yield sentence


def handbook(size: int, *, edited: bool = False) -> str:
    """A text in sections. `edited` it has another word in each tenth section, and one number is another."""
    parts: list[str] = []
    section: list[str] = []
    for sentence in sentences(size):
        section.append(sentence)
        if len(section) == 20:
            number = len(parts)
            if number == 7:
                section[3] = OTHER_FACT if edited else FACT
            elif edited and number % 10 == 5:
                section[8] = "Wombats were seen behind the old kiln again."
            paragraphs = "\n\n".join(" ".join(section[at : at + 5]) for at in range(0, 20, 5))
            parts.append(f"## Part {number}: {section[0][:24].rstrip()}\n\n{paragraphs}\n")
            section = []
    return "# Handbook\n\n" + "\n".join(parts)


def lay(root: Path, size: int) -> Path:
    """Put such a memory and its edited text into a folder with a vault; the memory's file."""
    memory = root / ".memory" / "10-Memories" / "MEM-handbook.md"
    memory.write_text(f"---\ntitle: Handbook\ncreated: 2026-04-01\n---\n{handbook(size)}", encoding="utf-8")
    (root / "edited.md").write_text(handbook(size, edited=True), encoding="utf-8")
    return memory


def says_what_is_new(proposals: list[dict[str, Any]]) -> None:
    """What is there already is skipped, the other number is named, and each new sentence is met."""
    actions = Counter(proposal["recommendation"]["action"] for proposal in proposals)
    assert actions["skip"] > 0.5 * len(proposals)
    (other,) = [proposal for proposal in proposals if OTHER_FACT in proposal["payload"]["text"]]
    assert other["recommendation"]["conflict"] == "number"
    assert any("55" in reason and "40" in reason for reason in other["recommendation"]["reasons"])
    new = [proposal for proposal in proposals if "Wombats" in proposal["payload"]["text"]]
    assert len(new) > 0.05 * len(proposals)
    assert all(proposal["recommendation"]["action"] != "skip" for proposal in new)


def planned_in(root: Path, size: int) -> float:
    """The CPU seconds that a plan takes beside a memory of this size."""
    workspace, _ = Workspace.create(start=str(root), environ=ENVIRON)
    lay(root, size)
    workspace.index()
    started = time.process_time()
    plan = workspace.plan_learn(LearnRequest(files=(str(root / "edited.md"),)))
    seconds = time.process_time() - started
    says_what_is_new(plan.to_json()["proposals"])
    return seconds


def test_a_text_of_four_times_the_length_takes_four_times_as_long_and_not_sixteen(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    for folder in (small, large):
        folder.mkdir()
    planned_in(small, 40_000)  # what is loaded once is no part of it
    short, long = planned_in(small, 120_000), planned_in(large, 480_000)
    assert long < 10 * short, (short, long)
    assert long < 30


def test_what_many_parts_of_a_long_text_add_is_written_and_taken_back(tmp_path: Path) -> None:
    workspace, _ = Workspace.create(start=str(tmp_path), environ=ENVIRON)
    memory = lay(tmp_path, 100_000)
    before = memory.read_bytes()
    plan = workspace.plan_learn(LearnRequest(files=(str(tmp_path / "edited.md"),)))
    decisions = [Decision(proposal.id, Action.EXTEND, target=proposal.candidates[0].id) for proposal in plan.proposals]
    workspace.apply(plan, decisions, allow_large=True)
    assert memory.read_bytes().count(b"## Extension") == len(plan.proposals)
    workspace.undo()
    assert memory.read_bytes() == before


def crowd() -> ModuleType:
    """The benchmark that runs commands and says what they cost."""
    spec = importlib.util.spec_from_file_location("crowd", Path(__file__).parents[2] / "benchmarks" / "crowd.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs wait4")
def test_ten_megabytes_learned_into_ten_megabytes_and_taken_back(tmp_path: Path) -> None:
    run = crowd().run
    assert run(tmp_path, "init").status == 0
    memory = lay(tmp_path, 10_000_000)
    before = memory.read_bytes()
    assert run(tmp_path, "index").status == 0
    ran = run(tmp_path, "learn", "edited.md", "--plan", "plan.json")
    print(ran)
    assert ran.status == 0
    assert ran.cpu_seconds < 200
    assert ran.peak_mb < 1000
    proposals = json.loads((tmp_path / "plan.json").read_bytes())["proposals"]
    says_what_is_new(proposals)
    decisions = {
        proposal["segment_id"]: {name: proposal["recommendation"][name] for name in ("action", "target")}
        for proposal in proposals
    }
    (tmp_path / "answers.json").write_text(json.dumps(decisions))
    for words in (("apply", "plan.json", "--decisions", "answers.json", "--allow-large"), ("check",), ("undo",)):
        ran = run(tmp_path, *words)
        print(ran)
        assert ran.status == 0
        assert ran.cpu_seconds < 60
        assert ran.peak_mb < 1000
    assert memory.read_bytes() == before
