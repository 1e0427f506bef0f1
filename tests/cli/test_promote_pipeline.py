"""Promoting several prompts of a pipeline: what `--compare` judged becomes current, in one transaction."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.projects import Box
from tests.rows import every_row

BOTH = {"decompose-concepts": "v1.2", "map-ontology": "v1.2"}


@pytest.fixture
def box(first: Box) -> Box:
    """The shipped project, with a hand-written section of the changelog for its candidates."""
    head, mark, rest = first.read("CHANGELOG.md").partition("## v1.0 (")
    unreleased = "## v1.2 (Unreleased)\n\nPrompt: decompose-concepts\n\n### Changes\n- Quotes copied\n\n"
    first.write("CHANGELOG.md", head + unreleased + mark + rest)
    first.commit("what v1.2 changes")
    return first


def promoted(box: Box) -> dict[str, str]:
    """The current versions of the suite's pipeline."""
    prompts = json.loads(box.read("prompts/promoted.json"))["prompts"]
    return {name: prompts[name]["version"] for name in BOTH}


def renumber(box: Box, name: str, old: str, new: str) -> None:
    """Call a version by another number, with its recorded answers."""
    for folder, ending in (("prompts", "md"), ("recordings/decomposition", "jsonl")):
        path = box.path(f"{folder}/{name}-v{old}.{ending}")
        path.rename(box.path(f"{folder}/{name}-v{new}.{ending}"))
    box.replace(f"prompts/{name}-v{new}.md", f'version: "{old}"', f'version: "{new}"')
    text = box.read(f"recordings/decomposition/{name}-v{new}.jsonl")
    box.write(f"recordings/decomposition/{name}-v{new}.jsonl", text.replace(f"{name}-v{old}", f"{name}-v{new}"))


def command_of(out: str) -> list[str]:
    """The command that promotes, as `--compare` prints it."""
    (line,) = (line for line in out.splitlines() if " row3 promote " in line)
    return shlex.split(line.partition(" row3 ")[2])


@pytest.mark.parametrize(
    "typed", [["v1.2"], ["decompose-concepts-v1.2"], ["map-ontology-v1.2"], ["map-ontology-v1.2", "v1.2"]]
)
def test_what_was_compared_is_promoted_in_one_transaction(box: Box, typed: list[str]) -> None:
    before = box.tree()
    done = box.row3("promote", *typed, code=0)
    assert promoted(box) == BOTH
    assert "decompose-concepts v1.2 and map-ontology v1.2 are promoted." in " ".join(done.out.split())
    unnamed = [name for name in BOTH if not {"v1.2", f"{name}-v1.2"} & set(typed)]
    assert [name for name in BOTH if f"so this also promotes {name} v1.2;" in done.err] == unnamed
    assert json.loads(box.read("baselines/decomposition.json"))["prompts"].keys() == BOTH.keys()
    entry = box.history()[-1]
    assert (entry["action"], entry["prompts"]) == ("promotion", BOTH)
    changelog = box.read("CHANGELOG.md")
    assert "Unreleased" not in changelog
    assert changelog.index("Prompt: decompose-concepts") < changelog.index("- Quotes copied")
    assert changelog.index("- Quotes copied") < changelog.index("Prompt: map-ontology")
    assert changelog.count("## v1.2 (") == 2
    after = box.tree()
    written = {name for name in after if before.get(name) != after[name]}
    assert written == {
        "prompts/promoted.json",
        "baselines/decomposition.json",
        "CHANGELOG.md",
        "metrics-history.json",
        "charts/decomposition-trend.svg",
        *(name for name in written if name.startswith("baselines/archive/decomposition-")),
    }
    box.row3("--compare", code=0)
    box.row3("lint", code=0)


@pytest.mark.parametrize("version", ["1.2", "1.3", "1.10"])
def test_the_printed_command_names_every_changed_prompt_and_succeeds(box: Box, version: str) -> None:
    if version != "1.2":
        renumber(box, "decompose-concepts", "1.2", version)
    command = command_of(box.row3("--compare", code=0).out)
    assert command == ["promote", f"decompose-concepts-v{version}", "map-ontology-v1.2"]
    box.row3(*command, code=0)
    assert promoted(box) == BOTH | {"decompose-concepts": f"v{version}"}
    box.git("add", "-A")
    box.git("commit", "-q", "--no-verify", "-m", "promoted")
    judged = box.row3("--compare", "--against", "HEAD~1", "--format", "json", code=0).json
    assert judged["verdict"] == "proceed"
    assert not {"baseline_differs", "lock_broken", "no_answer"} & {each["code"] for each in judged["reasons"]}


def test_an_older_version_of_the_whole_pipeline_is_gone_back_to(box: Box) -> None:
    box.row3("promote", "v1.2", code=0)
    done = box.row3("promote", "v1.0", code=1)
    assert "decompose-concepts v1.0 and map-ontology v1.0 were not promoted" in " ".join(done.out.split())
    box.row3("promote", "v1.0", "--approve", "a customer needs it", code=0)
    assert promoted(box) == {"decompose-concepts": "v1.0", "map-ontology": "v1.0"}


def test_a_named_prompt_leaves_the_other_as_it_is(box: Box) -> None:
    done = box.row3("promote", "v1.2", "--prompt", "decompose-concepts-v1.0", code=3)
    assert "15 of 15 cases have no answer, so nothing is promoted. map-ontology-v1.2: no recording" in done.errors[0]


@every_row(
    ("typed", "said"),
    [
        (
            ["v9.9"],
            "no prompt has version v9.9. Versions: decompose-concepts v1.0, decompose-concepts v1.1, decompose-",
        ),
        (["extract-events-v1.0"], "prompt `extract-events` is not in the pipeline of suite `decomposition`"),
        (["v1.0"], "decompose-concepts v1.0 and map-ontology v1.0 are promoted already"),
        (["map-ontology-v1.0"], "map-ontology v1.0 is promoted already"),
        (["v1.2", "map-ontology-v1.0"], "two versions of `map-ontology`"),
        (["relevance-v1.0", "v1.2"], "a rubric is promoted alone"),
        ([], "Missing argument 'VERSION...'"),
    ],
)
def test_what_cannot_be_promoted_is_one_message(box: Box, typed: list[str], said: str) -> None:
    before = box.tree()
    (error,) = box.row3("promote", *typed, code=2).errors
    assert said in error
    assert box.tree() == before


def test_a_bare_version_in_a_diff_is_the_whole_pipelines(box: Box) -> None:
    out = box.row3("diff", "v1.0", "v1.2", code=0).out
    assert "prompt decompose-concepts" in out
    assert "prompt map-ontology" in out
