"""Cost, tokens and latency: figures of every comparison, with limits that block."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.projects import SUITE, Box, tiny

MODEL = "baker-1"
BEFORE = {"promptTokens": 900, "completionTokens": 100, "latencyS": 1.0}
AFTER = {"promptTokens": 1900, "completionTokens": 100, "latencyS": 1.5}
PRICED = f'[prices."{MODEL}"]\ninput = 1\noutput = 10\ncached = 0.1\n'


def use(box: Box, version: str, usage: Mapping[str, Any]) -> None:
    """Have the recorded answers of a version take these tokens and seconds."""
    for file in box.path("recordings").rglob(f"extract-v{version}.jsonl"):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            line["response"] |= usage
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A new version that is better, and reads twice as many tokens; the baseline is that of the old one."""
    made = tiny(tmp_path / "p")
    use(made, "1.0", BEFORE)
    use(made, "1.1", AFTER)
    made.init()
    away = made.path("prompts/extract-v1.1.md")
    away.rename(away.with_suffix(".away"))
    made.row3("--baseline", code=0)
    away.with_suffix(".away").rename(away)
    return made


def add(box: Box, settings: str) -> None:
    box.write("row3.toml", f"{box.read('row3.toml')}\n{settings}")


def limit(box: Box, text: str) -> None:
    add(box, f'[suites.{SUITE}.gate]\nfail = "{text}"\n')


def compared(box: Box, *args: str, code: int = 0) -> dict[str, Any]:
    value = json.loads(box.row3("--compare", "--format", "json", *args, code=code).out)
    assert isinstance(value, dict)
    return value


def test_figures_are_in_every_format(box: Box, tmp_path: Path) -> None:
    found = compared(box)["figures"]
    assert found == {
        "tokens": {"before": 1000.0, "now": 2000.0, "difference": 1000.0, "rise": 100.0, "limit": None, "cases": 3},
        "latency": {"before": 1.0, "now": 1.5, "difference": 0.5, "rise": 50.0, "limit": None, "cases": 3},
    }
    for form in ("table", "markdown"):
        text = " ".join(re.sub(r"[|*\\]", " ", box.row3("--compare", "--format", form, code=0).out).split())
        assert re.search(r"Tokens per case 1,000 2,000 \+ ?100%", text)
        assert re.search(r"Latency per case 1.0 s 1.5 s \+ ?50%", text)
        assert "Cost per case" not in text  # nobody knows this model's price
    assert "Tokens per case: 1,000 → 2,000 (+100%)" in box.row3("--compare", "--format", "junit", code=0).out
    page = tmp_path / "page.html"
    box.row3("report", "--out", str(page), code=0)
    assert "Tokens per case" in page.read_text(encoding="utf-8")


def test_a_figure_of_fewer_cases_than_are_compared_says_how_many(box: Box) -> None:
    file = next(box.path("recordings").rglob("extract-v1.1.jsonl"))
    first, *others = file.read_text(encoding="utf-8").splitlines()
    unknown = json.loads(first)
    unknown["response"] |= {"promptTokens": None, "latencyS": None}
    file.write_text("\n".join([json.dumps(unknown), *others, ""]), encoding="utf-8")
    for arguments in (["--compare", "--fail", "tokens:150%"], ["--compare", "--format", "markdown"]):
        assert "Tokens per case (2 of 3 cases)" in box.row3(*arguments, code=0).out


def test_a_price_makes_the_cost_a_figure_and_cached_input_has_its_own(box: Box) -> None:
    add(box, PRICED)
    cost = compared(box)["figures"]["cost"]
    assert (cost["before"], cost["now"]) == pytest.approx((0.0019, 0.0029))  # 900 + 1,000 and 1,900 + 1,000 millionths
    use(box, "1.1", {"cachedTokens": 1800})
    assert compared(box)["figures"]["cost"]["now"] == pytest.approx(0.00128)  # 100 + 180 + 1,000


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("tokens:20%", ["tokens"]),
        ("tokens:99.9%", ["tokens"]),
        ("tokens:100%", []),
        ("cost:52%, latency:50%", ["cost"]),  # 0.0019 to 0.0029 is 52.6%
        ("cost:53%,tokens:250%", []),
        ("LATENCY: 49 %", ["latency"]),
        ("overall:5,latency:10%", ["latency"]),
    ],
)
def test_a_limit_blocks_what_rose_beyond_it(text: str, blocks: list[str], box: Box) -> None:
    add(box, PRICED)
    found = compared(box, "--fail", text, code=1 if blocks else 0)
    said = [each for each in found["reasons"] if each["verdict"] == "block"]
    assert [(each["code"], each["subject"]) for each in said] == [("worse", key) for key in blocks]
    assert all("limit" in each["text"] for each in said)
    limits = {key: value["limit"] for key, value in found["figures"].items() if value["limit"] is not None}
    assert limits.keys() == {part.split(":")[0].strip().lower() for part in text.split(",") if "%" in part}


