"""A new version of a file that was learned before."""

import json
import re
from pathlib import Path

import pytest

from memtend.cli import main


def test_o_dm_07_a_new_version_of_a_file_updates_what_changed_and_names_what_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMTEND_NOW", "2026-06-30")
    main(["init"])
    guide = tmp_path / "guide.md"
    guide.write_text(_guide("Branches", "Reviews", "Releases", "Backups", "Laptops"))
    main(["learn", "guide.md", "--yes"])
    capsys.readouterr()
    assert main(["learn", "guide.md", "--yes", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["memories_affected"] == 0

    guide.write_text(
        _guide("Reviews", "Releases", "Backups", "Laptops", "Incidents").replace(
            "within four working hours", "within one working day"
        )
    )
    assert main(["learn", "guide.md", "--yes", "--json"]) in (0, 1)
    shown = capsys.readouterr()
    operations = {item["memory_id"].rpartition("-")[2]: item["type"] for item in json.loads(shown.out)["operations"]}
    assert operations == {
        "reviews": "UPDATE",
        "releases": "SKIP",
        "backups": "SKIP",
        "laptops": "SKIP",
        "incidents": "CREATE",
    }
    assert re.search(r"guide\.md no longer holds what MEM-\S*guide says", shown.err)


PARTS = {
    "Branches": """Feature branches are named after the ticket, such as SHOP-311-basket, and live for three days.
A branch that lives longer is cut into smaller ones that can be merged behind a feature switch.
Nobody pushes to main: the merge queue rebases each branch, runs the whole pipeline and merges it when it is green.
Stale branches are removed by a nightly job fourteen days after their last commit, and their author gets a mail.
Release branches exist only for the mobile app, because its store needs two days to look at a build.""",
    "Reviews": """Every change is read by one person who did not write it, and a database migration is read by two.
A reviewer answers within four working hours or hands the review on by name in the channel of the team.
Remarks are questions or requests: a request blocks the merge, a question does not.
Changes over four hundred lines are cut before they are read, generated files not counted.
Security reviews of login and payment code are asked for with the label needs-security before work starts.""",
    "Releases": """Releases leave on Tuesdays and Thursdays at nine in the morning, never before a public holiday.
The release train takes whatever is green on main at eight; a feature that is not ready stays behind its switch.
Canary nodes get the release first and serve five per cent of the traffic for thirty minutes.
Whoever leads the train watches latency, errors and the basket rate, and stops it when one of them moves by a tenth.
The notes of a release are made from merge titles and sent to support before the canary starts.""",
    "Backups": """The orders database is copied every six hours to another region and kept for thirty days.
Each copy is encrypted with the key backup-orders, which only the platform team can read.
A restore is rehearsed on the first Monday of every month, and the minutes it took are written into the log.
Pictures are not copied at all, since the supplier keeps them for ten years under contract.
A copy that is smaller than nine tenths of the one before it raises an alarm.""",
    "Laptops": """New laptops come with an encrypted disk, and the recovery sentence is kept by the office manager.
A machine that was not updated for three weeks loses its way into the intranet until it is.
Screens lock after four minutes; visitors use the blue wireless network, which leads nowhere else.
A lost laptop is reported by telephone, not by chat, and is erased from afar within the hour.
Old machines go to a school in the neighbourhood after the disk was taken out.""",
    "Incidents": """Whoever is on call writes the first note of an incident within ten minutes in the channel.
The incident lead gives the orders and does no repairs; a scribe keeps the timeline with the minute of each event.
Customers are told on the status page after fifteen minutes, and then every half hour until it is over.
A review without blame follows within five days, and each of its actions has an owner and a date.
Pages at night that asked for no action are a fault of the alarm and are mended the next morning.""",
}


def _guide(*names: str) -> str:
    return "# Guide\n\n" + "\n\n".join(f"## {name}\n\n{PARTS[name]}" for name in names) + "\n"
