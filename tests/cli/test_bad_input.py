"""Bad input: each gets one clear message that names the file, the right exit code, and every file is as it was."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from row3.cli.app import run
from tests.projects import CASES, CONFIG, Box, tiny, worse

CASE, PROMPT, PROMOTED = "golden/bread/rye.gold.json", "prompts/extract-v1.1.md", "prompts/promoted.json"
BASELINE, HISTORY, TOML = "baselines/bread.json", "metrics-history.json", "row3.toml"
RECORDED, CHANGELOG = "recordings/bread/extract-v1.1.jsonl", "CHANGELOG.md"
RESTORE = "`row3 --baseline`"
COMPARE, PROMOTE = ("--compare",), ("promote", "v1.1")
PRESET = (TOML, "`provider.preset`: is unknown. Did you mean `openai`?")
Damage = Callable[[Box], object]


@dataclass(frozen=True)
class Bad:
    """One way to break a project, and what row3 must say of it."""

    name: str
    damage: Damage
    says: tuple[str, ...]
    command: tuple[str, ...] = COMPARE
    code: int = 2


def write(name: str, content: str | bytes) -> Damage:
    return lambda box: box.write(name, content)


def put(name: str, old: str, new: str) -> Damage:
    return lambda box: box.replace(name, old, new)


def add(name: str, text: str) -> Damage:
    return lambda box: box.write(name, box.read(name) + text)


def encoded(name: str, encoding: str) -> Damage:
    return lambda box: box.write(name, box.read(name).replace("Rye", "Ryé").encode(encoding))


def conflict(name: str) -> Damage:
    """What git leaves in the third line of a file."""

    def damage(box: Box) -> None:
        lines = box.read(name).split("\n")
        at = min(2, len(lines) - 1)
        both = ["<<<<<<< HEAD", lines[at], "=======", lines[at], ">>>>>>> other"]
        box.write(name, "\n".join([*lines[:at], *both, *lines[at + 1 :]]))

    return damage


def folder(name: str) -> Damage:
    def damage(box: Box) -> None:
        box.path(name).unlink()
        box.path(name).mkdir()

    return damage


def file(name: str) -> Damage:
    def damage(box: Box) -> None:
        shutil.rmtree(box.path(name), ignore_errors=True)
        box.write(name, "x")

    return damage


def gone(name: str) -> Damage:
    return lambda box: shutil.rmtree(box.path(name)) if box.path(name).is_dir() else box.path(name).unlink()


def nothing(_: Box) -> None:
    pass


def tracked(box: Box) -> None:
    box.write(".row3/runs/x.json", "{}")
    box.git("add", "-f", ".row3")


def unfinished(box: Box) -> None:
    (box.state / "transaction").mkdir(parents=True)
    (box.state / "transaction/commit.json").write_text("{")


ID = '"id": "rye"'
TEMPLATE = "{{ source_text }}"
IN_CASE = (CASE,)
ALL = (
    Bad("case-empty", write(CASE, ""), (CASE, "empty")),
    Bad("case-nul", write(CASE, "\0"), (CASE, "not JSON")),
    Bad("case-huge-number", put(CASE, ID, f'"schemaVersion": {"9" * 5000}, {ID}'), IN_CASE),
    Bad("case-deep", write(CASE, "[" * 100_000), (CASE, "nested too deeply")),
    Bad("case-huge", lambda box: box.write(CASE, b" " * (65 * 1024 * 1024)), (CASE, "bytes, more than")),
    Bad("case-type", lambda box: box.case("rye", expectedConcepts="x"), (CASE, "`expectedConcepts`")),
    Bad(
        "case-inner-type",
        lambda box: box.case("rye", expectedConcepts=[{"label": 3}]),
        (CASE, "expectedConcepts.0.label"),
    ),
    Bad(
        "case-unknown-key", lambda box: box.case("rye", forbidenConcepts=[]), (CASE, "did you mean `forbiddenConcepts`")
    ),
    Bad(
        "case-unknown-inner-key",
        lambda box: box.case("rye", expectedConcepts=[{"label": "rye", "alias": []}]),
        (CASE, "expectedConcepts.0.alias", "did you mean `aliases`"),
    ),
    Bad("case-missing-key", lambda box: box.write(CASE, '{"id": "rye"}'), (CASE, "sourceText", "is missing")),
    Bad("case-key-twice", put(CASE, ID, f"{ID}, {ID}"), (CASE, "`id` occurs twice")),
    Bad("case-id-path", put(CASE, ID, '"id": "../rye"'), (CASE, "`id`")),
    Bad(
        "case-id-twice",
        lambda box: box.write("golden/bread/zz.gold.json", box.read(CASE)),
        ("`rye`", CASE, "zz.gold.json"),
    ),
    Bad("case-nan", put(CASE, ID, f'{ID}, "topic": NaN'), (CASE, "NaN")),
    Bad("case-1e999", put(CASE, ID, f'{ID}, "schemaVersion": 1e999'), (CASE, "1e999")),
    Bad("case-surrogate-text", lambda box: box.case("rye", sourceText="Rye \ud800 is"), IN_CASE),
    Bad("case-surrogate-label", lambda box: box.case("rye", expectedConcepts=[{"label": "\ud800"}]), IN_CASE),
    Bad("case-surrogate-key", lambda box: box.case("rye", **{"\udfff": 1}), IN_CASE),
    Bad("case-folder", folder(CASE), (CASE, "folder")),
    Bad("case-conflict", conflict(CASE), (f"{CASE}:3", "merge-conflict")),
    Bad("suite-empty", lambda box: [path.unlink() for path in box.path("golden/bread").iterdir()], ("golden/bread",)),
    Bad("golden-gone", gone("golden"), ("golden", "`bread`")),
    Bad("golden-file", file("golden"), ("golden",)),
    Bad("prompts-gone", gone("prompts"), ("prompts/", "no prompt")),
    Bad("prompt-name", write("prompts/foo.md", "x"), ("prompts/foo.md", "Rename it")),
    Bad("prompt-undefined", put(PROMPT, TEMPLATE, "{{ source_txt }}"), (PROMPT, "source_txt", "source_text")),
    Bad("prompt-syntax", put(PROMPT, TEMPLATE, "{{ source_text"), (PROMPT, "line 2")),
    Bad("prompt-internals", put(PROMPT, TEMPLATE, "{{ source_text.__class__.__mro__ }}"), (PROMPT, "refused")),
    Bad("prompt-date-key", put(PROMPT, "output:", "2024-01-01:"), (PROMPT, '`"2024-01-01"` is unknown')),
    Bad("recording-surrogate", write(RECORDED, '"\\ud800"\n'), (f"{RECORDED}:1", "surrogate")),
    Bad("baseline-output", put(BASELINE, '"output": "extraction"', '"output": ""'), (BASELINE, "not an output of")),
    Bad(
        "baseline-model",
        put(BASELINE, '"model": "baker-1",\n   "t', '"model": null,\n   "t'),
        (BASELINE, "extract.model"),
    ),
    Bad("prompt-globals", put(PROMPT, TEMPLATE, "{{ range.__globals__ }}"), (PROMPT, "undefined name")),
    Bad("prompt-include", put(PROMPT, TEMPLATE, '{% include "/etc/passwd" %}'), (PROMPT, "template")),
    Bad("prompt-block", put(PROMPT, "block user", "block usr"), (PROMPT, "`usr`")),
    Bad("prompt-yaml", put(PROMPT, "output: extraction", "output: [x"), (PROMPT, "YAML")),
    Bad("prompt-yaml-python", put(PROMPT, "output: ", "x: !!python/name:os.system\noutput: "), (PROMPT, "YAML")),
    Bad("prompt-unknown-key", put(PROMPT, "temperature", "temprature"), (PROMPT, "did you mean `temperature`")),
    Bad("prompt-key-twice", put(PROMPT, "temperature: 0", "temperature: 0\ntemperature: 1"), (PROMPT, "occurs twice")),
    Bad("prompt-nan", put(PROMPT, "temperature: 0", "temperature: .nan"), (PROMPT, "`temperature`")),
    Bad("prompt-number", put(PROMPT, '"1.1"', "1.1"), (PROMPT, "a version in quotes")),
    Bad("prompt-v1", put(PROMPT, '"1.1"', '"v1"'), (PROMPT, "Make them agree")),
    Bad("prompt-other-name", put(PROMPT, "name: extract", "name: extrct"), (PROMPT, "Make them agree")),
    Bad("prompt-output", put(PROMPT, "output: extraction", "output: extract"), (PROMPT, "Outputs: ")),
    Bad("prompt-no-front-matter", write(PROMPT, "hello"), (f"{PROMPT}:1", "front matter")),
    Bad("prompt-open-front-matter", write(PROMPT, "---\nname: x\n"), (f"{PROMPT}:1", "no end")),
    Bad("prompt-conflict", conflict(PROMPT), (f"{PROMPT}:3", "merge-conflict")),
    Bad("promoted-conflict", conflict(PROMOTED), (f"{PROMOTED}:3", "merge-conflict")),
    Bad("promoted-version", put(PROMOTED, '"v1.0"', '"v1"'), (PROMOTED, "`v1`")),
    Bad("promoted-path", put(PROMOTED, '"v1.0"', '"../../x"'), (PROMOTED, "`../../x`")),
    Bad("promoted-file-gone", gone("prompts/extract-v1.0.md"), ("prompts/extract-v1.0.md",), ("--baseline",)),
    Bad("toml-unknown-key", add(TOML, '[suites.bread]\nkindd = "x"\n'), (TOML, "did you mean `kind`")),
    Bad("toml-nan", add(TOML, "[suites.bread.gate]\nblock = nan\n"), (TOML, "gate.block")),
    Bad("toml-boolean", add(TOML, "[suites.bread.gate]\nblock = true\n"), (TOML, "gate.block", "a number")),
    Bad(
        "toml-boolean-weight", add(TOML, "[suites.bread.weights]\nrecall = true\n"), (TOML, "weights.recall", "number")
    ),
    Bad(
        "toml-boolean-count",
        add(TOML, "[suites.bread.gate]\ndeclines = true\n"),
        (TOML, "gate.declines", "whole"),
    ),
    Bad("toml-conflict", conflict(TOML), (f"{TOML}:3", "merge-conflict")),
    Bad("toml-folder", folder(TOML), (TOML, "folder")),
    Bad("toml-kind", add(TOML, '[suites.bread]\nkind = "extractoin"\n'), (TOML, "`extractoin`")),
    Bad(
        "toml-metric",
        add(TOML, "[suites.bread.thresholds.recal]\nminimum = 0.1\ntarget = 0.2\nexcellent = 0.3\n"),
        (TOML, "Did you mean `recall`"),
    ),
    Bad(
        "toml-zones",
        add(TOML, "[suites.bread.thresholds.recall]\nminimum = 0.9\ntarget = 0.2\nexcellent = 0.3\n"),
        (TOML, "overlap"),
    ),
    Bad("toml-pipeline", add(TOML, '[suites.bread]\npipeline = ["extrakt"]\n'), ("Did you mean `extract`",)),
    Bad("toml-pipeline-path", add(TOML, '[suites.bread]\npipeline = ["../x"]\n'), ("`../x`",)),
    Bad("toml-suite-path", write(TOML, CONFIG.replace('"bread"', '"../x"')), (TOML, "`suite`")),
    *(
        Bad(f"toml-preset-{''.join(command)}", put(TOML, "[provider]", '[provider]\npreset = "opnai"'), PRESET, command)
        for command in (COMPARE, PROMOTE, ("power",), ("drift",), ("leaderboard",), ("report",), ("--mode", "replay"))
    ),
    Bad("toml-preset-judge", add(TOML, '[judge]\npreset = "olama"\n'), (TOML, "judge.preset", "`ollama`?")),
    Bad("toml-preset-suite", add(TOML, '[suites.bread.provider]\npreset = "vlm"\n'), (TOML, "bread.provider.preset")),
    Bad("baseline-gone", gone(BASELINE), (BASELINE, "row3 --baseline")),
    Bad("baseline-empty", write(BASELINE, ""), (BASELINE, "empty")),
    Bad("baseline-conflict", conflict(BASELINE), (f"{BASELINE}:3", "merge-conflict")),
    Bad(
        "baseline-conflict-in-cases",
        put(BASELINE, '"cases": [\n', '"cases": [\n<<<<<<< HEAD\n'),
        (BASELINE, "merge-conflict"),
    ),
    Bad("baseline-number", put(BASELINE, '"recall": 0.75', '"recall": "x"'), (BASELINE, "`summary.recall`", RESTORE)),
    Bad("baseline-nan", put(BASELINE, '"recall": 0.75', '"recall": NaN'), (BASELINE, "NaN")),
    Bad("baseline-case-type", put(BASELINE, '{"id": "rye"', '{"id": 3'), (BASELINE, "`cases.1.id`", RESTORE)),
    Bad(
        "baseline-case-twice",
        put(BASELINE, '{"id": "rye"', '{"id": "oven"'),
        (BASELINE, "`oven` is listed twice"),
    ),
    Bad("baseline-run-id", put(BASELINE, '"runId": "', '"runId": "../../'), (BASELINE, "`runId`", RESTORE)),
    Bad("baseline-repeats", put(BASELINE, '"repeats": 1', '"repeats": 0'), (BASELINE, "`repeats`", RESTORE)),
    Bad("baseline-unknown-key", put(BASELINE, '"tier"', '"teir"'), (BASELINE, "did you mean `tier`", RESTORE)),
    Bad("baseline-kind", put(BASELINE, '"kind": "extraction"', '"kind": "events"'), (BASELINE, "`events`")),
    Bad("history-conflict", conflict(HISTORY), (f"{HISTORY}:3", "merge-conflict")),
    Bad("history-nan", put(HISTORY, '"recall": 0.75', '"recall": NaN'), (HISTORY, "NaN")),
    Bad("history-time", put(HISTORY, '"at": "2', '"at": "x2'), (HISTORY, "is not a time"), PROMOTE),
    Bad("recordings-conflict", conflict(RECORDED), (f"{RECORDED}:3", "merge-conflict")),
    Bad("recordings-gone", gone("recordings"), ("incomplete", "3 of 3 cases have no answer"), code=3),
    Bad(
        "recordings-folder",
        lambda box: box.path("recordings/bread/x.jsonl").mkdir(),
        ("recordings/bread/x.jsonl", "folder"),
    ),
    Bad("changelog-conflict", conflict(CHANGELOG), (f"{CHANGELOG}:3", "merge-conflict"), PROMOTE),
    Bad("changelog-utf-16", encoded(CHANGELOG, "utf-16"), (CHANGELOG, "UTF-16"), PROMOTE),
    Bad("changelog-folder", folder(CHANGELOG), (CHANGELOG, "folder"), PROMOTE),
    Bad("charts-file", file("charts"), ("charts",), PROMOTE),
    Bad("archive-file", file("baselines/archive"), ("baselines/archive",), PROMOTE),
    Bad("local-tracked", tracked, (".row3", "git tracks this folder", "`git rm -r --cached .row3`")),
    Bad("transaction-broken", unfinished, ("transaction/commit.json", "the manifest is broken", "Delete")),
    Bad("no-git", gone(".git"), ("not a git repository", "git init"), ("--compare", "--against", "HEAD")),
    Bad("no-git-for-hooks", gone(".git"), ("not a git repository", "git init"), ("hook", "install")),
    Bad("no-such-folder", nothing, ("/nonexistent",), ("-C", "/nonexistent")),
    Bad("no-such-case", nothing, ("golden/bread",), ("--case", "zz*")),
    Bad("no-such-suite", nothing, ("Did you mean `bread`",), ("--suite", "bred")),
    Bad("no-such-prompt", nothing, ("Did you mean `extract`",), ("--prompt", "extrac-v1.1")),
    Bad("no-such-version", nothing, ("v1.0, v1.1",), ("--prompt", "extract-v7.1")),
    Bad("prompt-path", nothing, ("--prompt",), ("--prompt", "../../etc/passwd-v1.0")),
    Bad("approve-nothing", worse, ("--approve", "reason is empty"), ("--compare", "--approve", " ")),
    Bad(
        "approve-part",
        worse,
        ("--approve", "part of the suite"),
        ("--compare", "--approve", "agreed", "--case", "rye"),
    ),
    Bad("model-surrogate", nothing, ("--model",), ("--model", "a\udc80")),
)


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name) for bad in ALL])
def test_one_clear_message_and_nothing_changed(
    box: Box, bad: Bad, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bad.damage(box)
    before = box.tree()
    monkeypatch.chdir(box.root)
    monkeypatch.setattr(sys, "argv", ["row3", *bad.command])
    with pytest.raises(SystemExit) as end:
        run()
    err = capfd.readouterr().err
    errors = [line for line in err.splitlines() if line.startswith("error:")]
    assert end.value.code == bad.code, err
    assert len(errors) == 1, err
    assert "Traceback" not in err
    assert "row3 itself failed" not in err
    for words in bad.says:
        assert words in errors[0]
    assert box.tree() == before


@pytest.mark.parametrize("name", [CASE, PROMPT, TOML, PROMOTED, BASELINE, HISTORY, RECORDED, CHANGELOG])
@pytest.mark.parametrize("how", ["bom", "crlf"])
def test_a_byte_order_mark_and_crlf_change_nothing(
    box: Box, name: str, how: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = box.path(name).read_bytes()
    box.write(name, b"\xef\xbb\xbf" + raw if how == "bom" else raw.replace(b"\n", b"\r\n"))
    monkeypatch.chdir(box.root)
    monkeypatch.setattr(sys, "argv", ["row3", *(("promote", "v1.1", "--dry-run") if name == CHANGELOG else COMPARE)])
    with pytest.raises(SystemExit) as end:
        run()
    said = capfd.readouterr()
    assert end.value.code == 0, said.err
    assert "PROCEED" in said.out


TRAPS = {
    "loop": "{% for a in range(9999) %}" * 3 + "{% endfor %}" * 3,
    "recursion": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "power": "{{ 9 ** (9 ** 9) }}",
    "product": "{{ 'x' * 10 ** 10 }}",
    "long": "{% for a in range(9999) %}{% for b in range(9999) %}xxxxxxxxxxxxxxxx{% endfor %}{% endfor %}",
}
MEMORY = {
    "ljust": "{{ 'x'.ljust(3000000000)|length }}",
    "replace": "{{ ('a' * 99999).replace('a', 'b' * 99999)|length }}",
    "join": "{{ range(9999)|join('x' * 99999)|length }}",
    "doubling": "{% set x = 'a' * 99999 %}" + "{% set x = x ~ x %}" * 20 + "{{ x|length }}",
}


def limited(box: Box) -> subprocess.CompletedProcess[bytes]:
    """Compare with 2 GB of address space: a template that wants more does not take row3 with it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3))

    return subprocess.run(
        [sys.executable, "-m", "row3", "--compare"],
        cwd=box.root,
        env=box.env,
        capture_output=True,
        check=False,
        timeout=30,
        preexec_fn=limit,
    )


