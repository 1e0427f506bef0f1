"""Suites that a command, a Python function or an MCP server answers, by the command line from end to end."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.journeys import judged
from tests.projects import CASES, SUITE, Box, first, flawless, wait_until
from tests.rows import every_row

ANSWERS = "answers.json"
FUNCTION = """
import json, sys
from pathlib import Path

def extract(source_text, topic=""):
    print("not on stdout, please")
    answers = json.loads(Path(__file__).with_name("answers.json").read_text())
    answer = next(answer for text, answer in answers.items() if text == source_text)
    if isinstance(answer, str) and answer.startswith("raise "):
        raise RuntimeError(answer[6:])
    return answer

def main():
    question = json.load(sys.stdin)
    stdout, sys.stdout = sys.stdout, sys.stderr
    answer = extract(**question)
    print(answer if isinstance(answer, str) else json.dumps(answer), file=stdout)

if __name__ == "__main__":
    main()
"""
SERVER = """
import sys
from pathlib import Path
from typing import Any
sys.path.insert(0, str(Path(__file__).parent))
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
import system

server = MCPServer("system", log_level="ERROR")
learnt = set()

@server.tool()
def learn(word: str) -> str:
    learnt.add(word)
    return "learnt"

@server.tool()
def extract(text: str, needs: str) -> dict[str, Any]:
    if needs not in learnt:
        raise ToolError(f"never heard of {needs}")
    try:
        answer = system.extract(text)
    except RuntimeError as error:
        raise ToolError(str(error))
    return answer if isinstance(answer, dict) else {"said": answer}

