"""How well segments are matched with what is known: action, target and conflict on a set with given decisions.

    python benchmarks/matching.py DATA [--json] [--wrong]

DATA holds `matching/memories.jsonl` and `matching/segments.jsonl`. The limits of `memtend.learn.match` were fitted on
the segments of odd lines, so the even ones are the honest half. Candidates are the first five of a BM25 ranking.

Shares, each of the segments that it is about. `action`: the recommended one is right. `target`: of those that mean a
memory, that one is recommended; `create_without_target`: of the others, none is; `target_among_candidates`: it could
have been; `both`: action and target. `conflicts_caught`: of those that contradict their memory, a contradiction with
it is named; `conflict_kind_right`: of these, of the right kind. `look_alike_creates`: of the new matters that share
words with a memory, and `reworded_skips`: of the known ones in other words, the action is right. Numbers:
`conflicts_skipped`, contradictions called duplicates; `false_alarms`, contradictions named where there is none, by the
action that is right; the table counts what was given for what was wanted, without contradictions.
"""

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memtend.learn.comparison import Neighbour
from memtend.learn.match import propose
from memtend.memory import Digest, MemoryId
from memtend.review import Proposal
from memtend.text import key_terms, words
from memtend.text.likeness import stem
from sets import file_of

ACTIONS = ("update", "extend", "create", "skip")
CANDIDATES = 5


class Case(NamedTuple):
    """A segment, the decision that is right, and what was proposed."""

    line: int
    wanted: Mapping[str, Any]
    proposal: Proposal

    @property
    def given(self) -> str:
        """The recommended action."""
        return str(self.proposal.recommendation.action)

    @property
    def has_action(self) -> bool:
        """Whether it is the right one."""
        return self.given == self.wanted["action"]

    @property
    def has_target(self) -> bool:
        """Whether the recommended memory is the right one, or none where none is."""
        return self.proposal.recommendation.target == self.wanted["target"]

    @property
    def noticed(self) -> str | None:
        """The conflict reported on the right memory; for a segment without one, on any candidate."""
        ids = {self.wanted["target"]} if self.wanted["target"] else {c.id for c in self.proposal.candidates}
        return next((str(c.conflict) for c in self.proposal.candidates if c.id in ids and c.conflict), None)


class Ranking:
    """BM25 over all memories: stands in for the search index."""

    def __init__(self, memories: Sequence[Neighbour]) -> None:
        self.memories = memories
        self.bags = [Counter(_stems(f"{m.title} {m.title} {' '.join(m.keywords)} {m.text}")) for m in memories]
        self.spread = Counter(word for bag in self.bags for word in bag)
        self.mean = sum(bag.total() for bag in self.bags) / len(self.bags)

    def best(self, text: str, count: int) -> list[Neighbour]:
        """The memories nearest to a text."""
        asked = set(_stems(text))
        scores = [(-self._score(bag, asked), number) for number, bag in enumerate(self.bags)]
        return [self.memories[number] for _, number in sorted(scores)[:count]]

    def _score(self, bag: Counter[str], asked: set[str]) -> float:
        length = 0.25 + 0.75 * bag.total() / self.mean
        total = len(self.bags)
        return sum(
            math.log(1 + (total - self.spread[word] + 0.5) / (self.spread[word] + 0.5))
            * (bag[word] * 2.2 / (bag[word] + 1.2 * length))
            for word in asked
            if word in bag
        )


