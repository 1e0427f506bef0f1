"""A suite's settings of its judge, and its documents."""

from __future__ import annotations

from collections.abc import Mapping

from row3.errors import InvalidFile
from row3.matching.text.quotes import SourceText
from row3.project.config import Config, JudgeConfig, overridden
from row3.project.documents import Files
from row3.project.places import FILE


def judge_settings(config: Config, suite: str) -> JudgeConfig:
    """Return the judge's settings: key by key the suite's, else the project's, else the provider's."""
    own, provider = config.suites[suite].judge if suite in config.suites else JudgeConfig(), config.provider
    found = overridden(config.judge, own)
    if found.preset is None and found.base_url is None:
        found = found.replace(
            preset=provider.preset or None,
            base_url=provider.base_url,
            batch=provider.batch if found.batch is None else found.batch,
            cost=found.cost or provider.cost,
            key_variable=found.key_variable or provider.key_variable,
            headers=found.headers or provider.headers,
            allow_http=provider.allow_http if found.allow_http is None else found.allow_http,
        )
    return found if found.model or found.models else found.replace(model=provider.model)


def read_documents(files: Files, config: Config, suite: str) -> Mapping[str, SourceText]:
    """Return the texts of a suite's documents by lowercase name, without folder and extension.

    They are text files, and golden files with a `document_id` and a `document`. Raises `InvalidFile`.
    """
    settings = config.suites.get(suite)
    folder = None if settings is None else settings.documents
    if folder is None:
        return {}
    tree, root = files.tree, f"golden/{folder}"
    found: dict[str, SourceText] = {}
    places: dict[str, str] = {}

    def keep(name: str, text: str, path: str) -> None:
        key = name.casefold()
        if (other := places.setdefault(key, path)) != path:
            what = f"the document `{name}` is also in {other}"
            raise InvalidFile(what, where=tree.place(path), fix="Give each document a unique name")
        found[key] = SourceText(text)

    for path in tree.files(root, deep=True):
        name = path.rpartition("/")[2]
        if name.endswith((".txt", ".md")):
            keep(name.rpartition(".")[0], files.text(path), path)
        elif name.endswith(".json"):
            value = files.json(path)
            if isinstance(value, dict) and isinstance(value.get("document"), str) and value.get("draft") is not True:
                keep(str(value.get("document_id") or name.partition(".")[0]), value["document"], path)
    if not found:
        raise InvalidFile(
            f"{root}/ contains no documents",
            where=f"{FILE} field suites.{suite}.documents",
            fix="Name a folder with .txt files, or with golden files that have a `document`",
        )
    return found