server.run()
"""
PROVIDERS = {
    "command": 'type = "command"\ncommand = "python"\nargs = ["system.py"]\nretries = 0\n',
    "python": 'type = "python"\ncallable = "system:extract"\narguments = { source_text = "{source_text}" }\n',
    "mcp": (
        'type = "mcp"\ncommand = "python"\nargs = ["server.py"]\ntool = "extract"\n'
        'arguments = { text = "{source_text}", needs = "rye bread" }\n'
        f'[[suites.{SUITE}.provider.setup]]\ntool = "learn"\nfor_each = "corpus/*.txt"\n'
        'arguments = { word = "{text}" }\n'
    ),
}
NAMES = {"command": "python-system-py", "python": "system-extract", "mcp": "extract"}
TYPES = sorted(PROVIDERS)


def system_box(root: Path, kind: str, version: str = "1.0") -> Box:
    """The small suite, answered by a system that finds everything; in git."""
    box = Box(root)
    settings = f'suite = "{SUITE}"\nmode = "replay"\n\n[suites.{SUITE}.provider]\nversion = "{version}"\n'
    box.write("row3.toml", settings + PROVIDERS[kind])
    for case_id in CASES:
        box.case(case_id)
    box.write("system.py", FUNCTION)
    box.write("server.py", SERVER)
    box.write("corpus/rye.txt", "rye bread")
    answer(box, {})
    box.init()
    return box


def answer(box: Box, changed: dict[str, object]) -> None:
    """What the system says from now on."""
    said = {case["sourceText"]: changed.get(case_id, flawless(case)) for case_id, case in CASES.items()}
    box.write(ANSWERS, json.dumps(said))


@pytest.fixture(params=TYPES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def box(tmp_path: Path, kind: str) -> Box:
    return system_box(tmp_path / "project", kind)


def test_recorded_once_it_is_replayed_without_the_system(box: Box, kind: str) -> None:
    done = box.row3(code=3)
    assert done.errors == ["error: the run is incomplete: 3 of 3 cases have no answer."]
    assert "Record it with --mode record" in " ".join(done.out.split())
    recorded = box.row3("--baseline", "--mode", "record", code=0)
    assert f"{NAMES[kind]} v1.0" in recorded.out
    assert "not on stdout" not in recorded.out
    for gone in ("system.py", "server.py", ANSWERS):
        box.path(gone).unlink()
    box.commit("recorded")
    result = box.row3("--compare", "--format", "json", code=0).json
    assert (result["mode"], result["model"], result["prompts"]) == ("replay", kind, {NAMES[kind]: "v1.0"})
    assert result["metrics"]["overall"] == pytest.approx(0.85)
    assert (result["usage"]["requests"], result["usage"]["replayed"]) == (3, 3)
    assert result["verdict"] == "proceed"
    listed = box.row3("recordings", "list", code=0).out
    assert f"{NAMES[kind]}-v1.0" in listed
    assert "recordings are in order" in box.row3("recordings", "verify", code=0).out
    assert "planned from" in box.row3("power", code=0).out
    assert "main (git " in box.row3("diff", "main", "HEAD", code=0).out
    assert "0 removed, 3 kept" in box.row3("recordings", "prune", code=0).out + ""
    assert "row3.toml" not in box.row3("lint").out


def test_a_worse_system_is_blocked_and_its_version_is_named(box: Box, kind: str) -> None:
    box.row3("--baseline", "--mode", "record", code=0)
    box.commit("baseline")
    answer(box, {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
    assert box.row3("--compare", code=0).out  # what is recorded stays what it was
    box.replace("row3.toml", 'version = "1.0"', 'version = "1.1"')
    assert box.row3("--compare", code=3).errors  # another system, another question
    done = box.row3("--compare", "--mode", "record", code=1)
    assert f"{NAMES[kind]} v1.1" in done.out
    assert "BLOCK" in done.out
    again = box.row3("--compare", code=1)
    assert "BLOCK" in again.out
    assert "recordings are in order" in box.row3("recordings", "verify", code=0).out
    # The candidate was asked four more times, to confirm the block.
    assert "0 removed, 18 kept" in box.row3("recordings", "prune", code=0).out


@pytest.mark.parametrize("kind", ["python"])
def test_a_live_run_is_held_to_what_the_system_answered_then(box: Box, kind: str) -> None:
    """It cannot be asked as it was, and beside itself it would never fall."""
    box.row3("--baseline", "--mode", "record", code=0)
    box.row3("--baseline", "--mode", "live", code=0)
    box.commit("baselines")
    answer(box, {case_id: first(flawless(case), 3) for case_id, case in CASES.items()})
    for version in ("1.0", "1.1"):
        box.replace("row3.toml", 'version = "1.0"', f'version = "{version}"')
        worse = box.row3("--compare", "--mode", "live", "--format", "json", code=1).json
        assert worse["deltas"]["overall"] < -0.05
        assert worse["usage"]["requests"] == len(CASES)


@pytest.mark.parametrize("kind", ["python"])
def test_a_case_without_an_answer_makes_the_run_incomplete_and_nothing_zero(box: Box) -> None:
    answer(box, {"rye": "raise the index is gone"})
    done = box.row3("--mode", "live", "--format", "json", code=3)
    assert (done.json["complete"], done.json["failed"]) == (False, ["rye"])
    assert done.json["metrics"]["overall"] == pytest.approx(0.85)
    assert "the index is gone" in done.errors[0]
    assert box.row3("--baseline", "--mode", "live", code=3).errors
    assert not box.path(f"baselines/{SUITE}.json").exists()


@pytest.mark.parametrize("kind", ["python"])
def test_there_are_no_prompts_and_no_model(box: Box) -> None:
    for args in (["--prompt", "extract-v1.1"], ["promote", "v1.1"]):
        error = box.row3(*args, code=2).errors[0]
        assert "has no prompts" in error
        assert "row3 --baseline" in error
    assert "has no model" in box.row3("--model", "baker-2", code=2).errors[0]
    assert "no models and prompts to rank" in box.row3("leaderboard", code=2).errors[0]


@pytest.mark.parametrize("kind", ["python"])
def test_the_gate_of_a_git_ref_judges_a_system_too(box: Box) -> None:
    box.row3("--baseline", "--mode", "record", code=0)
    box.commit("baseline")
    assert box.row3("--compare", "--against", "HEAD", code=0).out
    box.replace("row3.toml", 'version = "1.0"', 'version = "1.1"')
    answer(box, {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
    box.row3("--mode", "record", code=0)
    blocks = {reason for reason in judged(box, against="HEAD", code=1).reasons if reason.startswith("block")}
    assert blocks >= {"block entered_fail_zone recall", "block worse overall", "block unconfirmed overall"}


@pytest.mark.parametrize("kind", ["python"])
def test_a_baseline_of_another_version_than_the_one_that_runs_blocks(box: Box, kind: str) -> None:
    box.row3("--baseline", "--mode", "record", code=0)
    box.commit("baseline")
    box.replace("row3.toml", 'version = "1.0"', 'version = "1.1"')
    answer(box, {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
    box.row3("--baseline", "--mode", "record", code=0)
    box.replace("row3.toml", 'version = "1.1"', 'version = "1.0"')
    assert judged(box, against="HEAD", code=1).reasons == {"block baseline_differs baseline"}


def test_a_ref_has_its_golden_cases_and_its_corpus_where_its_settings_say(tmp_path: Path) -> None:
    box = system_box(tmp_path / "project", "mcp")
    box.path("golden/bread").rename(box.path("golden/elsewhere"))
    box.replace(
        "row3.toml", f"[suites.{SUITE}.provider]", f'[suites.{SUITE}]\ngolden = "elsewhere"\n[suites.{SUITE}.provider]'
    )
    box.row3("--mode", "record", code=0)
    box.commit("recorded")
    value = box.row3("diff", "HEAD", "HEAD", "--format", "json", code=0).json
    assert value["moves"] == {"unchanged": 3}


def test_the_request_is_planned_and_drift_is_asked_for(box: Box, kind: str) -> None:
    plan = box.row3("--dry-run", "--mode", "live", code=0).out
    assert f"{NAMES[kind]}-v1.0" in plan
    box.row3("--baseline", "--mode", "record", code=0)
    assert "no drift found" in box.row3("drift", code=0).out
    answer(box, {case_id: first(flawless(case), 1) for case_id, case in CASES.items()})
    assert box.row3("drift", "--format", "json").json["metrics"]["overall"]["delta"] < 0


def test_the_hook_blocks_a_commit_that_makes_a_system_worse(tmp_path: Path) -> None:
    box = system_box(tmp_path / "project", "mcp")
    box.row3("--baseline", "--mode", "record", code=0)
    box.commit("baseline")
    box.row3("hook", "install", code=0)
    box.replace("row3.toml", 'version = "1.0"', 'version = "1.1"')
    box.git("add", "-A")
    told = box.row3("hook", "run", "pre-commit", code=3).err  # nothing is recorded of that version
    assert "INCOMPLETE" in told
    assert "row3 --compare --mode auto && git add recordings" in told
    answer(box, {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
    box.row3("--mode", "record", code=0)
    box.git("add", "-A")
    assert "BLOCK" in box.row3("hook", "run", "pre-commit", code=1).err
    answer(box, {})
    box.row3("--mode", "record", code=0)
    box.git("add", "-A")
    box.row3("hook", "run", "pre-commit", code=0)
    box.write("corpus/oats.txt", "oats")
    box.git("add", "-A")
    box.row3("hook", "run", "pre-commit", code=3)  # the corpus is part of the question


@pytest.mark.parametrize("kind", ["command", "mcp"])
@pytest.mark.parametrize("how", ["said", "raised"])
def test_a_system_that_tells_its_secret_is_not_quoted(tmp_path: Path, kind: str, how: str) -> None:
    box = system_box(tmp_path / "project", kind)
    told = "os.environ['API_TOKEN']"
    tells = f"return {{'concepts': [{told}], 'relationships': []}}"
    tells = tells if how == "said" else f"raise RuntimeError('who is ' + {told})"
    box.replace("system.py", "    answer = next(", f"    import os\n    {tells}\n    answer = next(")
    box.replace("row3.toml", 'command = "python"', 'command = "python"\nenv = ["API_TOKEN"]')
    done = box.row3("--mode", "record", "-v", code=3 if how == "raised" else 0, API_TOKEN="very-secret-value")
    assert "very-secret-value" not in done.out + done.err
    assert how == "raised" or "a key in the answer is hidden" in " ".join(done.out.split())
    for name, content in box.tree().items():
        assert b"very-secret-value" not in content, name


@every_row(
    ("old", "new", "words"),
    [
        ('"python"\nargs', '"nonesuch"\nargs', ": No such file or directory"),
        ('args = ["server.py"]', 'args = ["nonesuch.py"]', "(stderr: "),
        ('tool = "extract"', 'tool = "extrakt"', "has no tool `extrakt`. Did you mean `extract`?"),
        ('command = "python"\nargs = ["server.py"]', 'url = "http://127.0.0.1:9/mcp"', "connection attempts failed"),
    ],
)
def test_a_server_that_cannot_be_had_ends_the_run_at_once(tmp_path: Path, old: str, new: str, words: str) -> None:
    box = system_box(tmp_path / "project", "mcp")
    box.replace("row3.toml", old, new)
    done = box.row3("--mode", "live", code=3)
    assert len(done.errors) == 1
    assert words in done.errors[0]


@every_row(
    ("old", "new", "words"),
    [
        ("{source_text}", "{sourcetext}", "`{sourcetext}` has no value; known: {topic}, {source_text}"),
        ("corpus/*.txt", "corpus/*.md", "no file matches `corpus/*.md`"),
        ("corpus/*.txt", "../*.txt", "is not under golden/ or corpus/"),
        ("corpus/*.txt", "/etc/*", "is not under golden/ or corpus/"),
        ("corpus/*.txt", "golden/../../*", "is not under golden/ or corpus/"),
        ("{text}", "{words}", "`{words}` has no value; known: {file}, {text} in corpus/rye.txt"),
        ('tool = "extract"', 'tol = "extract"', "`suites.bread.provider.tol` is unknown; did you mean `tool`?"),
        ('type = "mcp"', 'type = "mpc"', "provider.type`: should be one of "),
        ('version = "1.0"', 'version = "2024"', "field `suites.bread.provider.version`"),
        ('version = "1.0"', 'version = "1.0"\nurl = "http://127.0.0.1:1/mcp"', "either `command` or `url`"),
        ('version = "1.0"', 'version = "1.0"\noutput = "concept"', "`concept` is not an output of kind `extraction`"),
        ('command = "python"\nargs = ["server.py"]', 'url = "ftp://x/mcp"', "must be an http or https address"),
    ],
)
def test_a_wrong_setting_is_named_by_lint_and_by_a_run(tmp_path: Path, old: str, new: str, words: str) -> None:
    box = system_box(tmp_path / "project", "mcp")
    box.replace("row3.toml", old, new)
    assert words in box.row3("lint").out
    done = box.row3("--mode", "live", code=2)
    assert words in done.errors[0]
    assert "row3.toml" in done.errors[0]


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    box = system_box(tmp_path / "project", "mcp")
    box.row3("--mode", "record", code=0)
    hidden = "import sys; sys.modules['mcp'] = None; sys.argv = ['row3', *sys.argv[1:]]\n"
    hidden += "import importlib.util as u; find = u.find_spec\n"
    hidden += "u.find_spec = lambda name, package=None: None if name == 'mcp' else find(name, package)\n"
    hidden += "from row3.__main__ import main; main()\n"
    box.write("hidden.py", hidden)

    def without(*args: str) -> tuple[int, str]:
        from tests.projects import run

        done = run(sys.executable, "hidden.py", *args, cwd=box.root, env=box.env)
        return done.code, done.err

    assert without()[0] == 0  # a replay needs no SDK
    code, err = without("--mode", "live")
    assert code == 2
    assert "pip install 'row3[mcp]'" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["command", "mcp"])
def test_an_end_from_outside_leaves_no_process_and_one_message(
    tmp_path: Path, kind: str, number: signal.Signals
) -> None:
    box = system_box(tmp_path, kind)
    slow = "import os, time\nopen(f'{os.getpid()}.pid', 'w').close()\ntime.sleep(120)\n"
    if kind == "command":
        box.write("system.py", slow)
    else:
        box.write("server.py", SERVER.replace("answer = system.extract(text)", slow.replace("\n", "\n        ")))
    process = box.start("--mode", "record", "--jobs", "1")
    wait_until(lambda: bool(list(tmp_path.glob("*.pid"))))
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    message = "error: interrupted; all answers so far are saved. Run the same command to continue"
    assert err.decode().strip() == message
    started = [int(file.stem) for file in tmp_path.glob("*.pid")]
    left = psutil.wait_procs([psutil.Process(pid) for pid in started if psutil.pid_exists(pid)], timeout=30)[1]
    assert not [one for one in left if one.status() != psutil.STATUS_ZOMBIE]
