"""Code that a change brings, in settings, cases or modules: nothing of it runs where a change is judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.projects import Box

CONFIG = """suite = "desk"
mode = "auto"

[suites.desk]
kind = "checks"

[suites.desk.provider]
type = "command"
version = "1.0"
command = "python"
args = ["answer.py"]
"""
ANSWER = "from pathlib import Path\nPath('asked').touch()\nprint('fine')\n"
SCORERS = "from pathlib import Path\n\ndef good(case, answer):\n    Path('scored').touch()\n    return 1.0\n"
EVIL = "from pathlib import Path\nPath('evil').touch()\n"
AGAINST = ("--compare", "--against", "main")
CASE = "golden/desk/a.gold.json"


def case(function: str = "scorers:good", text: str = "hello") -> str:
    return json.dumps({"id": "a", "input": {"text": text}, "checks": [{"python": function}]})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """A suite that a command answers and a function scores, with its baseline, in a folder of a repository."""
    top = Box(tmp_path_factory.mktemp("guard") / "repository")
    box = Box(top.root / "evals", top.env)
    box.write("row3.toml", CONFIG)
    box.write("answer.py", ANSWER)
    box.write("scorers.py", SCORERS)
    box.write(CASE, case())
    box.row3("--baseline", code=0)
    top.init()
    top.write(".gitignore", ".row3/\n__pycache__/\nasked\nscored\nevil\n")
    top.commit("main")
    return top


@pytest.fixture
def box(made: Box, tmp_path: Path) -> Box:
    """A copy, on a branch of its own."""
    top = made.copy(tmp_path / "repository")
    top.git("checkout", "-q", "-b", "change")
    box = Box(top.root / "evals", top.env)
    forget(box)
    return box


def forget(box: Box) -> None:
    for name in ("asked", "scored", "evil"):
        box.path(name).unlink(missing_ok=True)


def ran(box: Box) -> list[str]:
    return [name for name in ("asked", "scored", "evil") if box.path(name).exists()]


def other_scorer(box: Box) -> None:
    box.write("scorers.py", SCORERS + EVIL)


def other_function(box: Box) -> None:
    box.write(CASE, case("antigravity:fly"))


def suite_check(box: Box) -> None:
    box.replace("row3.toml", 'kind = "checks"\n', 'kind = "checks"\nchecks = [{ python = "pdb:run" }]\n')


def shadow(box: Box) -> None:
    box.write("textwrap.py", EVIL)


def package(box: Box) -> None:
    box.write("tools/deep/__init__.py", EVIL)


def other_program(box: Box) -> None:
    box.replace("row3.toml", 'args = ["answer.py"]', "args = [\"-c\", \"open('evil', 'w')\"]")


def other_script(box: Box) -> None:
    box.write("answer.py", EVIL)


def function(box: Box) -> None:
    box.replace("row3.toml", 'type = "command"', 'type = "python"')
    box.replace("row3.toml", 'command = "python"\nargs = ["answer.py"]', 'callable = "answer:main"')


def server(box: Box) -> None:
    box.replace("row3.toml", 'type = "command"', 'type = "mcp"\ntool = "x"')


SCORING: dict[Callable[[Box], None], str] = {
    other_scorer: "scorers.py differs",
    other_function: "a check of type python is `antigravity:fly` here and `scorers:good` in the base",
    suite_check: "a check of type python is `pdb:run` here and `scorers:good` in the base",
    shadow: "textwrap.py differs",
    package: "tools/deep/__init__.py differs",
}
ASKING: dict[Callable[[Box], None], str] = {
    other_program: "row3.toml field suites.desk.provider is `",
    other_script: "answer.py differs",
    function: "row3.toml field suites.desk.provider is `",
    server: "row3.toml field suites.desk.provider is `",
}


def test_what_the_base_has_runs(box: Box) -> None:
    box.row3(*AGAINST, "--mode", "replay", code=0, CI="true")
    assert ran(box) == ["scored"]
    box.write(CASE, case(text="changed"))
    box.commit("another text")
    box.row3(*AGAINST, CI="true")
    assert ran(box) == ["asked", "scored"]


@pytest.mark.parametrize("command", ["verify", "list", "prune"])
def test_looking_after_recordings_runs_no_code_and_asks_for_no_trust(box: Box, command: str) -> None:
    box.write("row3.toml", f'{CONFIG}\n[judge]\nmodel = "m"\n')
    rubric = '---\nname: help\nversion: "1.0"\noutput: grade\n---\n{% block user %}{{ answer }}{% endblock %}\n'
    box.write("prompts/help-v1.0.md", rubric)
    box.write(CASE, json.dumps({**json.loads(case()), "checks": [{"python": "scorers:good"}, {"judge": "help"}]}))
    other_scorer(box)
    said = box.row3("recordings", command, code=0, CI="true")
    assert ran(box) == []
    assert command != "verify" or "no recording of help-v1.0" in said.out


@pytest.mark.parametrize("attack", SCORING)
@pytest.mark.parametrize("command", [AGAINST, ("report", "--against", "main"), (*AGAINST, "--all"), ()])
def test_no_scorer_that_a_change_brings_runs(box: Box, attack: Callable[[Box], None], command: tuple[str, ...]) -> None:
    attack(box)
    box.commit("attack")
    done = box.row3(*command, "--mode", "replay", code=2, CI="true")
    told = " ".join((done.err + done.out).split())
    assert SCORING[attack] in told
    assert "--trust" in told
    assert "evil" not in ran(box)


@pytest.mark.parametrize("attack", ASKING)
@pytest.mark.parametrize("command", [AGAINST, ()])
def test_no_system_that_a_change_brings_is_started(
    box: Box, attack: Callable[[Box], None], command: tuple[str, ...]
) -> None:
    attack(box)
    box.write(CASE, case(text="to be asked"))
    box.commit("attack")
    done = box.row3(*command, "--mode", "record", code=2, CI="true")
    assert ASKING[attack] in done.err
    assert not {"evil", "asked"} & set(ran(box))


@pytest.mark.parametrize("attack", [other_scorer, shadow])
def test_the_hook_runs_the_base_s_scorers_only(box: Box, attack: Callable[[Box], None]) -> None:
    attack(box)
    if attack is shadow:  # an import that a check does not name is seen with a case
        box.write(CASE, case() + "\n")
    box.git("add", "-A")
    done = box.row3("hook", "run", "pre-commit", code=2)
    assert SCORING[attack] in done.err
    assert ran(box) == []
    box.row3("hook", "run", "pre-commit", code=0, ROW3_TRUST="1")
    assert "scored" in ran(box)


def test_the_hook_lets_code_pass_that_scores_nothing(box: Box) -> None:
    box.write("notes.txt", "x")
    box.write("tool.sh", "x")
    box.write("application.py", "x = 1\n")
    box.git("add", "-A")
    assert box.row3("hook", "run", "pre-commit", code=0).err == ""
    box.write(CASE, json.dumps({"id": "a", "input": {"text": "hello"}, "checks": [{"contains": "fine"}]}))
    box.row3("--baseline", code=0)
    box.commit("no scorer")
    box.git("branch", "-f", "main")
    other_scorer(box)
    box.git("add", "-A")
    assert box.row3("hook", "run", "pre-commit", code=0).err == ""


def test_with_trust_and_at_the_keyboard_it_runs(box: Box) -> None:
    other_scorer(box)
    box.commit("mine")
    for args, env in (
        ((*AGAINST, "--trust"), {}),
        (AGAINST, {"ROW3_TRUST": "1"}),
        (("--trust",), {"CI": "1"}),
        ((), {}),
    ):
        forget(box)
        box.row3(*args, "--mode", "replay", code=0, **env)
        assert ran(box) == ["scored", "evil"]
    forget(box)
    box.row3(*AGAINST, "--mode", "replay", code=2)
    assert ran(box) == []


def test_replay_starts_nothing_and_asks_for_no_trust(box: Box) -> None:
    box.replace("row3.toml", 'version = "1.0"', 'version = "1.0"\ntimeout_s = 5')
    box.commit("patience")
    box.row3(*AGAINST, "--mode", "replay", code=0, CI="true")
    assert ran(box) == ["scored"]


def test_in_ci_without_a_protected_branch_nothing_runs(box: Box) -> None:
    box.git("branch", "-q", "-D", "main")
    done = box.row3("--mode", "replay", code=2, CI="true")
    assert (
        "that branch is not available here. Fetch the branch, name a base with --against, or pass --trust" in done.err
    )
    assert ran(box) == []


def test_a_secret_header_is_sent_only_where_the_base_sends_it(tiny_promoted: Box, tmp_path: Path) -> None:
    box = tiny_promoted.copy(tmp_path / "project")
    box.write("row3.toml", box.read("row3.toml") + '[provider.headers]\nX-Gate = { env = "GATE" }\n')
    box.prompt("1.2")
    box.commit("a header")
    done = box.row3("--compare", "--against", "HEAD~1", "--mode", "record", code=2, OPENAI_API_KEY="sk-x")
    assert '"headers":{"X-Gate":{"env":"GATE"}}' in done.err


def test_a_key_goes_to_the_base_s_address_only(tiny_promoted: Box, tmp_path: Path) -> None:
    box = tiny_promoted.copy(tmp_path / "project")
    box.replace("row3.toml", "[provider]\n", '[provider]\nbase_url = "http://127.0.0.1:9/v1"\n')
    box.prompt("1.2")
    box.commit("elsewhere")
    done = box.row3("--compare", "--against", "HEAD~1", "--mode", "record", code=2, OPENAI_API_KEY="sk-x")
    assert '"base_url":"http://127.0.0.1:9/v1"' in done.err
    assert "127.0.0.1:9" not in done.out