@pytest.mark.parametrize("trap", TRAPS)
def test_a_template_cannot_loop_recurse_or_grow(box: Box, trap: str) -> None:
    box.replace(PROMPT, TEMPLATE, TEMPLATE + TRAPS[trap])
    done = limited(box)
    assert done.returncode == 2, done
    assert done.stderr.decode().startswith(f"error: {PROMPT}: ")


@pytest.mark.parametrize("trap", MEMORY)
def test_a_template_cannot_take_the_memory(box: Box, trap: str) -> None:
    box.replace(PROMPT, TEMPLATE, TEMPLATE + MEMORY[trap])
    done = limited(box)
    assert done.returncode == 2, done
    assert done.stderr.decode().startswith(f"error: {PROMPT}: ")
    assert "memory than a prompt may" in done.stderr.decode()


@pytest.mark.parametrize("limit", [0, 6000])
def test_a_full_disk_leaves_everything_as_it_was(box: Box, limit: int) -> None:
    before = box.tree()
    done = subprocess.run(
        [sys.executable, "-m", "row3", "promote", "v1.1"],
        cwd=box.root,
        env=box.env,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 2, done
    assert done.stderr.count("error:") == 1
    assert "Traceback" not in done.stderr
    assert box.tree() == before
    box.row3("promote", "v1.1", code=0)


def test_another_locale_reads_and_writes_utf_8(box: Box) -> None:
    box.case("rye", **CASES["rye"] | {"origin": "Brötchen — naïve"})
    done = box.row3("--compare", "--format", "json", code=0, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.json["verdict"] == "proceed"
    box.row3("promote", "v1.1", "--approve", "Größe", code=0, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (Path(box.root) / "CHANGELOG.md").read_text(encoding="utf-8")


def test_memory_that_runs_out_is_no_defect_of_ours(box: Box) -> None:
    whole = "import row3.running.collect as run; run.collect = lambda *_, **__: bytearray(2**62)"
    script = f"{whole}\nfrom row3.cli.app import run; run()"
    done = subprocess.run([sys.executable, "-c", script], cwd=box.root, env=box.env, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: out of memory. Use --jobs 1")


def test_standard_output_that_is_closed_is_no_defect(box: Box) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m row3 >&-"], cwd=box.root, env=box.env, capture_output=True, check=False
    )
    assert b"row3 itself failed" not in done.stderr
    assert done.returncode in (0, 2)


def test_an_import_says_whose_answers_it_takes_them_for(tmp_path: Path) -> None:
    box = tiny(tmp_path / "project")
    line = {"caseId": "rye", "prompt": "extract", "response": "{}"}
    box.write("raw.jsonl", json.dumps(line) + "\n")
    out = box.row3("recordings", "import", "raw.jsonl", "--model", "baker-2", code=0).out
    assert out.startswith("extract-v1.1: 1 recording, as answers from baker-2\n")
