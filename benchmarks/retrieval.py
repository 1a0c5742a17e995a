"""How well a query finds the memories that answer it.

    python benchmarks/retrieval.py DATA [--only session|turn|notes]… [--mode hybrid] [--half odd|even|all] [--json]

DATA holds `locomo-5.json` and `matching/`. Every set is written as a vault of Markdown files and asked through
`Workspace.search`, so what is measured is what a user gets. MEMTEND_EMBEDDER=minilm measures the extra `semantic`.

- session, turn: each conversation is a vault of its own, each session or turn a memory; all questions with evidence,
  and every fifth of the next conversation's, about other people, as questions that nothing answers.
- notes: 120 developers' notes and 240 queries of six kinds.

Metrics, each averaged over the questions. Fractional recall at k (`R@k`): relevant memories among the first k ÷
relevant memories. `any@k`: at least one is there; `all@k`: all are. MRR: 1 ÷ the rank of the first relevant one among
the first ten, 0 without one. `nothing`: share of the questions that no note answers which came back empty.
`answered`: share of the others that did not. Questions are counted from one: `odd` ones were tuned on.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memtend.workspace import Workspace
from sets import file_of

DEPTH = 10
NAMES = ("R@5", "R@10", "MRR", "any@5", "any@10", "all@5", "all@10")


class Note(NamedTuple):
    """A memory to be written."""

    id: str
    title: str
    body: str
    created: str = "2026-01-05"
    topic: str = ""
    category: str = "INSIGHT"
    keywords: Sequence[str] = ()


class Asked(NamedTuple):
    """A question, what answers it, and which of its kind it is."""

    text: str
    kind: str
    relevant: frozenset[str]
    number: int


class Outcome(NamedTuple):
    """What came back for a question."""

    asked: Asked
    ids: Sequence[str]
    score: float


def write(folder: Path, notes: Iterable[Note]) -> Workspace:
    """A vault of these notes."""
    memories = folder / "10-Memories"
    memories.mkdir(parents=True)
    for note in notes:
        head = {
            "title": json.dumps(note.title, ensure_ascii=False),
            "created": note.created,
            "tags": f"[{note.category}]",
            "topic": note.topic,
            "keywords": json.dumps(list(note.keywords), ensure_ascii=False),
        }
        lines = "\n".join(f"{name}: {value}" for name, value in head.items())
        (memories / f"{note.id}.md").write_text(f"---\n{lines}\n---\n# {note.title}\n\n{note.body}\n", encoding="utf-8")
    workspace = Workspace.open(str(folder))
    workspace.embed()
    return workspace


def conversations(path: Path, grain: str) -> Iterator[tuple[str, list[Note], list[Asked]]]:
    """The conversations, each as notes (sessions or turns) and questions."""
    number = 0
    for place, item in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        talk = item["conversation"]
        notes: list[Note] = []
        owner: dict[str, str] = {}
        for name in sorted((n for n in talk if re.fullmatch(r"session_\d+", n)), key=lambda n: int(n[8:])):
            session = int(name[8:])
            said = datetime.strptime(talk[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").date()
            lines = [(turn["dia_id"], _line(turn)) for turn in talk[name]]
            day = f"{said.day} {said:%B %Y}"
            if grain == "session":
                whole = f"MEM-session-{session:02}"
                notes.append(Note(whole, f"Session {session}, {day}", "\n\n".join(t for _, t in lines), f"{said}"))
                owner |= {key: whole for key, _ in lines}
            else:
                for key, text in lines:
                    owner[key] = f"MEM-{session:02}-{int(key.partition(':')[2]):03}"
                    notes.append(Note(owner[key], f"Session {session}, {day}", text, f"{said}"))
        questions = []
        for asked in item["qa"]:
            keys = re.findall(r"D\d+:\d+", " ".join(asked.get("evidence", [])))
            relevant = frozenset(owner[key] for key in keys if key in owner)
            if relevant:
                number += 1
                questions.append(Asked(asked["question"], f"{asked['category']}", relevant, number))
        yield f"{grain}-{place}", notes, questions


def with_foreign(sets: Sequence[tuple[str, list[Note], list[Asked]]]) -> list[tuple[str, list[Note], list[Asked]]]:
    """The same, each with every fifth question of the next one."""
    following = [*sets[1:], *sets[:1]]
    return [
        (name, notes, [*questions, *(asked._replace(kind="foreign", relevant=frozenset()) for asked in others[::5])])
        for (name, notes, questions), (_, _, others) in zip(sets, following, strict=True)
    ]


def _line(turn: dict[str, Any]) -> str:
    shown = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{shown}"


def developers_notes(folder: Path) -> tuple[str, list[Note], list[Asked]]:
    """The set of notes and queries."""
    lines = (folder / "memories.jsonl").read_text(encoding="utf-8").splitlines()
    notes = [
        Note(m["id"], m["title"], m["body"], topic=m["topic"], category=m["category"], keywords=m["keywords"])
        for m in map(json.loads, lines)
    ]
    queries = map(json.loads, (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    return "notes", notes, [Asked(q["query"], q["kind"], frozenset(q["relevant"]), n) for n, q in enumerate(queries, 1)]


def ask(notes: Sequence[Note], questions: Sequence[Asked], **options: Any) -> tuple[list[Outcome], float]:
    """Write the vault, ask all questions, and give the mean milliseconds of one."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = write(Path(folder) / "vault", notes)
        workspace.search("warm")
        start = time.perf_counter()
        found = [_outcome(workspace, asked, options) for asked in questions]
        return found, 1000 * (time.perf_counter() - start) / len(found)


