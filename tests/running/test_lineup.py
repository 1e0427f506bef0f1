"""Which prompt versions run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from row3.domain.requests import digest_text
from row3.errors import InvalidFile, UsageError
from row3.project.project import open_project, pick_suite
from row3.running.lineup import line_up, resolve_version
from tests.projects import Box


def versions(box: Box, **how: Any) -> dict[str, str]:
    project = open_project(box.root)
    return line_up(project, pick_suite(project, None), **({"role": "candidate"} | how)).versions()


def promote(box: Box, version: str) -> None:
    digest = digest_text(box.read(f"prompts/extract-v{version}.md"))
    entry = {"version": f"v{version}", "digest": digest, "date": "2026-01-29"}
    box.write("prompts/promoted.json", json.dumps({"schemaVersion": 1, "prompts": {"extract": entry}}))


def test_candidates_are_the_highest_by_number_not_by_text(small: Box) -> None:
    for version in ("1.9", "1.10", "2.0"):
        small.prompt(version)
    assert versions(small) == {"extract": "v2.0"}
    small.path("prompts/extract-v2.0.md").unlink()
    assert versions(small) == {"extract": "v1.10"}


def test_promoted_versions_else_the_highest(small: Box) -> None:
    assert versions(small, role="promoted") == {"extract": "v1.1"}
    promote(small, "1.0")
    assert versions(small, role="promoted") == {"extract": "v1.0"}
    assert versions(small) == {"extract": "v1.1"}


def test_a_named_version_takes_its_prompts_place(small: Box) -> None:
    promote(small, "1.1")
    for name in ("extract-v1.0", "prompts/extract-v1.0", "extract-v1.0.md"):
        assert versions(small, named=(name,)) == {"extract": "v1.0"}
    with pytest.raises(UsageError, match="two versions"):
        versions(small, named=("extract-v1.0", "extract-v1.1"))
    with pytest.raises(UsageError, match="is not a prompt version"):
        versions(small, named=("../extract-v1.0",))


@pytest.mark.parametrize(("text", "example"), [("nonsense", "extract-v1.1"), ("map v1.0", "map-v2.0")])
def test_the_example_of_a_reference_is_one_of_the_project(small: Box, text: str, example: str) -> None:
    small.prompt("2.0", name="map")
    project = open_project(small.root)
    suite = pick_suite(project, None)
    with pytest.raises(UsageError, match=f"Write it like {example}"):
        line_up(project, suite, role="candidate", named=(text,))
    with pytest.raises(UsageError, match=f"Write it like v1.1 or {example}"):
        resolve_version(project, suite, text)


def test_a_promoted_version_edited_in_place_is_refused_whatever_runs(small: Box) -> None:
    promote(small, "1.0")
    small.write("prompts/extract-v1.0.md", small.read("prompts/extract-v1.0.md") + "\n")
    for how in ("promoted", "candidate"):
        with pytest.raises(InvalidFile, match="edited in place"):
            versions(small, role=how)


def test_line_endings_and_a_byte_order_mark_do_not_count_as_edits(small: Box) -> None:
    promote(small, "1.0")
    text = small.read("prompts/extract-v1.0.md")
    small.write("prompts/extract-v1.0.md", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert versions(small, role="promoted") == {"extract": "v1.0"}


def test_the_default_pipeline_follows_the_order_of_outputs(small: Box) -> None:
    for name, output in (("zz-find", "concepts"), ("aa-link", "relationships")):
        small.prompt("1.0", name)
        small.replace(f"prompts/{name}-v1.0.md", "output: extraction", f"output: {output}")
    for version in ("1.0", "1.1"):
        small.path(f"prompts/extract-v{version}.md").unlink()
    assert list(versions(small)) == ["zz-find", "aa-link"]


def test_the_meaning_of_a_bare_version(small: Box) -> None:
    project = open_project(small.root)
    suite = pick_suite(project, None)
    assert list(map(str, resolve_version(project, suite, "v1.1"))) == ["extract-v1.1"]
    assert list(map(str, resolve_version(project, suite, "extract-v1.0"))) == ["extract-v1.0"]
    for text in ("v1", "1.1.1", "v9.9", "../x", "extrakt-v1.0", "", "v1.1\n"):
        with pytest.raises(UsageError):
            resolve_version(project, suite, text)


def test_a_bare_version_means_each_prompt_of_the_pipeline_that_has_it(small: Box) -> None:
    for name, version in (("link", "1.1"), ("other", "1.1"), ("judge", "1.0")):
        small.prompt(version, name)
    small.write("row3.toml", small.read("row3.toml") + '[suites.bread]\npipeline = ["extract", "link", "judge"]\n')
    project = open_project(small.root)
    found = resolve_version(project, pick_suite(project, None), "v1.1")
    assert list(map(str, found)) == ["extract-v1.1", "link-v1.1"]
