"""Likeness of texts, and in what alike texts contradict each other (O-DM-01 to O-DM-03)."""

import json
from pathlib import Path

import pytest

from memtend.text import conflict, coverage, similarity
from memtend.text.likeness import exchanged

GOLD = Path(__file__).parents[3] / "shared" / "data" / "matching"


def kind(a: str, b: str) -> str | None:
    """The kind of contradiction, required to be the same from both sides."""
    one, other = conflict(a, b), conflict(b, a)
    assert (one and one.kind) == (other and other.kind)
    return one.kind if one else None


POOL = "Use the thread pool for the import jobs of the shop."


def test_o_dm_01_an_addition_with_a_not_in_it_is_no_contradiction() -> None:
    assert kind(POOL, "Do not forget to size the thread pool for the import jobs of the shop.") is None
    assert kind("Tests run in parallel.", "Tests not only run in parallel but in random order.") is None


def test_o_dm_01_a_never_is_a_contradiction() -> None:
    assert kind(POOL, "Never use the thread pool for the import jobs of the shop.") == "negation"


def test_o_dm_01_not_inside_a_word_is_no_negation() -> None:
    assert kind(POOL, "Knots in the thread pool of the import jobs.") is None
    assert kind("The notary service is up.", "The service is up.") is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("We allow force-push on main.", "We do not allow force-push on main."),
        ("Drafts are indexed.", "Drafts aren't indexed."),
        ("Drafts are indexed.", "Drafts are no longer indexed."),
        ("The worker can open the file.", "The worker cannot open the file."),
        ("The job needs a lock.", "The job needs no lock."),
        ("Deploy with a migration.", "Deploy without a migration."),
        ("Wir erlauben Uploads im Forum.", "Wir erlauben keine Uploads im Forum."),
        ("Die Warteschlange wird geleert.", "Die Warteschlange wird nicht geleert."),
        ("Le cache est vidé chaque nuit.", "Le cache n'est pas vidé chaque nuit."),
        ("La caché se vacía cada noche.", "La caché no se vacía cada noche."),
        ("Кэш очищается ночью.", "Кэш не очищается ночью."),
        ("缓存每天晚上会清空。", "缓存每天晚上不会清空。"),
    ],
)
def test_o_dm_02_a_denial_of_the_same_word_contradicts(a: str, b: str) -> None:
    assert kind(a, b) in ("negation", "opposite")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("New switches default to on.", "New switches default to off."),
        ("Prefer tabs.", "Prefer spaces over tabs."),
        ("Prefer tabs.", "Prefer spaces."),
        ("Run the linter before the tests.", "Run the linter after the tests."),
        ("The endpoint is synchronous.", "The endpoint is asynchronous."),
        ("Metrics are enabled on staging.", "Metrics are disabled on staging."),
        ("Pick gRPC and not REST for the ledger.", "Pick REST and not gRPC for the ledger."),
        ("Only the leader writes, followers read.", "Only followers write, the leader reads."),
        ("Use make instead of npm scripts.", "Use npm scripts instead of make."),
        ("Die Prüfung läuft vor dem Speichern.", "Die Prüfung läuft nach dem Speichern."),
    ],
)
def test_o_dm_02_opposite_facts_contradict(a: str, b: str) -> None:
    assert kind(a, b) == "opposite"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The cache is enabled.", "The cache is not disabled."),
        ("Uploads are not allowed.", "Uploads are forbidden."),
        ("Prefer tabs.", "Prefer tabs over spaces."),
        ("Turn the switch on before the deploy.", "Before the deploy, turn the switch on."),
    ],
)
def test_the_same_said_the_other_way_round_is_no_contradiction(a: str, b: str) -> None:
    assert kind(a, b) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("Deadline is 15 October", "Deadline is 16 October", "number"),
        ("Deadline is 15 October", "Deadline is 15 November", "number"),
        ("Releases go out on Tuesday.", "Releases go out on Thursday.", "number"),
        ("Port 8080", "Port 8081", "number"),
        ("needs Python 3.11", "needs Python 3.12", "version"),
        ("timeout 30 s", "timeout 30 min", "number"),
        ("v1.2.3", "v1.2.4", "version"),
        ("42 tests pass", "420 tests pass", "number"),
        ("E-101", "E-110", "number"),
        ("Since Node 18 the flag is gone.", "Since Node 20 the flag is gone.", "version"),
        ("The image is `redis:7.2-alpine`.", "The image is `redis:7.4-alpine`.", "version"),
        ("The limit is 10 MB.", "The limit is 10 GB.", "number"),
        ("端口是8080", "端口是8081", "number"),
    ],
)
def test_o_dm_03_texts_that_differ_in_a_number_are_told_apart(a: str, b: str, expected: str) -> None:
    assert kind(a, b) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The timeout is 60 s.", "The timeout is 1 min."),
        ("The timeout is 60 seconds.", "The timeout is 60s."),
        ("The limit is 2 GB.", "The limit is 2000 MB."),
        ("The lock lasts 500 ms.", "The lock lasts 0.5 s."),
    ],
)
def test_the_same_measure_in_another_unit_is_no_contradiction(a: str, b: str) -> None:
    assert kind(a, b) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Retry three times, then give up.", "Retry five times, then give up."),
        ("Retry three times, then give up.", "Retry 5 times, then give up."),
        ("Retry once, then give up.", "Retry twice, then give up."),
        ("Empty the bin twice a day.", "Empty the bin once a day."),
        ("Run one worker for each queue.", "Run two workers for each queue."),
        ("Keep twenty-five backups of the shop.", "Keep thirty backups of the shop."),
        ("Wait ten minutes for the lock.", "Wait ten seconds for the lock."),
        ("Send 1,000 rows a batch.", "Send 2,000 rows a batch."),
        ("Send two hundred and fifty rows a batch.", "Send 200 rows a batch."),
    ],
)
def test_o_dm_03_numbers_in_words_are_told_apart_like_those_in_digits(a: str, b: str) -> None:
    assert kind(a, b) == "number"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Retry three times, then give up.", "Retry 3 times, then give up."),
        ("Retry twice, then give up.", "Retry two times, then give up."),
        ("Keep twenty-five backups of the shop.", "Keep 25 backups of the shop."),
        ("Keep twenty five backups of the shop.", "Keep 25 backups of the shop."),
        ("Send two hundred and fifty rows a batch.", "Send 250 rows a batch."),
        ("Wait five minutes for the lock.", "Wait 300 s for the lock."),
        ("Send 1,000 rows a batch.", "Send 1000 rows a batch."),
        ("Send 12,500 rows a batch.", "Send twelve thousand five hundred rows a batch."),
        ("Use this one for the mail queue.", "Use these two for the mail queue."),
        ("Write the file once the lock is held.", "Write the file twice while the lock is held."),
    ],
)
def test_the_same_number_in_words_and_a_one_that_counts_nothing_are_no_contradiction(a: str, b: str) -> None:
    assert kind(a, b) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The purple dye is in vat 78.", "The yellow dye is in vat 77."),
        ("78 purple bottles on the wall", "77 yellow bottles on the wall"),
        ("fact number 78 about purple things", "fact number 77 about yellow things"),
    ],
)
def test_o_dm_03_short_notes_of_one_pattern_with_other_numbers_contradict(a: str, b: str) -> None:
    assert kind(a, b) == "number"


