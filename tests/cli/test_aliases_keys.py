"""`row3 aliases review` on a terminal, with real keys."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.projects import Box, copy_of
from tests.reviews import REVIEWED, RYE, reviewable, with_items
from tests.terminal import CTRL_C, CTRL_D, UP, terminal

REVIEW = ("aliases", "review")
OVEN = "golden/bread/oven.gold.json"


@pytest.fixture(scope="session")
def reviewable_project(tmp_path_factory: pytest.TempPathFactory) -> Box:
    box = reviewable(tmp_path_factory.mktemp("aliases-keys") / "project")
    box.init()
    return box


box = copy_of("reviewable_project")


def case(box: Box, name: str = RYE) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(box.read(name))
    return value


def left(box: Box) -> list[str]:
    return [item["item"] for item in box.row3(*REVIEW, "--format", "json", code=0).json["unmatched"]]


def test_one_key_each(box: Box) -> None:
    with terminal(box, *REVIEW, piped=True) as person:
        person.until_asked()
        assert person.screen.startswith("── 1 of 5 · oven ─")
        assert "»Steam keeps« the crust soft." in person.screen
        assert "✓ real miss `Steam keeps`" in person.press("m")
        assert person.screen.startswith("── 2 of 5 · rye ─")
        assert "✓ alias `final proofing` of `proofing`" in person.press("a")
        assert person.screen.startswith("── 4 of 5 · rye ─"), "the alias matches `final proofings` too"
        assert "– skipped" in person.press("s")
        assert "✓ canary `oat`" in person.press("h")
        assert "That was the last one." in person.text
        code, out = person.end("q")
    assert code == 0
    assert out.startswith("1 alias, 1 canary, 1 real miss; 1 left, in 9 recorded answers of 3 cases.\n")
    assert f"  {RYE}\n    + alias `final proofing` of `proofing`\n    + canary `oat`\n" in out
    assert f"  {REVIEWED}\n    + oven: real miss `Steam keeps`\n" in out
    assert case(box)["expectedConcepts"][3] == {"label": "proofing", "aliases": ["final proofing"]}
    assert case(box)["forbiddenConcepts"][-1] == "oat"
    assert [entry["change"] for entry in case(box)["history"]] == [
        "alias `final proofing` of `proofing`",
        "canary `oat`",
    ]
    assert left(box) == ["NaCl"]
    status = {line[3:] for line in box.git("status", "--porcelain", "--untracked-files=all").out.splitlines()}
    assert status == {RYE, REVIEWED}


def test_the_file_is_as_it_was_but_for_what_was_added_and_the_scores_follow(box: Box) -> None:
    args = ("--prompt", "extract-v1.2", "--case", "rye", "--format", "json")
    text, before = box.read(RYE), box.row3(*args, code=0).json
    with terminal(box, *REVIEW, "--case", "rye") as person:
        person.press("a")
        person.end("q")
    (entry,) = case(box)["history"]
    label, end = '   "label": "proofing"', " ]\n}\n"
    assert text.count(label) == 1
    assert text.endswith(end)
    assert box.read(RYE) == (
        text.removesuffix(end).replace(label, f'{label},\n   "aliases": ["final proofing"]')
        + f' ],\n "history": [{json.dumps(entry, ensure_ascii=False)}]\n}}\n'
    )
    after = box.row3(*args, code=0).json
    assert (before["metrics"]["recall"], after["metrics"]["recall"]) == (0.75, 1.0)


def test_a_digit_chooses_another_concept(box: Box) -> None:
    box.prompt("1.4")
    output = with_items("rye", "proofing", "common salt and cold proofing")
    output["concepts"] = [one for one in output["concepts"] if one["label"] != "salt"]
    box.record("1.4", {"rye": output})
    with terminal(box, *REVIEW, "--prompt", "extract-v1.4") as person:
        person.until_asked()
        assert "1  salt " in person.screen
        assert "2  proofing " in person.screen
        assert "no expected concept has that number" in person.press("9")
        assert "✓ alias `common salt and cold proofing` of `proofing`" in person.press("2")
        person.end("q")
    assert case(box)["expectedConcepts"][3]["aliases"] == ["common salt and cold proofing"]


def test_what_stands_in_the_text_is_no_canary_and_the_item_is_still_asked_about(box: Box) -> None:
    before = box.tree()
    with terminal(box, *REVIEW) as person:
        said = person.press("h")
        assert "✗" in said
        assert f"{OVEN} field" in said
        assert "occurs in the text" in " ".join(said.split())
        assert "2 of 5" not in person.text
        assert person.end("q")[0] == 0
    assert box.tree() == before


def test_undo_goes_back_one_by_one_to_the_bytes_before(box: Box) -> None:
    for name in (RYE, OVEN):
        box.write(name, box.read(name).replace("\n", "\r\n"))
    before = box.tree()
    with terminal(box, *REVIEW) as person:
        person.press("m", "a", "s", "h")
        assert box.tree() != before
        assert "undone: canary `oat`" in person.press("u")
        assert person.screen.startswith("── 5 of 5")
        person.press("u")
        assert person.screen.startswith("── 4 of 5")
        assert "undone: alias" in person.press("u")
        assert "undone: real miss" in person.press("u")
        assert "nothing to undo" in person.press("u")
        person.end("q")
    assert box.tree() == before


def test_undo_refuses_a_file_that_was_changed_meanwhile(box: Box) -> None:
    with terminal(box, *REVIEW, "--case", "rye") as person:
        person.press("a")
        box.replace(RYE, '"secale"', '"secale", "rye grain"')
        said = " ".join(person.press("u").split())
        assert f"{RYE}: the file was changed after the decision" in said
        assert "final proofing" in box.read(RYE)
        assert "rye grain" in box.read(RYE)
        person.end("q")


@pytest.mark.parametrize(("key", "code"), [("q", 0), (CTRL_D, 0), (CTRL_C, 130)])
def test_what_was_decided_is_kept_however_it_ends(box: Box, key: str, code: int) -> None:
    with terminal(box, *REVIEW) as person:
        person.press("m")
        assert person.end(key)[0] == code
    assert "Steam keeps" in box.read(REVIEWED)
    assert left(box) == ["final proofing", "final proofings", "NaCl", "oat"]


def test_other_keys_do_nothing(box: Box) -> None:
    before = box.tree()
    with terminal(box, *REVIEW) as person:
        assert "✗ no key `z`" in person.press("z")
        person.type(UP)
        person.until_read()
        time.sleep(0.3)  # an arrow brings nothing that could be waited for
        assert "✗ no key `x`" in person.press("x")
        assert person.end("q")[0] == 0
    assert box.tree() == before


def test_the_screen_is_80_columns_wide_and_colour_can_be_left_out(box: Box) -> None:
    ways: list[tuple[tuple[str, ...], dict[str, str], bool]] = [
        ((), {}, True),
        (("--no-color",), {}, False),
        ((), {"NO_COLOR": "1"}, False),
    ]
    for args, env, coloured in ways:
        with terminal(box, *REVIEW, *args, env=env) as person:
            person.press("s", "z", "h")
            person.end("q")
            assert ("\x1b[" in person.seen) == coloured
            assert all(len(line) <= 80 for line in person.text.split("\n"))


def test_in_ci_nothing_is_asked_since_nothing_may_be_written(box: Box) -> None:
    with terminal(box, *REVIEW, env={"CI": "true"}) as person:
        code, _ = person.end()
    assert code == 2
    told = "error: row3 aliases review: golden cases are not written in CI. Use --list to see what there is to review."
    assert person.text.split() == told.split()


def test_a_review_waits_for_another_row3_that_writes(box: Box) -> None:
    from filelock import FileLock

    box.state.mkdir(parents=True, exist_ok=True)
    with terminal(box, *REVIEW) as person:
        person.until_asked()
        lock = FileLock(box.state / "lock")
        lock.acquire(timeout=0.0)
        person.type("m")
        person.until("another row3 is writing")
        lock.release()
        person.until_asked()
        assert person.screen.startswith("── 2 of 5")
        person.end("q")
