"""What is said of answers that are not recorded: how many, which, and what would get them."""

from __future__ import annotations

import pytest

from tests.projects import Box


@pytest.fixture
def unrecorded(box: Box) -> Box:
    """v1.1 has no recordings."""
    box.path("recordings/bread/extract-v1.1.jsonl").unlink()
    return box


@pytest.mark.parametrize("args", [[], ["--compare"]])
def test_mode_auto_says_what_it_would_ask_before_what_it_lacks(unrecorded: Box, args: list[str]) -> None:
    (error,) = unrecorded.row3(*args, "--mode", "auto", code=2).errors
    before, _, after = error.partition(": the openai provider needs a key. ")
    assert before.endswith("3 cases have no recording (oven, rye, yeast), and mode auto would ask the provider")
    assert "Set OPENAI_API_KEY" in after
    assert after.endswith("or use --mode replay to see the nearest recording.")


def test_of_many_the_first_are_named(unrecorded: Box) -> None:
    for name in ("spelt", "malt"):
        unrecorded.write(
            f"golden/bread/{name}.gold.json",
            unrecorded.read("golden/bread/rye.gold.json").replace('"id": "rye"', f'"id": "{name}"'),
        )
    (error,) = unrecorded.row3("--mode", "auto", code=2).errors
    assert "5 cases have no recording (malt, oven, rye and 2 more)" in error


def test_what_asks_for_everything_says_only_what_it_lacks(unrecorded: Box) -> None:
    (error,) = unrecorded.row3("--mode", "live", code=2).errors
    assert error.startswith("error: the openai provider needs a key. Set OPENAI_API_KEY")


def test_a_case_without_an_answer_stands_once_in_the_result(unrecorded: Box) -> None:
    for args in ([], ["-v"], ["--compare"]):
        out = unrecorded.row3(*args, code=3).out
        assert " removed" not in out
        assert out.count("- yeast") + out.count("same: rye, yeast") == 1, args


def test_an_incomplete_comparison_has_no_verdict(unrecorded: Box) -> None:
    result = unrecorded.row3("--compare", "--format", "json", code=3).json
    assert (result["verdict"], result["complete"]) == (None, False)
    assert {reason["code"] for reason in result["reasons"]} >= {"no_answer"}


def test_what_is_answered_keeps_its_line(box: Box) -> None:
    text = box.read("golden/bread/rye.gold.json").replace('"rye"', '"spelt"', 1)
    box.write("golden/bread/spelt.gold.json", text.replace("Rye is a cereal.", "Rye is a known cereal."))
    out = box.row3(code=3).out
    assert out.count("spelt") == 1
    assert "\n★ rye " in out
    assert "more (" not in out


def test_an_error_that_ends_with_a_question_has_one_stop(box: Box) -> None:
    unreachable = '[provider]\npreset = "ollama"\nbase_url = "http://127.0.0.1:9/v1"\nmax_retries = 0\n'
    box.replace("row3.toml", "[provider]\n", unreachable)
    (error,) = box.row3("--mode", "live", "--case", "rye", "--format", "json", code=3).errors
    assert error.endswith("Is the server running?")


@pytest.mark.parametrize("args", [[], ["--compare"]])
def test_why_answers_are_missing_is_told_once(unrecorded: Box, args: list[str]) -> None:
    done = unrecorded.row3(*args, code=3)
    assert done.errors == ["error: the run is incomplete: 3 of 3 cases have no answer."]
    assert " ".join(done.out.split()).count("no recording") == 1
    unseen = unrecorded.row3(*args, "--out", "result.txt", code=3)
    assert "no recording" in unseen.errors[0]


def test_outputs_without_an_output_are_one_fault(box: Box) -> None:
    box.write("outputs.jsonl", "\n \n")
    for name, fault in (
        ("outputs.jsonl", "the file has no output. Write one object per line"),
        ("/dev/null", "this is a pipe, a socket or a device, not a file. Write the outputs to a file first."),
    ):
        (error,) = box.row3("score", "bread", "--outputs", name, code=2).errors
        assert error.startswith(f"error: {name}: {fault}")
