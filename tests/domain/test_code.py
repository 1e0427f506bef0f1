"""Code that a change would run and its base lacks."""

from __future__ import annotations

from row3.domain.code import Code, differences
from tests.rows import every_row

SETTING = "row3.toml field suites.a.provider"


@every_row(
    ("words", "path", "runs"),
    [
        (("sh", "run.sh"), "run.sh", True),
        (("./run.sh",), "run.sh", True),
        (("/anywhere/evals/run.sh",), "run.sh", True),
        (("sh", "-c", "cd tools && ./run.sh"), "tools/run.sh", True),
        (("sh", "-c", "exec 'run.sh'"), "run.sh", True),
        (("serve", "--config=conf/a.yaml"), "conf/a.yaml", True),
        (("serve", "tools"), "tools/deep/a.js", True),
        (("serve", "tool"), "tools/a.js", True),
        (("make", "-s", "ask"), "Makefile", True),
        (("make", "-s", "ask"), "golden/a.gold.json", False),
        (("make", "-s", "ask"), "prompts/a-v1.0.md", False),
        (("python3", "-c", "import ask; ask.main()"), "ask.py", True),
        (("python3", "../tools/ask.py"), "../tools/ask.py", True),
        (("sh", "run.sh"), "helper.py", False),
        (("sh", "run.sh"), "lib/common.sh", True),
        (("node", "answer.js", "golden/a.json"), "golden/b.json", False),
        (("python", "answer.py"), "helper.py", True),
        (("python", "-m", "answer"), "answer/deep/__init__.py", True),
        (("python", "answer.py"), "vendor/", True),
        (("python", "answer.py"), "notes.md", False),
    ],
)
def test_a_command_runs_the_files_it_names_and_python_what_it_may_import(
    words: tuple[str, ...], path: str, runs: bool
) -> None:
    assert Code(SETTING, "x", words).runs(path) is runs


def test_equal_code_with_equal_files_has_no_difference() -> None:
    code = [Code(SETTING, "a"), Code("a check", "m:f", python=True)]
    assert list(differences(code, reversed(code), ["README.md", "golden/a.gold.json"])) == []


def test_settings_and_files_are_named_once_each() -> None:
    head = [Code(SETTING, "new" * 100, python=True), Code("a check", "m:f", python=True)] * 2
    files = [f"{letter}.py" for letter in "abcdefg"]
    first, second, third = differences(head, [Code(SETTING, "old")], files)
    assert first.startswith(f"{SETTING} is `newnew")
    assert len(first) < 300
    assert first.endswith("` here and `old` in the base")
    assert second == "a check is `m:f` here and missing in the base"
    assert third == "a.py, b.py, c.py, d.py, e.py and 2 more files differ"
