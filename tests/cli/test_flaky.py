"""`row3 flaky`, `quarantine` and `release` as processes in a git repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.bakery import IDS, bakery, found, record
from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, copy_of, first, flawless
from tests.rows import every_row

Models = Callable[[Callable[[str, int], FakeReply]], FakeModel]

FILE = "golden/bread/quarantine.json"


def day(days: int) -> str:
    """So many days from today."""
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """v1.1 was asked three times: `iris` wavers."""
    box = bakery(tmp_path_factory.mktemp("flaky") / "project")
    for repeat, concepts in enumerate((4, 1, 4)):
        record(box, "1.1", found(4) | {"iris": concepts}, repeat=repeat)
    box.init()
    return box


box = copy_of("asked")


def test_into_quarantine_and_out_of_it(box: Box) -> None:
    done = box.row3("flaky", "quarantine", "iris", "--until", day(20), "--reason", "wavers, see #12", code=0)
    assert f"iris does not count until {day(20)}; 1 case in quarantine." in done.out
    (entry,) = json.loads(box.read(FILE))["cases"]
    assert entry == {
        "case": "iris",
        "since": day(0),
        "until": day(20),
        "reason": "wavers, see #12",
        "who": "Zoë Tester <zoe@example.org>",
    }
    assert box.git("status", "--porcelain").out.strip() == f"?? {FILE}"
    shown = box.row3("flaky", code=0).out
    assert "flaky (quarantined)" in shown
    assert f"quarantined: 1 case (iris until {day(20)}: wavers, see #12)" in " ".join(shown.split())
    done = box.row3("flaky", "release", "iris", code=0)
    assert "counts again; 0 cases in quarantine." in done.out
    assert box.git("status", "--porcelain").out == ""


@every_row(
    ("arguments", "says"),
    [
        (("quarantine", "iriss", "--until", "+20", "--reason", "wavers"), "Did you mean `iris`?"),
        (("quarantine", "iris", "--until", "+91", "--reason", "wavers"), "91 days"),
        (("quarantine", "iris", "--until", "+0", "--reason", "wavers"), "not after today"),
        (("quarantine", "iris", "--until", "next week", "--reason", "wavers"), "`next week` is not a date"),
        (("quarantine", "iris", "--until", "+20", "--reason", " "), "the reason is empty"),
        (("quarantine", "iris", "--until", "+20"), "--reason"),
        (("quarantine", "iris", "--reason", "wavers"), "--until"),
        (("release", "iris"), "`iris` is not in quarantine"),
        (("--case", "zz*"), "no case matches"),
        (("quarntine", "iris"), "there is no command `quarntine`. Did you mean `quarantine`?"),
    ],
)
def test_wrong_arguments(box: Box, arguments: tuple[str, ...], says: str) -> None:
    before = box.tree()
    given = [day(int(each)) if each.startswith("+") else each for each in arguments]
    done = box.row3("flaky", *given, code=2)
    assert (done.out, len(done.errors)) == ("", 1)
    assert says in done.err
    assert box.tree() == before


def test_two_at_once_both_stand(box: Box) -> None:
    started = [
        box.start("flaky", "quarantine", case_id, "--until", day(20), "--reason", "wavers") for case_id in IDS[:3]
    ]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert {entry["case"] for entry in json.loads(box.read(FILE))["cases"]} == set(IDS[:3])


class TestAsked:
    """From a model that wavers on `rye`, to the table."""

    @pytest.fixture
    def live(self, tiny_promoted: Box, model: Models, tmp_path_factory: pytest.TempPathFactory) -> Box:
        """Three cases; every second answer to `rye` lacks all of its concepts but one."""

        def choose(case_id: str, times: int) -> FakeReply:
            output = flawless(CASES[case_id])
            return FakeReply(json.dumps(first(output, 1) if case_id == "rye" and times % 2 else output))

        copy = tiny_promoted.copy(tmp_path_factory.mktemp("asked") / "project")
        model(choose).serve(copy)
        return copy

    def verdicts(self, box: Box) -> dict[str, tuple[int, str]]:
        cases = box.row3("flaky", "--format", "json", code=0).json["cases"]
        return {case["id"]: (case["answers"], case["verdict"]) for case in cases}

    def test_three_recorded_repeats(self, live: Box) -> None:
        live.row3("--repeats", "3", "--mode", "record", "--jobs", "1", code=0)
        assert self.verdicts(live) == {
            "rye": (3, "flaky"),
            "yeast": (3, "steady"),
            "oven": (3, "steady"),
        }
        text = " ".join(live.row3("power", code=0).out.split())
        assert "asked 3 times" in text
        assert "From this suite's own answers (repeats, confirmations, saved runs), drawn again." in text
