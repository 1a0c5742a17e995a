"""From a segment and its neighbours to a proposal (vault spec, 2.2)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtend.learn.comparison import Neighbour
from memtend.learn.match import propose, topics_of
from memtend.memory import Digest, MemoryId
from memtend.review import Action, ConflictKind, Proposal, Strength, proposal_from_json, proposal_to_json
from memtend.text import key_terms

ROOT = Path(__file__).parents[2]
GOLD = ROOT.parent / "shared" / "data" / "matching"


def memory(name: str, title: str, keywords: str, text: str, topic: str = "") -> Neighbour:
    return Neighbour(
        MemoryId(name), title, Digest(f"digest of {name}"), topic, "CONFIG", tuple(keywords.split(", ")), text
    )


BACKUP = memory(
    "MEM-backup",
    "Nightly backup of the ledger with restic",
    "restic, backup, ledger, retention, S3 bucket",
    "The ledger is saved by `restic backup /srv/ledger` at 02:15. The repository lies in an S3 bucket with lock. "
    "Retention: `restic forget --keep-daily 14 --keep-monthly 12 --prune`. The password comes from the vault and is "
    "never written to disk. A restore is rehearsed on the first Monday of each quarter by somebody who has not done "
    "it before, with the runbook alone.",
    "ops/backup",
)
THUMBNAILS = memory(
    "MEM-thumbnails",
    "Thumbnails are made on first request",
    "thumbnails, imgproxy, CDN, WebP",
    "The shop asks imgproxy for a thumbnail the first time a page shows it, and the CDN keeps the answer for a year. "
    "WebP is chosen by the Accept header. Originals above 20 megapixels are refused with a 413.",
    "web/images",
)
LINTER = memory(
    "MEM-linter",
    "Ruff replaces three linters",
    "ruff, linter, pre-commit",
    "Ruff formats and lints in one pass of half a second. The old configuration of flake8 and isort was removed. New "
    "rules are switched on one at a time, each with the fixes in a commit of its own.",
    "python/tools",
)
ALL = (BACKUP, THUMBNAILS, LINTER)


def proposed(text: str, *neighbours: Neighbour) -> Proposal:
    return propose("seg-001", text, text[:40], "ops", key_terms(text), neighbours or ALL)


def test_an_exact_copy_is_known_already() -> None:
    answer = proposed(BACKUP.text).recommendation

    assert (answer.action, answer.target, answer.strength) == (Action.SKIP, BACKUP.id, Strength.STRONG)


def test_a_copy_under_its_heading_or_in_other_spacing_is_known_already() -> None:
    spaced = BACKUP.text.replace(". ", ".\n\n").replace("The ledger", "the  ledger")

    assert proposed(f"# {BACKUP.title}\n\n{BACKUP.text}").recommendation.action is Action.SKIP
    assert proposed(spaced).recommendation.action is Action.SKIP


def test_a_part_taken_word_for_word_is_known_already() -> None:
    assert proposed(BACKUP.text.partition(" The repository")[0]).recommendation.action is Action.SKIP


def test_the_same_in_other_words_is_probably_known_and_a_person_is_asked() -> None:
    text = (
        "Backup of the ledger: at 02:15 `restic backup /srv/ledger` saves it to the S3 bucket, whose objects are "
        "locked. The retention is set by `restic forget --keep-daily 14 --keep-monthly 12 --prune`. The vault hands "
        "out the password, which is never written to disk."
    )

    answer = proposed(text).recommendation
    assert (answer.action, answer.target, answer.strength) == (Action.SKIP, BACKUP.id, Strength.WEAK)


def test_a_copy_with_one_new_sentence_is_not_taken_for_known() -> None:
    text = BACKUP.text + " Failed runs open a ticket for the storage group and page the engineer on duty."

    assert proposed(text).recommendation.action in (Action.UPDATE, Action.EXTEND)


def test_a_copy_with_one_changed_word_is_not_taken_for_known() -> None:
    assert proposed(BACKUP.text.replace("restic", "borg")).recommendation.action is not Action.SKIP
    assert proposed(BACKUP.text.replace("quarter", "decade")).recommendation.action is Action.UPDATE


@pytest.mark.parametrize(("ours", "theirs"), [("purple", "yellow"), ("crimson", "purple")])
def test_a_short_text_that_may_be_a_correction_or_a_twin_is_left_to_a_person(ours: str, theirs: str) -> None:
    text = "The {} wing of the hotel is cleaned before noon, and the guests of that wing get breakfast early."
    known = memory("MEM-wing", "Cleaning of the hotel", "hotel, wing, breakfast", text.format(theirs))
    answer = proposed(text.format(ours), known).recommendation

    assert answer.action is Action.UPDATE
    assert answer.strength is Strength.WEAK
    assert f"the text says {ours}, the memory {theirs}" in answer.reasons[-1]


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Retry a failed call to the parcel API three times.", "A failed parcel API call is retried three times."),
        ("Never commit generated files to the repository.", "Generated files are never to be committed to the repo."),
        ("Use the blue slot for rollbacks.", "Rollbacks go to the blue slot."),
    ],
)
def test_a_short_text_in_other_words_is_probably_known(known: str, text: str) -> None:
    answer = proposed(text, memory("MEM-known", "Note", "", known)).recommendation

    assert (answer.action, answer.strength, answer.target) == (Action.SKIP, Strength.WEAK, "MEM-known")


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Retry a failed call three times.", "Retry a failed call three times, with jitter."),
        ("Backups of the ledger run every night.", "Backups of the ledger run every night and are encrypted."),
        ("The cache is cleared after each deploy.", "The cache is warmed after each deploy."),
        ("Logs are kept on the host and sent to the archive.", "Logs are kept on the host and rotated weekly by size."),
    ],
)
def test_a_short_text_that_adds_or_changes_something_is_not_taken_for_known(known: str, text: str) -> None:
    assert proposed(text, memory("MEM-known", "Note", "", known)).recommendation.action is not Action.SKIP


def test_one_word_changed_in_a_long_text_is_an_edit() -> None:
    answer = proposed(BACKUP.text.replace("somebody", "anyone").replace("runbook", "handbook")).recommendation

    assert answer.action is Action.UPDATE
    assert answer.strength is not Strength.WEAK


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("02:15", "04:45", ConflictKind.NUMBER),
        ("--keep-daily 14", "--keep-daily 30", ConflictKind.NUMBER),
        ("is never written to disk", "is written to disk", ConflictKind.NEGATION),
        ("first Monday", "last Monday", ConflictKind.OPPOSITE),
    ],
)
def test_o_dm_03_a_contradiction_is_named_makes_the_update_weak_and_is_never_a_copy(
    old: str, new: str, kind: ConflictKind
) -> None:
    answer = proposed(BACKUP.text.replace(old, new))

    assert answer.recommendation.action is Action.UPDATE
    assert answer.recommendation.conflict is kind
    assert answer.recommendation.strength is Strength.WEAK
    assert any("differs" in reason for reason in answer.recommendation.reasons)
    assert answer.candidates[0].evidence.caps


def test_o_dm_02_short_opposite_facts_are_not_skipped() -> None:
    known = memory("MEM-tabs", "Indentation", "indentation, tabs", "Prefer tabs.")
    answer = proposed("Prefer spaces over tabs.", known).recommendation

    assert answer.action is not Action.SKIP
    assert answer.conflict is ConflictKind.OPPOSITE or answer.action is Action.CREATE


def test_a_newer_version_of_the_whole_is_an_update() -> None:
    text = (
        "Nightly backup of the ledger, as of this year. restic writes to two S3 buckets in different regions at 01:00, "
        "`restic copy` fills the second one. Retention became `--keep-daily 30 --keep-monthly 24`. The password still "
        "comes from the vault, now by a short-lived token. The restore rehearsal moved to every month and is timed; "
        "the runbook has a page for each failure seen so far."
    )

    answer = proposed(text).recommendation
    assert (answer.action, answer.target) == (Action.UPDATE, BACKUP.id)


def test_an_addition_on_the_same_matter_is_an_extension() -> None:
    text = (
        "The restic backup of the ledger also needs a check of its own data: once a week a job runs `restic check "
        "--read-data-subset=5%` from a second machine, since bit rot on the way is not noticed by snapshots. It takes "
        "forty minutes and its result is shown on the storage dashboard."
    )

    answer = proposed(text).recommendation
    assert (answer.action, answer.target) == (Action.EXTEND, BACKUP.id)


def test_another_matter_is_a_new_memory() -> None:
    text = "Feature switches are read from LaunchDarkly at start and every minute; without it the last values stay."
    answer = proposed(text).recommendation

    assert (answer.action, answer.target) == (Action.CREATE, None)


def test_without_neighbours_a_memory_is_created() -> None:
    answer = propose("seg-001", "Anything at all", "Anything", "", ("Anything",), ())

    assert answer.recommendation.action is Action.CREATE
    assert answer.recommendation.strength is Strength.STRONG
    assert answer.candidates == ()


def test_the_overlap_is_the_share_of_key_terms_unrounded() -> None:
    answer = propose("seg-001", "x", "x", "", ("restic", "Ledger", "kafka"), ALL)
    found = {candidate.id: candidate.overlap for candidate in answer.candidates}

    assert found[BACKUP.id] == 2 / 3
    assert found[LINTER.id] == 0.0


def test_candidates_are_all_there_with_the_nearest_first() -> None:
    answer = proposed("imgproxy makes thumbnails, the CDN keeps them")

    assert answer.candidates[0].id == THUMBNAILS.id
    assert {candidate.id for candidate in answer.candidates} == {neighbour.id for neighbour in ALL}
    assert answer.digests == {neighbour.id: neighbour.digest for neighbour in ALL}


def test_a_runner_up_close_behind_lowers_the_strength() -> None:
    text = (
        BACKUP.text.replace("at 02:15", "by a timer").replace("The vault", "Our vault") + " A pager watches the timer."
    )
    twin = BACKUP._replace(id=MemoryId("MEM-twin"))

    alone, beside = proposed(text, BACKUP).recommendation, proposed(text, BACKUP, twin).recommendation
    order = list(Strength)
    assert order.index(beside.strength) < order.index(alone.strength)


def test_every_recommendation_says_why_in_words() -> None:
    for text in (BACKUP.text, "imgproxy thumbnails are cached by the CDN for a month", "Something else entirely"):
        answer = proposed(text)
        assert answer.recommendation.reasons
        assert all(reason and not reason.endswith(".") for reason in answer.recommendation.reasons)
        assert [part.name for part in answer.candidates[0].evidence.parts] == [
            "overlap",
            "keywords",
            "subject",
            "foreign",
        ]


def test_the_payload_carries_what_drafting_needs() -> None:
    answer = propose(
        "seg-007", "Some text", "sum", "a/b", ("Some",), ALL, payload={"title": "T", "source_file": "x.md"}
    )

    assert (answer.id, answer.kind, answer.summary) == ("seg-007", "learn", "sum")
    assert answer.payload == {
        "topic": "a/b",
        "key_terms": ["Some"],
        "text": "Some text",
        "title": "T",
        "source_file": "x.md",
    }
    assert answer.actions == (Action.UPDATE, Action.EXTEND, Action.CREATE, Action.SKIP)


def test_a_proposal_survives_being_saved() -> None:
    answer = proposed(BACKUP.text.replace("02:15", "04:45"))

    assert proposal_from_json(json.loads(json.dumps(proposal_to_json(answer)))) == answer


def test_topics_of_the_matches_come_best_first() -> None:
    assert topics_of(ALL, ("restic", "ledger", "ruff")) == ("ops/backup", "python/tools")
    assert topics_of(ALL, ("kubernetes", "helm")) == ()
    assert topics_of((), ("restic",)) == ()


def test_a_memory_without_keywords_is_matched_by_its_text() -> None:
    bare = BACKUP._replace(keywords=())

    assert proposed(BACKUP.text, bare).recommendation.action is Action.SKIP
    assert proposed("restic backup of the ledger to the S3 bucket: retention", bare).candidates[0].overlap > 0.3


def test_that_nothing_is_like_a_text_is_the_surer_the_less_speaks_for_the_nearest() -> None:
    far = proposed("The cafeteria serves lentil soup on Tuesdays and noodles on Fridays.").recommendation
    near = proposed(
        "Nightly deploys of the shop are started by the duty officer, who reads the runbook and rehearses each quarter."
    ).recommendation
    assert (far.action, near.action) == (Action.CREATE, Action.CREATE)
    assert (far.strength, near.strength) == (Strength.STRONG, Strength.MEDIUM)


def test_gold_decisions_are_met() -> None:
    if not GOLD.exists():
        pytest.skip(f"the gold data is not at {GOLD}")
    script = ROOT / "benchmarks" / "matching.py"
    done = subprocess.run([sys.executable, script, GOLD, "--json"], capture_output=True, text=True, check=True)
    whole, even = (json.loads(done.stdout)["halves"][half] for half in ("all", "even"))

    assert whole["action"] >= 0.85
    assert even["action"] >= 0.83
    assert whole["target"] >= 0.95
    assert whole["conflicts_caught"] >= 0.9
    assert whole["conflicts_skipped"] == 0
    assert sum(whole["false_alarms"][action] for action in ("skip", "extend", "create")) <= 3
