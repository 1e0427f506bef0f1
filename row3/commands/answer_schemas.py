"""The schemas that row3 writes from the pydantic models that prompts name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from row3.domain.prompts import Prompt, PromptRef
from row3.errors import InvalidFile
from row3.project.answer_schemas import check_schema, schema_text
from row3.project.base import asked_by
from row3.project.project import Project
from row3.project.prompts import FOLDER, parse_prompt
from row3.project.transaction import commit, writing
from row3.project.tree import read_text
from row3.project.trusted_code import model_code
from row3.running.worker import LOAD_LIMIT_S, Worker

MODELS = Worker("row3.running.model_process", "loads the project's models", isolated=False)


def model_schema(root: Path, model: str, *, where: str) -> dict[str, Any]:
    """Return the JSON schema of a project's model, which the field `where` names. Raises `InvalidFile`."""
    try:
        said = MODELS.ask((str(root), model), LOAD_LIMIT_S, str(root))
    except TimeoutError:
        said = {"fault": f"`{model}` was not loaded within {LOAD_LIMIT_S:g} s"}
    except EOFError as ended:
        said = {"fault": f"`{model}` {ended}"}
    finally:
        MODELS.end()  # the next question may be about edited code
    match said:
        case {"schema": dict(schema)}:
            check_schema(schema, where=where)
            return schema
        case {"fault": str(fault)}:
            module = model.partition(":")[0]
            absent = f"No module named '{module}'" in fault
            fix = f"Correct the field, or {f'create {module}.py' if absent else f'the module `{module}`'}"
            raise InvalidFile(" ".join(fault.split()), where=where, fix=fix)
    raise InvalidFile(f"`{model}` gave something that row3 cannot read", where=where, fix="Correct it")


def schema_of(project: Project, prompt: Prompt) -> dict[str, Any]:
    """Return the JSON schema of a prompt's model as it is now. Raises `InvalidFile`, and `UsageError` by the guard."""
    assert prompt.schema is not None
    suite = min(asked_by(project, prompt.ref.name) or project.suite_names(), default="")
    project.check_code(suite, [model_code(prompt.schema.model)])
    return model_schema(project.root, prompt.schema.model, where=f"{prompt.path} field schema")


def write_model_schemas(project: Project) -> list[str]:
    """Write the files of the models that versions name which were never promoted; return those that differed.

    Raises as `schema_of`.
    """
    with writing(project.root):
        project = project.on_disk()
        made = {prompt.schema.path: schema_of(project, prompt) for prompt in _drafts(project) if prompt.schema}
        texts, tree = {path: schema_text(schema).encode() for path, schema in made.items()}, project.tree
        files = {path: text for path, text in texts.items() if not tree.exists(path) or tree.read(path) != text}
        if files:
            commit(project.root, files)
    return list(files)


def _drafts(project: Project) -> Iterator[Prompt]:
    """Yield the versions with a model that were never promoted, and can be read; their schemas are not read."""
    for ref in (PromptRef(name, version) for name, versions in project.versions.items() for version in versions):
        path = f"{FOLDER}/{ref}.md"
        if str(ref) in project.locks:
            continue
        try:
            prompt = parse_prompt(read_text(project.tree, path), ref, path=path, where=path)
        except InvalidFile:  # lint reports it
            continue
        if prompt.schema is not None and prompt.schema.model:
            yield prompt
