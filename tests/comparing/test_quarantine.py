"""A case in quarantine is asked, scored and listed, and counts for nothing; what is done to it still counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from row3.comparing.baseline import save_baseline
from row3.comparing.compare import compare
from row3.comparing.quarantine import quarantine, release
from row3.domain.judgements import Verdict
from row3.domain.quarantine import Quarantine, Quarantined
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Comparison, Run
from row3.project.criteria import in_force
from row3.project.project import open_project
from row3.project.quarantine import read_quarantine, today, write_quarantine
from row3.project.tree import WorkTree
from row3.running.collect import collect, header_for
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking, replay
from row3.running.session import CommandOptions, Session, open_session
from tests.bakery import IDS, bakery, found, record
from tests.projects import SUITE, Box

DAY = date(2026, 11, 22)


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    """Fifteen cases; v1.1 finds all there is in each of them."""
    made = bakery(tmp_path / "project")
    record(made, "1.1", found(4))
    return made


def opened(box: Box, **options: Any) -> Session:
    return open_session(box.root, None, RunOptions(**options))


def entry(case_id: str, until: str = "2026-12-01", since: str = "2026-11-22") -> Quarantined:
    return Quarantined(case_id, since, until, "wavers")


def run_under(box: Box, held: Iterable[Quarantined] = ()) -> Run:
    session = opened(box)
    project, suite = session.project, session.suite
    asking = make_asking(suite, line_up(project, suite, role="candidate"), session.options)
    results = replay(project, suite, asking, session.options)
    head = header_for(suite, asking, mode="replay")
    quarantined = Quarantine(tuple(held))
    return collect(results, suite, asking.lineup, head, partial=False, quarantine=quarantined)


def compared(box: Box, held: Iterable[Quarantined] = ()) -> Comparison:
    write_quarantine(box.root, f"golden/{SUITE}", held)
    return compare(opened(box))


def found_in(comparison: Comparison, case_id: str) -> list[tuple[str, Verdict]]:
    return [(each.code.value, each.verdict) for each in comparison.reasons if each.subject == case_id]


class TestCounting:
    def test_a_quarantined_case_is_in_no_mean_and_is_counted(self, box: Box) -> None:
        record(box, "1.1", {"ember": 1})
        plain, without = run_under(box), run_under(box, [entry("ember")])
        assert plain.header.metrics["recall"] == pytest.approx((14 + 0.25) / 15)
        assert without.header.metrics["recall"] == 1.0
        assert (plain.header.denominators["recall"], without.header.denominators["recall"]) == (15, 14)
        assert without.header.pooled["recall"] == 1.0

    def test_a_quarantined_case_is_still_asked_and_listed(self, box: Box) -> None:
        run = run_under(box, [entry("ember")])
        assert (run.cases, len(run.rows), run.usage.requests) == (15, 15, 15)
        assert run.header.gate["quarantined"] == ["ember"]
        assert any(b'"id":"ember"' in line for line in run.records)
        assert [each.case_id for each in run.quarantine.active] == ["ember"]

    def test_the_header_says_which(self, box: Box) -> None:
        held = [entry("iris"), entry("ember")]
        assert run_under(box, held).header.gate["quarantined"] == ["ember", "iris"]
        assert "quarantined" not in run_under(box).header.gate

    def test_a_bad_answer_is_listed_and_a_missing_one_is_missing(self, box: Box) -> None:
        box.record("1.1", {"ember": "I cannot"})
        run = run_under(box, [entry("ember")])
        assert (run.bad, run.header.metrics["recall"], run.complete) == (["ember"], 1.0, True)
        box.write(f"golden/{SUITE}/iris.gold.json", box.read(f"golden/{SUITE}/iris.gold.json").replace("The", "A"))
        run = run_under(box, [entry("iris")])
        assert (run.failed, run.complete, "quarantined" in run.header.gate) == (["iris"], False, False)


class TestComparing:
    @pytest.fixture(autouse=True)
    def baseline(self, box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("row3.comparing.quarantine.today", lambda: DAY)
        save_baseline(opened(box))

    def draft(self, box: Box, **found_there: int) -> None:
        """Answer the next version of the prompt: all of every case but these."""
        box.prompt("1.2")
        record(box, "1.2", found(4) | found_there)

    def test_a_drop_in_quarantine_is_shown_and_blocks_nothing(self, box: Box) -> None:
        self.draft(box, ember=0)
        assert ("worse", Verdict.INVESTIGATE) in found_in(compared(box), "overall")
        comparison = compared(box, [entry("ember")])
        assert comparison.verdict is Verdict.INVESTIGATE
        assert found_in(comparison, "ember") == [("quarantined_fell", Verdict.INVESTIGATE)]
        assert all(change.delta in (0.0, None) for change in comparison.metrics)
        assert {change.cases for change in comparison.metrics if change.delta is not None} == {14}
        assert comparison.compared == 14
        (moved,) = comparison.cases
        assert (moved.case_id, moved.move) == ("ember", "regressed")
        assert moved.note == "in quarantine until 2026-12-01: not counted"

    def test_a_drop_elsewhere_still_counts(self, box: Box) -> None:
        self.draft(box, **found(2))
        assert compared(box, [entry("ember")]).verdict is Verdict.BLOCK

    @pytest.mark.parametrize("said", ["I cannot", None])
    def test_a_critical_case_rests_too(self, box: Box, said: str | None) -> None:
        box.replace(f"golden/{SUITE}/ember.gold.json", '"id": "ember"', '"id": "ember", "critical": true')
        save_baseline(opened(box))
        self.draft(box, ember=1)
        if said is not None:
            box.record("1.2", {"ember": said})
        assert ("critical_broke", Verdict.BLOCK) in found_in(compared(box), "ember")
        comparison = compared(box, [entry("ember")])
        assert comparison.verdict is not Verdict.BLOCK
        assert found_in(comparison, "ember") == [("quarantined_fell", Verdict.INVESTIGATE)]


class TestInForce:
    def test_none(self, box: Box) -> None:
        session = opened(box)
        assert in_force(session.project, session.suite) == Quarantine()

    def test_today_and_after(self, box: Box) -> None:
        session = opened(box)
        write_quarantine(box.root, f"golden/{SUITE}", [entry("ember")])
        before, after = (in_force(session.project, session.suite, on=day) for day in (DAY, date(2026, 12, 1)))
        assert ([e.case_id for e in before.active], before.expired) == (["ember"], ())
        assert (after.active, [e.case_id for e in after.expired]) == ((), ["ember"])

    def test_the_file_beside_the_cases_that_judge_decides(self, box: Box, tmp_path: Path) -> None:
        session = opened(box)
        base = box.copy(tmp_path / "base")
        write_quarantine(base.root, f"golden/{SUITE}", [entry("iris")])
        write_quarantine(box.root, f"golden/{SUITE}", [entry("ember"), entry("iris")])
        held = in_force(session.project, session.suite, open_project(base.root), on=DAY)
        assert [e.case_id for e in held.active] == ["iris"]
        assert [e.case_id for e in held.waiting] == ["ember"]

    def test_a_quarantine_file_in_a_subfolder_is_ignored(self, box: Box) -> None:
        """A folder farther down than `golden/<suite>` is read with those in it."""
        deep = box.path("golden/kitchen/breads")
        deep.parent.mkdir()
        box.path(f"golden/{SUITE}").rename(deep)
        box.write("row3.toml", box.read("row3.toml") + f'\n[suites.{SUITE}]\ngolden = "kitchen/breads"\n')
        (deep / "more").mkdir()
        first = deep / f"{IDS[0]}.gold.json"
        first.rename(deep / "more" / first.name)
        write_quarantine(box.root, "golden/kitchen/breads/more", [entry(case_id) for case_id in IDS[1:3]])
        write_quarantine(box.root, "golden/kitchen/breads", [entry(IDS[3])])
        session = opened(box)
        assert [e.case_id for e in in_force(session.project, session.suite, on=DAY).active] == [IDS[3]]

    def test_more_than_a_fifth_is_refused(self, box: Box) -> None:
        session = opened(box)
        write_quarantine(box.root, f"golden/{SUITE}", [entry(case_id) for case_id in IDS[:3]])
        assert len(in_force(session.project, session.suite, on=DAY).active) == 3
        write_quarantine(box.root, f"golden/{SUITE}", [entry(case_id) for case_id in IDS[:4]])
        session = opened(box)
        with pytest.raises(InvalidFile, match="4 of 15 cases are in quarantine; no more than one in 5"):
            in_force(session.project, session.suite, on=DAY)
        assert len(in_force(session.project, session.suite, on=date(2026, 12, 1)).expired) == 4


class TestPutting:
    def put(
        self, box: Box, case_id: str = "ember", *, until: str = "2026-12-01", reason: str = "wavers"
    ) -> Quarantined:
        return quarantine(opened(box), case_id, until=until, reason=reason, on=DAY).entry

    def held(self, box: Box) -> dict[str, Quarantined]:
        return {each.case_id: each for each in read_quarantine(WorkTree(box.root), f"golden/{SUITE}")}

    def test_who_when_and_why(self, box: Box) -> None:
        self.put(box, reason="  the model\n wavers ")
        found = self.held(box)["ember"]
        assert (found.since, found.until, found.reason) == ("2026-11-22", "2026-12-01", "the model wavers")
        assert found.who

    def test_ninety_days_and_not_one_more_however_often(self, box: Box) -> None:
        last = DAY + timedelta(days=90)
        assert self.put(box, until=last.isoformat()).until == "2027-02-20"
        later = DAY + timedelta(days=30)
        with pytest.raises(UsageError, match="the maximum is 90") as error:
            quarantine(opened(box), "ember", until="2027-02-21", reason="again", on=later)
        assert "2027-02-20" in error.value.fix
        again = quarantine(opened(box), "ember", until="2026-12-24", reason="sooner", on=later)
        assert again.before is not None
        assert (again.entry.since, again.entry.until, again.entry.reason) == ("2026-11-22", "2026-12-24", "sooner")

    def test_an_expired_quarantine_starts_anew(self, box: Box) -> None:
        self.put(box)
        later = date(2026, 12, 10)
        found = quarantine(opened(box), "ember", until="2027-01-10", reason="again", on=later).entry
        assert found.since == "2026-12-10"

    def test_the_fourth_of_fifteen_is_one_too_many(self, box: Box) -> None:
        for case_id in IDS[:3]:
            self.put(box, case_id)
        with pytest.raises(UsageError, match="3 of 15 cases are in quarantine already"):
            self.put(box, IDS[3])
        assert self.put(box, IDS[0], reason="other").reason == "other"
        assert len(self.held(box)) == 3

    def test_a_small_suite_has_no_quarantine(self, tmp_path: Path) -> None:
        small = bakery(tmp_path / "small", cases=4)
        with pytest.raises(UsageError, match="0 of 4 cases are in quarantine already; no more than one in 5 may be"):
            self.put(small)

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"case_id": "embr"}, "Did you mean `ember`"),
            ({"case_id": "../ember"}, "does not exist"),
            ({"until": "2026-11-22"}, "not after today"),
            ({"until": "soon"}, "is not a date"),
            ({"until": "2026-02-30"}, "is not a date"),
            ({"reason": "\n"}, "the reason is empty"),
            ({"reason": "TEXT"}, "`TEXT` is a placeholder, not a reason. Write what makes the case flaky"),
            ({"reason": " <reason> "}, "`<reason>` is a placeholder, not a reason"),
            ({"reason": "x"}, "`x` is a placeholder, not a reason"),
            ({"reason": "…"}, "is a placeholder, not a reason"),
        ],
    )
    def test_what_is_refused(self, box: Box, changes: dict[str, str], says: str) -> None:
        with pytest.raises(UsageError, match=says.replace("`", ".")):
            self.put(box, **changes)
        assert self.held(box) == {}

    def test_a_case_is_found_whatever_its_file_is_called(self, box: Box) -> None:
        box.path(f"golden/{SUITE}/ember.gold.json").rename(box.path(f"golden/{SUITE}/other.gold.json"))
        assert self.put(box).case_id == "ember"

    def test_nothing_is_written_in_ci(self, box: Box) -> None:
        session = replace(opened(box), command=CommandOptions(may_write=False))
        with pytest.raises(UsageError, match="is not written in CI"):
            quarantine(session, "ember", until="2026-12-01", reason="wavers", on=DAY)
        with pytest.raises(UsageError, match="is not written in CI"):
            release(session, "ember")

    def test_release(self, box: Box) -> None:
        self.put(box)
        self.put(box, "iris")
        done = release(opened(box), "ember", on=DAY)
        assert (done.entry.case_id, done.left) == ("ember", 1)
        assert list(self.held(box)) == ["iris"]
        release(opened(box), "iris", on=DAY)
        assert not box.path(f"golden/{SUITE}/quarantine.json").exists()
        with pytest.raises(UsageError, match="In quarantine: none"):
            release(opened(box), "iris", on=DAY)


def test_today_is_a_day_in_utc() -> None:
    assert abs((today() - date.today()).days) <= 1
