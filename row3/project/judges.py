"""A suite's judge and documents: from row3.toml, the promoted rubrics and the documents' folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from row3.domain.judges import JudgeRules
from row3.domain.prompts import Prompt, PromptRef, parse_version
from row3.errors import InvalidFile
from row3.gate.agreement import MIN_KAPPA
from row3.kinds.base import Kind
from row3.matching.text.quotes import SourceText
from row3.project.config import FILE, Config, JudgeConfig, overridden

if TYPE_CHECKING:
    from row3.project.project import Project
    from row3.project.suites import Suite


def judged_suite(project: Project, suite: Suite) -> Suite:
    """Return a suite with its judge and documents, if its kind has any. Raises `InvalidFile`."""
    kind, name = suite.kind, suite.name
    if kind.arms:
        suite = replace(suite, rules=replace(suite.rules, documents=project.documents(name)))
    if not kind.rubrics:
        return suite
    settings = judge_settings(project.config, name)
    models = tuple(settings.models) or ((settings.model,) if settings.model else ())
    judge = JudgeRules(models, settings.votes or 1, settings.temperature or 0.0, _rubrics(project, kind))
    calibrations = project.calibrations(name)
    valid = calibrations.valid(judge)
    judge = replace(
        judge,
        warranted=calibrations.warranted(judge, MIN_KAPPA if settings.min_kappa is None else settings.min_kappa),
        calibrated=valid,
        stale=frozenset(calibrations.rubrics) - frozenset(valid),
        labels={label.key: label.points for label in project.labels(name)} if valid else {},
    )
    rules, policy, judged = replace(suite.rules, judge=judge), suite.policy, kind.judged_metrics
    if judged and not judge.warranted.issuperset(judge.rubrics):
        # Metrics of a judge that has not been calibrated warn, and block nothing.
        policy = replace(policy, metrics=tuple(key for key in policy.metrics if key not in judged))
        thresholds = rules.thresholds.items()
        warning = {key: replace(zones, blocking=zones.blocking and key not in judged) for key, zones in thresholds}
        rules = replace(rules, thresholds=warning)
    return replace(suite, rules=rules, policy=policy)


def judge_settings(config: Config, suite: str) -> JudgeConfig:
    """Return the judge's settings: key by key the suite's, else the project's, else the provider's."""
    own, provider = config.suites[suite].judge if suite in config.suites else JudgeConfig(), config.provider
    found = overridden(config.judge, own)
    if found.preset is None and found.base_url is None:
        found = found.replace(
            preset=provider.preset or None,
            base_url=provider.base_url,
            cost=found.cost or provider.cost,
            key_variable=found.key_variable or provider.key_variable,
            allow_http=provider.allow_http if found.allow_http is None else found.allow_http,
        )
    return found if found.model or found.models else found.replace(model=provider.model)


def _rubrics(project: Project, kind: Kind) -> dict[str, Prompt]:
    """Return the promoted version of each of the kind's rubrics, or the highest if none is promoted."""
    found: dict[str, Prompt] = {}
    for name, known in project.versions.items():
        entry = project.promoted.get(name)
        version = None if entry is None else parse_version(entry.version)
        prompt = project.prompt(PromptRef(name, known[-1] if version is None or version not in known else version))
        if prompt.output in kind.rubrics:
            found[name] = prompt
    return found


def read_documents(project: Project, suite: str) -> Mapping[str, SourceText]:
    """Return the texts of a suite's documents by lowercase name, without folder and extension.

    They are text files, and golden files with a `document_id` and a `document`. Raises `InvalidFile`.
    """
    settings = project.config.suites.get(suite)
    folder = None if settings is None else settings.documents
    if folder is None:
        return {}
    tree, root = project.tree, f"golden/{folder}"
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
            keep(name.rpartition(".")[0], project.text(path), path)
        elif name.endswith(".json"):
            value = project.json(path)
            if isinstance(value, dict) and isinstance(value.get("document"), str) and value.get("draft") is not True:
                keep(str(value.get("document_id") or name.partition(".")[0]), value["document"], path)
    if not found:
        raise InvalidFile(
            f"{root}/ contains no documents",
            where=f"{FILE} field suites.{suite}.documents",
            fix="Name a folder with .txt files, or with golden files that have a `document`",
        )
    return found
