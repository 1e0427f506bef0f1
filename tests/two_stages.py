"""A project whose suite has two stages, and raw responses to import, for the tests of recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from row3.commands.recordings.import_responses import Imported, import_responses
from row3.commands.recordings.upkeep import verify
from row3.gate.results import Run
from row3.project.project import Project, open_project, pick_suite
from row3.project.suites import Suite
from row3.running.collect import collect, header_for
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking, replay

DECOMPOSE = """---
name: decompose
version: "{version}"
output: concepts
temperature: 0
---
{{% block user %}}{version} {{{{ source_text }}}}{{% endblock %}}
"""
MAP = """---
name: map
version: "1.0"
output: relationships
---
{% block user %}{{ source_text }} {% for concept in concepts %}{{ concept.label }};{% endfor %}{% endblock %}
"""
QUOTED = [{"label": "rye", "sourceQuote": "Rye"}, {"label": "cereal", "sourceQuote": "cereal"}]
CONCEPTS = json.dumps({"concepts": QUOTED})
LINKS = json.dumps({"relationships": [{"source": "rye", "predicate": "IS_A", "target": "cereal"}]})


def two_stages(root: Path) -> Project:
    """Two cases, two versions of the first prompt, one of the second; nothing recorded."""
    (root / "prompts").mkdir()
    for version in ("1.0", "1.1"):
        (root / f"prompts/decompose-v{version}.md").write_text(DECOMPOSE.format(version=version))
    (root / "prompts/map-v1.0.md").write_text(MAP)
    (root / "row3.toml").write_text(
        '[provider]\nmodel = "m"\n[suites.bread]\npipeline = ["decompose", "map"]\n', encoding="utf-8"
    )
    for name in ("a", "b"):
        write_case(root, name, f"Rye is a cereal, says {name}.")
    return open_project(root)


def write_case(root: Path, name: str, text: str) -> None:
    case = {
        "id": name,
        "sourceText": text,
        "expectedConcepts": [{"label": "rye"}, {"label": "cereal"}],
        "expectedRelationships": [{"source": "rye", "predicate": "IS_A", "target": "cereal"}],
    }
    path = root / f"golden/bread/{name}.gold.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(case), encoding="utf-8")


def suite_of(project: Project) -> Suite:
    return pick_suite(project, None)


def response(case_id: str, prompt: str, text: str, **more: Any) -> dict[str, Any]:
    return {"caseId": case_id, "prompt": prompt, "response": text, **more}


ANSWERS = {"map": LINKS, "decompose": CONCEPTS}
BOTH = [response(case, prompt, text) for case in ("b", "a") for prompt, text in ANSWERS.items()]


def imported(project: Project, *lines: object, named: tuple[str, ...] = (), **options: Any) -> Imported:
    path = project.root / "responses.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    project = project.on_disk()  # as another command sees it
    return import_responses(project, suite_of(project), path, named=named, options=RunOptions(**options))


def replayed(project: Project, *named: str, **options: Any) -> Run:
    suite, asked = suite_of(project), RunOptions(**options)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), asked)
    results = replay(project, suite, asking, asked)
    return collect(results, suite, asking.lineup, header_for(suite, asking, mode="replay"), partial=False)


def rules(project: Project) -> list[str]:
    return sorted(finding.rule for finding in verify(project, suite_of(project)))


def file_of(project: Project, prompt: str) -> Path:
    return (project.root / "recordings/bread") / f"{prompt}.jsonl"
