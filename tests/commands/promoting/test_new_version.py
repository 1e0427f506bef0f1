"""`row3 new-version`: the next version, byte for byte but for its number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.commands.promoting.new_version import new_version
from row3.domain.requests import digest_text
from row3.errors import EnvironmentFault, InvalidFile, Row3Error, UsageError
from row3.project.project import Project, open_project

NAME = "decompose-concepts"


@pytest.fixture
def project(root: Path) -> Project:
    return open_project(root)


def _prompt(project: Project, version: str, name: str = NAME) -> Path:
    return project.root / f"prompts/{name}-{version}.md"


def _promote(project: Project, version: str) -> None:
    digest = digest_text(_prompt(project, version).read_text(encoding="utf-8"))
    value = {"prompts": {NAME: {"version": version, "digest": digest, "date": "2026-01-29"}}}
    (project.root / "prompts/promoted.json").write_text(json.dumps(value))


def test_the_next_minor_version(project: Project) -> None:
    made = new_version(project, NAME)
    assert (str(made.ref), made.path, made.changelog_changed) == (f"{NAME}-v1.1", _prompt(project, "v1.1"), True)
    old, new = _prompt(project, "v1.0").read_text(encoding="utf-8"), made.path.read_text(encoding="utf-8")
    assert new == old.replace('version: "1.0"', 'version: "1.1"')


def test_the_next_major_version(project: Project) -> None:
    new_version(project, NAME)
    made = new_version(project, NAME, major=True)
    assert (str(made.ref), str(made.copied_from)) == (f"{NAME}-v2.0", f"{NAME}-v1.1")
    assert str(new_version(project, NAME).ref) == f"{NAME}-v2.1"


def test_the_promoted_version_is_copied_to_the_next_free_one(project: Project) -> None:
    _promote(project, "v1.0")
    made = new_version(project, NAME)
    made.path.write_text(made.path.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    again = new_version(project, NAME)
    assert (str(again.ref), str(again.copied_from)) == (f"{NAME}-v1.2", f"{NAME}-v1.0")
    assert "more" not in again.path.read_text(encoding="utf-8")


def test_versions_are_numbers(project: Project) -> None:
    text = _prompt(project, "v1.0").read_text(encoding="utf-8")
    for minor in (2, 10):
        _prompt(project, f"v1.{minor}").write_text(text.replace('"1.0"', f'"1.{minor}"'), encoding="utf-8")
    assert str(new_version(project, NAME).ref) == f"{NAME}-v1.11"


def test_edits_of_a_promoted_file_are_copied_and_reported(project: Project) -> None:
    _promote(project, "v1.0")
    path = _prompt(project, "v1.0")
    path.write_text(path.read_text(encoding="utf-8") + "edited\n", encoding="utf-8")
    made = new_version(project, NAME)
    assert made.path.read_text(encoding="utf-8").endswith("edited\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"version: '1.0'   # first", b"version: '1.1'   # first"),
        (b"version: v1.0", b"version: v1.1"),
        (b'"version" : "v1.0"', b'"version" : "v1.1"'),
    ],
)
def test_everything_else_stays_byte_for_byte(project: Project, before: bytes, after: bytes) -> None:
    path = _prompt(project, "v1.0")
    raw = path.read_bytes().replace(b'version: "1.0"', before) + b'\nversion: "1.0"  \n\n'
    raw = b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n")
    path.write_bytes(raw)
    assert new_version(project, NAME).path.read_bytes() == raw.replace(before, after, 1)


def test_a_version_that_cannot_be_replaced(project: Project) -> None:
    path = _prompt(project, "v1.0")
    body = path.read_text(encoding="utf-8").split("---\n", 2)[2]
    path.write_text(f'---\n{{name: {NAME}, version: "1.0", output: concepts}}\n---\n{body}', encoding="utf-8")
    with pytest.raises(InvalidFile, match="cannot replace the version"):
        new_version(project, NAME)
    assert not _prompt(project, "v1.1").exists()


def test_an_unreleased_entry_opens_and_hand_written_text_stays(project: Project) -> None:
    changelog = project.root / "CHANGELOG.md"
    changelog.write_bytes(b"# Changelog\r\n\r\nMy words.\r\n\r\n## v1.0 (2026-01-29)\r\n\r\nMore.\r\n")
    new_version(project, NAME)
    text = changelog.read_bytes().decode()
    assert "## v1.1 (Unreleased)\r\n" in text
    assert f"Prompt: {NAME}" in text
    assert "My words.\r\n" in text
    assert text.endswith("## v1.0 (2026-01-29)\r\n\r\nMore.\r\n")
    assert text.index("Unreleased") < text.index("v1.0")


@pytest.mark.parametrize("before", [None, "", "# Changelog\n\nWithout any entry.\n"])
def test_a_changelog_without_entries(project: Project, before: str | None) -> None:
    changelog = project.root / "CHANGELOG.md"
    if before is None:
        changelog.unlink(missing_ok=True)
    else:
        changelog.write_text(before)
    assert new_version(project, NAME).changelog_changed
    text = changelog.read_text()
    assert "## v1.1 (Unreleased)" in text
    assert "Without any entry." in text or not before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("decompose-concept", "Did you mean `decompose-concepts`"),
        ("other", "Prompts: decompose-concepts, map-ontology"),
        ("decompose-concepts-v1.0", "is a version, not a prompt. Write `decompose-concepts`"),
        ("../decompose-concepts", "does not exist"),
    ],
)
def test_an_unknown_prompt(project: Project, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        new_version(project, name)


def test_nothing_is_written_where_the_changelog_cannot_be_used(project: Project) -> None:
    (project.root / "CHANGELOG.md").write_text("<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    with pytest.raises(InvalidFile, match="merge-conflict"):
        new_version(project, NAME)
    assert not _prompt(project, "v1.1").exists()


def test_nothing_is_overwritten(project: Project) -> None:
    _prompt(project, "v1.1").symlink_to("nowhere")
    with pytest.raises(Row3Error):
        new_version(project, NAME)
    assert _prompt(project, "v1.1").is_symlink()


def test_a_folder_that_cannot_be_written(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(EnvironmentFault, match="No space left"):
        new_version(project, NAME)
    monkeypatch.undo()
    assert not _prompt(project, "v1.1").exists()
    assert not (project.root / "CHANGELOG.md").exists()


def test_a_copied_description_is_reported(project: Project) -> None:
    assert new_version(project, NAME).description
