"""`row3 langfuse prompts push` and `pull`: copy prompt versions by label.

In LangFuse a prompt is a text prompt with the same template, and its front matter is in the configuration. Versions are
equal if both are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from row3.commands.promoting.new_version import next_version
from row3.domain.prompts import NAME, PromptRef, Version
from row3.domain.requests import ROLES, order_fault
from row3.errors import InvalidFile, UsageError
from row3.integrations.langfuse.client import Connection, in_path
from row3.project import prompts as store
from row3.project.changelog import insert_entry, unreleased_entry
from row3.project.model_parameters import ModelParameters
from row3.project.places import CHANGELOG
from row3.project.project import Project, read_changelog
from row3.project.transaction import commit, writing
from row3.running.rendering.templates import body_of

if TYPE_CHECKING:
    from langfuse.api import Prompt_Chat, Prompt_Text

VERSION = "row3Version"
"""Key of the configuration for the version that was pushed."""
FRONT = ("description", "output", "model", *ModelParameters.model_fields, "criteria", "lessons")
"""Keys of the front matter that go into the configuration."""
LABEL = re.compile(r"[a-z0-9_.-]{1,36}\Z")


@dataclass(frozen=True, slots=True)
class PromptSync:
    """A prompt version here and in LangFuse."""

    ref: PromptRef
    remote_version: int
    """Number of the version in LangFuse."""
    new: bool
    """Whether it was written; otherwise both sides had it."""


def push_prompts(project: Project, connection: Connection, names: Sequence[str], label: str | None) -> list[PromptSync]:
    """Push the highest version of these prompts, by default of all, and move `label` to it.

    Raises `UsageError` for an unknown prompt, and as `Connection.faults`.
    """
    if label is not None and (not LABEL.match(label) or label == "latest"):
        fix = "Use lower-case letters, digits, `_`, `-` and `.`; `latest` is reserved"
        raise UsageError(f"`{label}` is not a valid label", where="--label", fix=fix)
    found = project.versions
    if unknown := [name for name in names if name not in found]:
        fix = f"Prompts: {', '.join(sorted(found)) or 'none'}"
        raise UsageError(f"prompt `{unknown[0]}` does not exist", where="NAME", fix=fix)
    return [_push(project, connection, PromptRef(name, found[name][-1]), label) for name in names or sorted(found)]


def _push(project: Project, connection: Connection, ref: PromptRef, label: str | None) -> PromptSync:
    from langfuse.api import CreateTextPromptRequest

    prompt, where = project.prompt(ref), f"prompt {ref.name}"
    config = _front(store.front_matter(prompt.text, where=prompt.path))
    connection.check([config, prompt.body], where=prompt.path)
    same = next((each for each in _versions(connection, ref.name) if _is_same(each, config, prompt.body)), None)
    labels = [] if label is None else [label]
    if same is None:
        given = {**config, VERSION: str(ref.version)}
        request = CreateTextPromptRequest(name=ref.name, prompt=prompt.body, config=given, labels=labels)
        with connection.faults(where):
            same = connection.api.prompts.create(request=request)
        return PromptSync(ref, same.version, new=True)
    if missing := [each for each in labels if each not in same.labels]:
        with connection.faults(where):
            connection.api.prompt_version.update(in_path(ref.name), same.version, new_labels=missing)
    return PromptSync(ref, same.version, new=False)


def pull_prompts(
    project: Project, connection: Connection, names: Sequence[str], label: str, *, may_write: bool = True
) -> list[PromptSync]:
    """Write the labelled versions as new versions here, except those that exist; never changes a version.

    `names` are by default all prompts of the project. Raises `UsageError` if none has the label, or if a new version
    is needed without `may_write`, `InvalidFile` for a prompt that row3 cannot use, and as `Connection.faults`.
    """
    if not names:
        with_label = labelled(connection, label)
        names = [name for name in project.versions if name in with_label]
    if not names:
        fix = "Set it on a version in LangFuse, or push with --label"
        raise UsageError(f"no prompt of this project has the label `{label}`", where="--label", fix=fix)
    found = [_fetch(connection, name, label) for name in names]
    with writing(project.root):
        project = project.on_disk()
        local = project.versions
        files: dict[str, bytes] = {}
        changelog = before = read_changelog(project)
        done = []
        for theirs in found:
            name, known = theirs.name, local.get(theirs.name, [])
            ref, new = _local_ref(project, name, known, theirs)
            if new:
                files[f"{store.FOLDER}/{ref}.md"] = _file(project, ref, known, theirs).encode()
                changelog = insert_entry(changelog, unreleased_entry(str(ref.version), name), str(ref.version), name)
            done.append(PromptSync(ref, theirs.version, new))
        if files and not may_write:
            what = f"row3 writes no files in CI, and {', '.join(sorted(files))} would be new"
            fix = f"Run `row3 langfuse prompts pull --label {label}` outside CI, and commit"
            raise UsageError(what, where="--prompt-label", fix=fix)
        if files:
            files |= {CHANGELOG: changelog.encode()} if changelog != before else {}
            commit(project.root, files)
    return done


def _front(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in FRONT if key in value and value[key] is not None}


def _is_same(prompt: Prompt_Chat | Prompt_Text, front: Mapping[str, Any], body: str) -> bool:
    config = prompt.config if isinstance(prompt.config, dict) else {}
    return bool(prompt.prompt == body and _front(config) == front)


def _content(prompt: Prompt_Chat | Prompt_Text) -> tuple[dict[str, Any], str]:
    """Return front matter and template of a prompt in LangFuse. Raises `InvalidFile` for other messages."""
    config = _front(prompt.config) if isinstance(prompt.config, dict) else {}
    if isinstance(prompt.prompt, str):
        return config, prompt.prompt
    parts = [(getattr(each, "role", ""), getattr(each, "content", None)) for each in prompt.prompt]
    roles = [role for role, _ in parts]
    texts = [text for role, text in parts if role in ROLES and isinstance(text, str)]
    if len(texts) < len(parts) or order_fault(roles):
        what = "a chat prompt for row3 has system, user and assistant messages, a user's before any assistant's, and "
        what += "no placeholders"
        raise InvalidFile(what, where=f"prompt {prompt.name} version {prompt.version}", fix="Change it in LangFuse")
    given = list(zip(roles, texts, strict=True))
    if len({*roles}) < len(roles) or "assistant" in roles:
        return config, body_of(given)
    return config, "".join(f"{{% block {role} %}}{text}{{% endblock %}}\n" for role, text in sorted(given))


def _versions(connection: Connection, name: str) -> Iterator[Prompt_Chat | Prompt_Text]:
    """Yield the versions of a prompt in LangFuse, latest first."""
    where, api = f"prompt {name}", connection.api.prompts
    listed = connection.pages(lambda page: api.list(name=name, page=page), where)
    for number in sorted((number for each in listed if each.name == name for number in each.versions), reverse=True):
        with connection.faults(where):
            found: Prompt_Chat | Prompt_Text = api.get(in_path(name), version=number, resolve=False)
        yield found


def labelled(connection: Connection, label: str) -> set[str]:
    """Return the names of LangFuse's prompts with a label. Raises as `Connection.faults`."""
    api = connection.api.prompts
    return {each.name for each in connection.pages(lambda page: api.list(label=label, page=page), f"label {label}")}