def test_words_in_each_others_place_are_those_that_say_something_else() -> None:
    assert exchanged("Drain the mail queue at noon.", "Drains the print queue at noon!") == (("mail", "print"),)
    assert exchanged("Retry it three times.", "Retry it 3 times.") == ()
    assert exchanged("Drain the queue.", "Wash all windows.") == ()
    assert exchanged("Drain the queue.", "Drain the mail queue.") == ()


def test_a_number_that_the_other_text_knows_too_is_no_contradiction() -> None:
    ours = "Retries: 3 for the mail queue. Retries: 5 for the report queue."
    theirs = "Retries: 5 for the report queue. Retries: 3 for the mail queue."

    assert kind(ours, theirs) is None


def test_the_difference_says_what_each_side_says() -> None:
    found = conflict("The pool holds 20 connections.", "The pool holds 30 connections.")

    assert found is not None
    assert (found.ours, found.theirs) == ("20", "30")


DEPLOY = """The deploy job builds the image, runs the smoke tests and moves the tag.
It waits 90 seconds for the health route. Rollbacks are done by hand with `make rollback`.
Only the release team may start it on Fridays."""


def test_one_changed_sentence_in_a_longer_text_is_found() -> None:
    assert kind(DEPLOY, DEPLOY.replace("90 seconds", "120 seconds")) == "number"
    assert kind(DEPLOY, DEPLOY.replace("are done", "are not done")) == "negation"
    assert kind(DEPLOY, DEPLOY.replace("Fridays", "Mondays")) == "number"


def test_texts_on_different_matters_do_not_contradict_however_their_numbers_differ() -> None:
    other = "The mail worker sends 40 letters a second. It never retries. Bounces are kept for 30 days in a table."

    assert kind(DEPLOY, other) is None


def test_an_addition_does_not_contradict() -> None:
    assert kind(DEPLOY, DEPLOY + "\nNightly builds keep their logs for 14 days and are not signed.") is None


def test_what_is_said_of_one_name_and_then_of_another_is_a_contradiction() -> None:
    ours = "`read.timeout` limits one call. `pool.timeout` limits the wait for a free connection of the pool."
    theirs = "`read.timeout` limits the wait for a free connection of the pool. `pool.timeout` limits one call."

    assert kind(ours, theirs) == "opposite"


def test_a_copy_in_other_case_and_spacing_is_equal() -> None:
    assert similarity("We deploy at noon.", "we  deploy at\nnoon") > 0.98
    assert kind("We deploy at noon.", "we  DEPLOY at\nnoon.") is None