def _stems(text: str) -> Iterable[str]:
    return (stem(word) for word in words(text))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def cases(data: Path) -> tuple[list[Case], float]:
    """Every segment with its proposal, and the CPU time of a proposal in milliseconds."""
    memories = [
        Neighbour(MemoryId(m["id"]), m["title"], Digest(""), m["topic"], m["category"], tuple(m["keywords"]), m["body"])
        for m in _lines(file_of(data, "matching/memories.jsonl"))
    ]
    ranking = Ranking(memories)
    found: list[Case] = []
    spent = 0.0
    for number, segment in enumerate(_lines(file_of(data, "matching/segments.jsonl")), start=1):
        near = ranking.best(segment["text"], CANDIDATES)
        start = time.process_time()
        terms = key_terms(segment["text"])
        proposal = propose(f"seg-{number:03}", segment["text"], "", "", terms, near)
        spent += time.process_time() - start
        found.append(Case(number, segment, proposal))
    return found, 1000 * spent / len(found)


def figures(found: Sequence[Case]) -> dict[str, Any]:
    """The figures that the set's README asks for."""
    targeted = [case for case in found if case.wanted["target"]]
    conflicts = [case for case in found if case.wanted["conflict"]]
    plain = [case for case in found if not case.wanted["conflict"]]
    caught = [case for case in conflicts if case.noticed]
    return {
        "segments": len(found),
        "action": _share(case.has_action for case in found),
        "table": {
            action: dict(Counter(case.given for case in plain if case.wanted["action"] == action)) for action in ACTIONS
        },
        "with_conflict": dict(Counter(case.given for case in conflicts)),
        "target": _share(case.has_target for case in targeted),
        "create_without_target": _share(case.has_target for case in found if not case.wanted["target"]),
        "target_among_candidates": _share(
            any(c.id == case.wanted["target"] for c in case.proposal.candidates) for case in targeted
        ),
        "both": _share(case.has_action and case.has_target for case in found),
        "conflicts": len(conflicts),
        "conflicts_caught": _share(bool(case.noticed) for case in conflicts),
        "conflict_kind_right": _share(case.noticed == case.wanted["conflict"] for case in caught),
        "conflicts_skipped": sum(case.given == "skip" for case in conflicts),
        "false_alarms": {
            action: sum(bool(case.noticed) for case in plain if case.wanted["action"] == action) for action in ACTIONS
        },
        "look_alike_creates": _share(case.has_action for case in found if 130 < case.line <= 150),
        "reworded_skips": _share(
            case.has_action for case in found if case.line > 160 and case.wanted["action"] == "skip"
        ),
    }


def _share(claims: Iterable[bool]) -> float | None:
    held = list(claims)
    return sum(held) / len(held) if held else None


def _print(columns: Mapping[str, Mapping[str, Any]]) -> None:
    names = list(next(iter(columns.values())))
    print(f"{'':26}" + "".join(f"{name:>36}" for name in columns))
    for name in names:
        if name == "table":
            continue
        print(f"{name:26}" + "".join(f"{_cell(column[name]):>36}" for column in columns.values()))
    for half, column in columns.items():
        print(f"\n{half}: wanted ↓ given →" + "".join(f"{action:>9}" for action in ACTIONS))
        for action, given in column["table"].items():
            print(f"{action:>{len(half) + 18}}" + "".join(f"{given.get(name, 0):9}" for name in ACTIONS))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return " ".join(f"{key}:{count}" for key, count in value.items()) if isinstance(value, dict) else str(value)


def main(arguments: Sequence[str]) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="list the segments of odd lines that came out wrong")
    given = parser.parse_args(arguments)
    found, spent_ms = cases(given.data)
    halves = {
        "odd (fitted)": [case for case in found if case.line % 2],
        "even": [case for case in found if case.line % 2 == 0],
        "all": found,
    }
    columns = {name: figures(half) for name, half in halves.items()}
    if given.json:
        print(json.dumps({"halves": columns, "proposal_cpu_ms": spent_ms}, indent=2))
        return 0
    _print(columns)
    print(f"\na proposal takes {spent_ms:.2f} ms of CPU for {CANDIDATES} candidates")
    if given.wrong:
        for case in found:
            if case.line % 2 and not (case.has_action and case.has_target):
                print(case.line, case.wanted["action"], case.wanted["target"], "→", case.proposal.recommendation)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