def _fetch(connection: Connection, name: str, label: str) -> Prompt_Chat | Prompt_Text:
    if not NAME.match(name):
        raise UsageError(f"`{name}` is not a prompt name", where="NAME", fix="Use lower-case letters, digits and -")
    missing = f"Set the label `{label}` on a version in LangFuse, or push with --label"
    with connection.faults(f"prompt {name}", missing=missing):
        found: Prompt_Chat | Prompt_Text = connection.api.prompts.get(in_path(name), label=label)
    if found.name != name:
        raise UsageError("LangFuse returned a different prompt", where=f"prompt {name}", fix="Check LANGFUSE_HOST")
    connection.check([found.config, _content(found)[1]], where=f"prompt {name} version {found.version}")
    return found


def _local_ref(
    project: Project, name: str, local: Sequence[Version], theirs: Prompt_Chat | Prompt_Text
) -> tuple[PromptRef, bool]:
    """Return the equal local version, else the next one, and whether it is new."""
    config, body = _content(theirs)
    for version in reversed(local):
        prompt = project.prompt(PromptRef(name, version))
        front = _front(store.front_matter(prompt.text, where=prompt.path))
        if front | config == front and prompt.body.strip() == body.strip():
            return prompt.ref, False
    return PromptRef(name, next_version(local[-1], major=False) if local else Version(1, 0)), True


def _file(project: Project, ref: PromptRef, local: Sequence[Version], theirs: Prompt_Chat | Prompt_Text) -> str:
    """Return the text of a new version; keys that LangFuse lacks are taken from the highest local version."""
    config, body = _content(theirs)
    if local:
        last = project.prompt(PromptRef(ref.name, local[-1]))
        config = _front(store.front_matter(last.text, where=last.path)) | {"description": ""} | config
    front = {"name": ref.name, "version": str(ref.version).removeprefix("v"), **config}
    text = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=1000)
    whole = f"---\n{text}---\n{body.rstrip()}\n"
    where = f"prompt {ref.name} version {theirs.version}"
    store.parse_prompt(whole, ref, path=f"{store.FOLDER}/{ref}.md", where=where)
    return whole