def test_near_copies_are_nearly_equal_and_other_matters_hardly_alike() -> None:
    copy = DEPLOY.replace("smoke tests", "smoke checks")

    assert 0.9 < similarity(DEPLOY, copy) < 1
    assert similarity(DEPLOY, "Mail bounces are kept for a month, then the table is emptied by the nightly job.") < 0.2


def test_a_part_is_covered_by_the_whole_and_not_the_whole_by_the_part() -> None:
    part = DEPLOY.splitlines()[1]

    assert coverage(part, DEPLOY) > 0.97
    assert coverage(DEPLOY, part) < 0.6


def test_inflected_words_are_alike() -> None:
    assert similarity("The worker retries failed jobs", "Workers retry a failing job") > 0.5


def test_chinese_texts_are_compared_by_pairs() -> None:
    assert similarity("缓存每晚清空", "缓存每晚都清空") > 0.6
    assert similarity("缓存每晚清空", "邮件队列很长") < 0.1


def test_empty_texts_are_like_nothing() -> None:
    assert similarity("", "words") == 0.0
    assert similarity("", "") == 1.0
    assert coverage("", "words") == 0.0
    assert conflict("", "words") is None


def test_gold_conflicts_are_caught_and_known_or_added_texts_raise_no_alarm() -> None:
    if not GOLD.exists():
        pytest.skip(f"the gold data is not at {GOLD}")
    memories = {m["id"]: m["body"] for m in map(json.loads, (GOLD / "memories.jsonl").read_text("utf-8").splitlines())}
    segments = [json.loads(line) for line in (GOLD / "segments.jsonl").read_text("utf-8").splitlines()]

    found = [(s, conflict(s["text"], memories[s["target"]])) for s in segments if s["target"]]
    caught = [s["conflict"] == (c and c.kind) for s, c in found if s["conflict"]]
    alarms = [c for s, c in found if c and not s["conflict"] and s["action"] != "update"]

    assert sum(caught) >= 0.9 * len(caught)
    assert len(alarms) <= 2


def test_a_number_that_stands_elsewhere_in_a_long_text_hides_no_other_number() -> None:
    fact, other = "The boiler of hall two holds 40 litres.", "The boiler of hall two holds 55 new litres."
    filler = [
        f"Note {letter * 2}{number} speaks of the {letter}{number}x."
        for number in range(99)
        for letter in "abcdefghijkl"
    ]
    short = "\n\n".join([fact, "Lamp nine has 55 switches.", *filler[:20]])
    assert conflict(other, short) is None  # 55 may well be the same text's
    long = "\n\n".join([fact, *filler, "Lamp nine has 55 switches."])
    found = conflict(other, long)
    assert found is not None and (found.kind, found.ours, found.theirs) == ("number", "55", "40")


NUMBERS_THAT_STAND_ELSEWHERE = [
    ("The port is 9090. The admin port is 8080.", "The port is 8080. The admin port is 9090.", ("9090", "8080")),
    (
        "Retry at most five times, after 200 ms and 400 ms, with jitter.",
        "Retry at most three times, after 200 ms and 400 ms, with jitter. After five failures the breaker opens.",
        ("five", "three"),
    ),
    (
        "- Keep backups for 30 days\n- Keep logs for 7 days",
        "- Keep backups for 7 days\n- Keep logs for 30 days",
        ("30 days", "7 days"),
    ),
]


@pytest.mark.parametrize(("ours", "theirs", "said"), NUMBERS_THAT_STAND_ELSEWHERE)
def test_a_number_contradicts_in_the_same_words_though_the_other_text_has_it_elsewhere(
    ours: str, theirs: str, said: tuple[str, str]
) -> None:
    found = conflict(ours, theirs)
    assert found is not None
    assert (found.kind, found.ours, found.theirs) == ("number", *said)
    turned = conflict(theirs, ours)
    assert turned is not None and turned.kind == "number"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Room 12 has blue doors.", "Room 14 has blue doors. Room 12 has red windows."),
        ("Step 2 takes ten minutes. Step 1 takes ten minutes.", "Step 1 takes ten minutes. Step 2 takes ten minutes."),
        ("The lamp costs 5 euros. The lamp costs 7 euros.", "The lamp costs 7 euros. The lamp costs 5 euros."),
        ("The lamp costs 5 euros. The lamp costs 7 euros.", "The lamp costs 7 euros. A bulb costs 5 euros."),
        ("The lamp costs 7 euros. A bulb costs 5 euros.", "The lamp costs 5 euros. The lamp costs 7 euros."),
        ("The proxy listens on 80 and 443.", "The proxy listens on 443 and 80."),
        ("On day 3 we sold 40 lamps.", "On day 4 we sold 52 lamps. On day 3 we bought 52 and sold 4 lamps at 40."),
    ],
)
def test_numbers_of_lists_and_names_of_other_things_contradict_nothing(ours: str, theirs: str) -> None:
    assert conflict(ours, theirs) is None
