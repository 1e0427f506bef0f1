"""Prompt versions by label, over real HTTP."""

from __future__ import annotations

import pytest

from tests.langfuse_server import LangFuse
from tests.projects import Box

NAME = "extract"


def pull(box: Box, code: int = 0) -> str:
    return box.row3("langfuse", "prompts", "pull", "--label", "staging", code=code).out


def test_push_is_idempotent_by_content_and_moves_the_label(box: Box, fuse: LangFuse) -> None:
    args = ("langfuse", "prompts", "push", "--label", "staging")
    assert box.row3(*args, code=0).out == "pushed extract-v1.1 (version 1 in LangFuse)\n"
    assert box.row3(*args, code=0).out == "LangFuse has extract-v1.1 (version 1 in LangFuse)\n"
    assert len(fuse.prompts[NAME]) == 1
    assert fuse.prompts[NAME][0]["config"]["temperature"] == 0
    assert "{{ source_text }}" in fuse.prompts[NAME][0]["prompt"]
    box.prompt("1.2")
    box.row3(*args, code=0)
    assert [each["labels"] for each in fuse.prompts[NAME]] == [[], ["staging", "latest"]]
    # Going back to an earlier text moves the label, and makes no third version.
    box.path("prompts/extract-v1.2.md").unlink()
    box.row3(*args, code=0)
    assert [each["labels"] for each in fuse.prompts[NAME]] == [["staging"], ["latest"]]


def test_pull_writes_a_new_version_and_never_changes_one(box: Box, fuse: LangFuse) -> None:
    box.row3("langfuse", "prompts", "push", "--label", "staging", code=0)
    tree = box.tree()
    assert pull(box) == "the same as extract-v1.1 (version 1 in LangFuse)\n"
    assert box.tree() == tree
    theirs = fuse.prompts[NAME][0]
    new = {"name": NAME, "prompt": theirs["prompt"].replace("bread", "dough"), "config": theirs["config"]}
    fuse.create_prompt({**new, "type": "text", "labels": ["staging"]})
    assert pull(box) == "wrote extract-v1.2 (version 2 in LangFuse)\n"
    text = box.read("prompts/extract-v1.2.md")
    assert "You read texts about dough." in text
    assert "temperature: 0\n" in text
    assert "version: '1.2'" in text
    assert {name: raw for name, raw in box.tree().items() if name in tree and name != "CHANGELOG.md"} == {
        name: raw for name, raw in tree.items() if name != "CHANGELOG.md"
    }
    assert "## v1.2 (Unreleased)" in box.read("CHANGELOG.md")
    tree = box.tree()
    assert pull(box) == "the same as extract-v1.2 (version 2 in LangFuse)\n"
    assert box.tree() == tree
    assert "prompts/" not in box.row3("lint").out


def test_a_chat_prompt_becomes_blocks_or_messages_and_one_that_no_model_takes_is_refused(
    box: Box, fuse: LangFuse
) -> None:
    messages = [{"role": "system", "content": "You read."}, {"role": "user", "content": "{{source_text}}"}]
    fuse.create_prompt({"name": NAME, "type": "chat", "prompt": messages, "labels": ["staging"]})
    pull(box)
    text = box.read("prompts/extract-v1.2.md")
    assert "{% block system %}You read.{% endblock %}\n{% block user %}{{source_text}}{% endblock %}" in text
    assert "output: extraction" in text
    messages[1:1] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    fuse.create_prompt({"name": NAME, "type": "chat", "prompt": messages, "labels": ["staging"]})
    pull(box)
    assert '{% message "assistant" %}\nYes?\n{% endmessage %}' in box.read("prompts/extract-v1.3.md")
    assert "prompts/" not in box.row3("lint").out
    del messages[1]
    fuse.create_prompt({"name": NAME, "type": "chat", "prompt": messages, "labels": ["staging"]})
    (error,) = box.row3("langfuse", "prompts", "pull", "--label", "staging", code=2).errors
    assert "a user's before any assistant's" in error


@pytest.mark.parametrize("label", ["latest", "Not A Label"])
def test_a_label_that_cannot_be_given_is_refused(box: Box, label: str) -> None:
    (error,) = box.row3("langfuse", "prompts", "push", "--label", label, code=2).errors
    assert "is not a valid label" in error


def test_a_label_that_nothing_has_is_one_error(box: Box) -> None:
    (error,) = box.row3("langfuse", "prompts", "pull", "--label", "staging", code=2).errors
    assert "no prompt of this project has the label `staging`" in error
    (error,) = box.row3("langfuse", "prompts", "pull", NAME, "--label", "staging", code=2).errors
    assert "prompt extract: not found in LangFuse" in error


@pytest.mark.parametrize("name", ["../../outside", "other", "extract\n# Heading", "/etc/passwd"])
def test_a_server_that_answers_with_another_prompt_writes_nothing(box: Box, fuse: LangFuse, name: str) -> None:
    box.row3("langfuse", "prompts", "push", "--label", "staging", code=0)
    tree = box.tree()
    fuse.prompts[NAME][0] |= {"name": name, "prompt": "Say {{ source_text }}."}
    done = box.row3("langfuse", "prompts", "pull", "--label", "staging", code=2)
    assert "prompt extract: LangFuse returned a different prompt" in done.err
    assert "Heading" not in done.err
    assert box.tree() == tree


def test_pages_end_with_an_empty_one(box: Box, fuse: LangFuse, monkeypatch: pytest.MonkeyPatch) -> None:
    box.row3("langfuse", "prompts", "push", "--label", "staging", code=0)
    paged = fuse._paged
    monkeypatch.setattr(
        fuse, "_paged", lambda *args: (it := paged(*args)) | {"meta": it["meta"] | {"totalPages": 10**9}}
    )
    assert pull(box) == "the same as extract-v1.1 (version 1 in LangFuse)\n"