def test_a_limit_in_the_settings_holds_in_the_hook_and_its_loosening_blocks(box: Box) -> None:
    limit(box, "tokens:20%")
    draft = box.path("prompts/extract-v1.1.md")
    text = draft.read_text(encoding="utf-8")
    draft.unlink()
    box.commit("a limit")
    draft.write_text(text, encoding="utf-8")
    box.git("add", "-A")
    done = box.row3("hook", "run", code=1)
    assert "Tokens per case went from 1,000 to 2,000 (+100%, limit 20%)" in done.err
    assert (
        "prompts/extract-v1.1.md" in box.row3("--compare", "--against", "HEAD", "--format", "codequality", code=1).out
    )
    report = box.row3("--compare", "--against", "HEAD", "--format", "junit", code=1).out
    failure = ElementTree.fromstring(report).find(".//testcase[@name='gate']/failure")
    assert failure is not None
    assert "limit 20%" in (failure.text or "")
    box.replace("row3.toml", "tokens:20%", "tokens:200%")
    reasons = compared(box, "--against", "HEAD", code=1)["reasons"]
    assert ("criteria_loosened", "rule figure.tokens") in [(each["code"], each["subject"]) for each in reasons]


def test_an_informational_gate_reports_and_never_blocks(box: Box) -> None:
    limit(box, "tokens:20%")
    add(box, "informational = true\n")
    assert compared(box)["verdict"] == "block"


@pytest.mark.parametrize(
    ("usage", "text", "what"),
    [
        (dict.fromkeys(BEFORE), "tokens:20%", "no case has the tokens of both sides' answers"),
        ({"latencyS": None}, "latency:20%", "no case has the latency"),
        ({}, "tokens:200%,cost:20%", "no case has the cost"),  # a model without a price
    ],
)
def test_a_limit_on_an_unknown_figure_is_an_error(usage: dict[str, None], text: str, what: str, box: Box) -> None:
    use(box, "1.0", usage)
    limit(box, text)
    done = box.row3("--compare", code=2)
    assert what in done.err
    assert "row3.toml" in done.err
    assert "gate.fail" in done.err
    assert "--mode record" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tokens:20", "Write tokens:20%"),
        ("recall:5%", "Write recall:5"),
        ("tokns:5%", "tokens"),
        ("tokens:20%,tokens:30%", "two limits"),
        ("tokens:much%", "not a limit for tokens"),
        ("cost:-1%", "not a limit for cost"),
        ("cost:%", "not a limit for cost"),
        ("cost:1e9%", "0 to 10000"),
        ("tokens:20%,recal:5", "not a metric"),
    ],
)
def test_a_bad_limit_is_one_message(text: str, said: str, box: Box) -> None:
    done = box.row3("--compare", "--fail", text, code=2)
    assert "--fail" in done.err
    assert said in done.err


def test_unpriced_or_uncounted_cases_are_left_out_of_both_sides(box: Box) -> None:
    file = next(box.path("recordings").rglob("extract-v1.1.jsonl"))
    first, *others = file.read_text(encoding="utf-8").splitlines()
    value = json.loads(first)
    value["response"] |= {"promptTokens": None}
    file.write_text("\n".join([json.dumps(value), *others]) + "\n", encoding="utf-8")
    found = compared(box)["figures"]
    assert (found["tokens"]["cases"], found["latency"]["cases"]) == (2, 3)
    assert found["tokens"]["rise"] == 100.0


def test_a_diff_of_versions_and_of_saved_runs_has_them_too(box: Box) -> None:
    add(box, PRICED)
    versions = json.loads(box.row3("diff", "v1.0", "v1.1", "--format", "json", code=0).out)["figures"]
    assert versions == compared(box)["figures"]
    assert [round(value["rise"]) for value in versions.values()] == [53, 100, 50]
    text = " ".join(box.row3("diff", "v1.0", "v1.1", code=0).out.split())
    assert "Tokens per case 1,000 2,000 +100% ▼ – – 3" in text
    box.row3("--prompt", "extract-v1.0", code=0)
    box.row3("--prompt", "extract-v1.1", code=0)
    runs = sorted(path.stem for path in box.path(".row3/runs").glob("*.json"))
    assert json.loads(box.row3("diff", runs[-2], runs[-1], "--format", "json", code=0).out)["figures"] == versions