def _outcome(workspace: Workspace, asked: Asked, options: dict[str, Any]) -> Outcome:
    hits = workspace.search(asked.text, DEPTH, **options).hits
    return Outcome(asked, [hit.id for hit in hits], hits[0].score if hits else 0.0)


def figures(found: Sequence[Outcome]) -> dict[str, float]:
    """The metrics of some answers."""
    sums: dict[str, float] = defaultdict(float)
    for outcome in found:
        relevant = outcome.asked.relevant
        for k in (5, 10):
            there = len(relevant & set(outcome.ids[:k]))
            sums[f"R@{k}"] += there / len(relevant)
            sums[f"any@{k}"] += there > 0
            sums[f"all@{k}"] += there == len(relevant)
        sums["MRR"] += next((1 / rank for rank, id in enumerate(outcome.ids, 1) if id in relevant), 0.0)
    return {name: sums[name] / len(found) for name in NAMES} | {"questions": len(found)}


def table(found: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The figures by kind of question and over all; those that nothing answers by the share left empty."""
    some = [outcome for outcome in found if outcome.asked.relevant]
    none = [outcome for outcome in found if not outcome.asked.relevant]
    kinds = sorted({outcome.asked.kind for outcome in some})
    rows = {kind: figures([outcome for outcome in some if outcome.asked.kind == kind]) for kind in kinds}
    rows["all"] = figures(some)
    if none:
        rows["all"]["answered"] = sum(bool(outcome.ids) for outcome in some) / len(some)
        rows["all"]["nothing"] = sum(not outcome.ids for outcome in none) / len(none)
    return rows


def measure(data: Path, only: Sequence[str], half: str, **options: Any) -> dict[str, Any]:
    """Every table that was asked for, with the mean time of a search."""
    result: dict[str, Any] = {}
    for what in only:
        if what == "notes":
            sets = [developers_notes(file_of(data, "matching/queries.jsonl").parent)]
        else:
            sets = with_foreign(list(conversations(file_of(data, "locomo-5.json"), what)))
        found: list[Outcome] = []
        spent = []
        for _, notes, questions in sets:
            outcomes, mean_ms = ask(notes, questions, **options)
            found += outcomes
            spent.append(mean_ms)
        kept = [o for o in found if half == "all" or (o.asked.number % 2 == 1) == (half == "odd")]
        result[what] = {"mean_ms": sum(spent) / len(spent), "rows": table(kept)}
    return result


def _print(result: dict[str, Any]) -> None:
    for what, part in result.items():
        print(f"\n{what}: {part['mean_ms']:.1f} ms a search")
        print(f"{'':12}{'n':>6}" + "".join(f"{name:>8}" for name in NAMES))
        for kind, row in part["rows"].items():
            print(f"{kind:12}{row['questions']:6}" + "".join(f"{row[name]:8.3f}" for name in NAMES))
        last = part["rows"]["all"]
        if "nothing" in last:
            print(
                f"answered {last['answered']:.3f} of these; nothing for {last['nothing']:.3f} of what nothing answers"
            )


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", action="append", choices=["session", "turn", "notes"])
    parser.add_argument("--half", choices=["odd", "even", "all"], default="all")
    parser.add_argument("--mode", choices=["hybrid", "lexical", "semantic"])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    options = {"mode": given.mode} if given.mode else {}
    result = measure(given.data, given.only or ["session", "turn", "notes"], given.half, **options)
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
