"""A row3 project of any size, the same for the same arguments.

    python benchmarks/generate.py /tmp/bench --cases 10000

Each case has 20 concepts and 40 relationships. The outputs have the noise of a real model: about 70 % of the concepts
exact, some by an alias, some misspelt, some missed, some invented, now and then a canary; relationships with wrong
predicates, turned round or with a wrong end. Two versions of the first prompt are recorded, the second a little
better, so that a comparison has something to say.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from row3.domain.misfits import convert
from row3.domain.prompts import PromptRef, Version
from row3.domain.requests import Answer
from row3.kinds.extraction.model import GoldenCase
from row3.project.cases import StoredCase
from row3.project.project import Project, open_project, pick_suite
from row3.project.prompts import Promotion, promoted_text, read_prompt
from row3.project.recording_lines import to_line
from row3.project.suites import Suite
from row3.project.tree import WorkTree
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking

CONCEPTS, RELATIONSHIPS, CANARIES, FORBIDDEN = 20, 40, 6, 4
SUITE = "bench"
RECORDED_AT = "2026-01-01T00:00:00Z"
PREDICATES = ("IS_A", "CAUSES", "PRECEDES", "REQUIRES", "RELATES_TO")


def words(text: str) -> list[str]:
    return text.split()


FIRST = words(
    "adaptive aerobic ambient annual aquatic arid axial benthic brackish central coastal cyclic decadal "
    "deep diurnal dormant elastic eroded fiscal fluvial global humid latent lateral local marine mutual "
    "nested nominal optical organic partial pelagic polar primary radial regional saline seasonal shallow "
    "sparse stable tidal turbid urban vertical viral woody"
)
SECOND = words(
    "albedo aquifer biomass budget carbon catchment cluster consensus credit current debt demand deposit "
    "diffusion drainage energy exchange export feedback fishery forest glacier grid habitat income "
    "inflation kinship labour ledger market methane migration nitrogen nutrient oxygen phosphorus "
    "plankton policy pollen price quorum rainfall replica reserve reservoir sediment settlement soil "
    "species storage surplus tariff temperature token transport vaccine vegetation voter wage wetland"
)
THIRD = words(
    "accumulation allocation balance barrier capacity collapse coupling cycle decline density dynamics "
    "exposure flux gradient growth index interval limit load loss model network pathway pressure protocol "
    "rate ratio recovery regime resilience risk shift signal stress system threshold transfer turnover "
    "uptake variation"
)
VERBS = {
    "IS_A": "is a kind of",
    "CAUSES": "brings about",
    "PRECEDES": "comes before",
    "REQUIRES": "depends on",
    "RELATES_TO": "is found beside",
}
DECOMPOSE = """---
name: decompose-concepts
version: "{version}"
description: Benchmark prompt.
output: concepts
temperature: 0
---
{{% block system %}}You decompose texts into concepts ({version}).{{% endblock %}}
{{% block user %}}List the concepts of this text about {{{{ topic }}}}.

{{{{ source_text }}}}

Answer with JSON.{{% endblock %}}
"""
MAP = """---
name: map-ontology
version: "1.0"
description: Benchmark prompt.
output: relationships
temperature: 0
---
{% block user %}Connect these concepts as the text states it.

{{ source_text }}

{% for concept in concepts %}- {{ concept.label }}
{% endfor %}{% endblock %}
"""
CONFIG = """schema_version = 1
suite = "bench"
mode = "replay"

[provider]
model = "bench-model"

[suites.bench]
kind = "extraction"
pipeline = ["decompose-concepts", "map-ontology"]

[suites.bench.thresholds.hallucinationRate]
minimum = 0.5
target = 0.2
excellent = 0.0
"""


@dataclass(frozen=True, slots=True)
class Noise:
    """Shares of the expected concepts; what is left over is missed."""

    exact: float = 0.70
    alias: float = 0.06
    misspelt: float = 0.08


@dataclass(slots=True)
class Made:
    """A golden case and the outputs for it, by prompt version."""

    golden: dict[str, Any]
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)


def make_case(number: int) -> Made:
    """Case number `number` with its outputs; depends on nothing else."""
    chance = random.Random(number)
    names = _names(chance, CONCEPTS + CANARIES)
    labels, canaries = names[:CONCEPTS], names[CONCEPTS:]
    concepts: list[dict[str, Any]] = []
    for i, label in enumerate(labels):
        concept: dict[str, Any] = {"label": label, "required": i % 4 != 3}
        if i % 3 == 0:
            concept["aliases"] = [f"the {label.split()[1]} {label.split()[2]} of {label.split()[0]} kind"]
        concepts.append(concept)
    pairs = chance.sample([(a, b) for a in labels for b in labels if a < b], RELATIONSHIPS + FORBIDDEN)
    links = [{"source": a, "predicate": chance.choice(PREDICATES), "target": b} for a, b in pairs]
    expected, forbidden = links[:RELATIONSHIPS], links[RELATIONSHIPS:]
    sentences = [f"{e['source'].capitalize()} {VERBS[e['predicate']]} {e['target']}." for e in expected]
    fourth = len(sentences) // 4
    text = "\n\n".join(" ".join(sentences[i : i + fourth]) for i in range(0, len(sentences), fourth))
    golden = {
        "id": f"case-{number:06d}",
        "topic": labels[0],
        "domain": ("ecological", "technical", "social", "economic", "interdisciplinary")[number % 5],
        "origin": "Made by benchmarks/generate.py.",
        "sourceText": text,
        "expectedConcepts": concepts,
        "expectedRelationships": expected,
        "forbiddenConcepts": canaries,
        "forbiddenRelationships": forbidden,
    }
    made = Made(golden)
    for version, noise in (("1.0", Noise(exact=0.66)), ("1.1", Noise())):
        made.outputs[version] = _output(random.Random(f"{number} {version}"), golden, sentences, noise)
    return made


def _names(chance: random.Random, count: int) -> list[str]:
    seconds, thirds = chance.sample(SECOND, count), chance.sample(THIRD, count)
    return [f"{chance.choice(FIRST)} {second} {third}" for second, third in zip(seconds, thirds, strict=True)]


def _output(chance: random.Random, golden: dict[str, Any], sentences: list[str], noise: Noise) -> dict[str, Any]:
    concepts = []
    for expected in golden["expectedConcepts"]:
        label, roll = expected["label"], chance.random()
        if roll < noise.exact:
            name = label if chance.random() < 0.8 else label.title()
        elif roll < noise.exact + noise.alias:
            name = (expected.get("aliases") or [label.upper()])[0]
        elif roll < noise.exact + noise.alias + noise.misspelt:
            cut = chance.randrange(1, len(label) - 1)
            name = label[:cut] + label[cut + 1 :] + chance.choice(("", "s"))
        else:
            continue
        quote = next((s for s in sentences if label in s.lower()), "")
        concepts.append({"label": name, "sourceQuote": quote if chance.random() < 0.97 else ""})
    invented = chance.choice((1, 2, 3))
    concepts += [{"label": _names(chance, 1)[0], "sourceQuote": chance.choice(sentences)} for _ in range(invented)]
    if chance.random() < 0.05:
        concepts.append({"label": chance.choice(golden["forbiddenConcepts"]), "sourceQuote": ""})
    if chance.random() < 0.2 and concepts:
        concepts.append(dict(concepts[0]))
    chance.shuffle(concepts)
    links = []
    for expected in golden["expectedRelationships"]:
        source, predicate, target, roll = expected["source"], expected["predicate"], expected["target"], chance.random()
        if roll > 0.95:
            continue
        if roll > 0.88:
            predicate = chance.choice(PREDICATES)
        elif roll > 0.83:
            source, target = target, source
        elif roll > 0.76:
            target = chance.choice(golden["expectedConcepts"])["label"]
        elif roll > 0.72:
            source = source[:-1]
        links.append({"source": source, "predicate": predicate, "target": target})
    if chance.random() < 0.05:
        links.append(dict(golden["forbiddenRelationships"][0]))
    return {"concepts": concepts, "relationships": links}


def golden_text(golden: dict[str, Any]) -> str:
    """The case as a person would write it: one concept or relationship a line."""
    parts = []
    for key, value in golden.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            parts.append(f'  "{key}": [\n{rows}\n  ]')
        else:
            parts.append(f'  "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def generate(root: Path, cases: int, *, recordings: bool = True, make: Callable[[int], Made] = make_case) -> Path:
    """Write the project and `outputs.jsonl`; returns its folder. Existing files are overwritten."""
    for folder in ("prompts", f"golden/{SUITE}", f"recordings/{SUITE}"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "row3.toml").write_text(CONFIG, encoding="utf-8")
    for version in ("1.0", "1.1"):
        prompt = root / f"prompts/decompose-concepts-v{version}.md"
        prompt.write_text(DECOMPOSE.format(version=version), encoding="utf-8")
    (root / "prompts/map-ontology-v1.0.md").write_text(MAP, encoding="utf-8")
    with (root / "outputs.jsonl").open("w", encoding="utf-8", newline="\n") as outputs:
        for number in range(cases):
            made = make(number)
            path = root / f"golden/{SUITE}/{made.golden['id']}.gold.json"
            path.write_text(golden_text(made.golden), encoding="utf-8", newline="\n")
            outputs.write(json.dumps({"caseId": made.golden["id"], "output": made.outputs["1.1"]}) + "\n")
    promoted = {}
    for name in ("decompose-concepts", "map-ontology"):
        digest = read_prompt(WorkTree(root), PromptRef(name, Version(1, 0))).digest
        promoted[name] = Promotion(version="v1.0", digest=digest, date=RECORDED_AT[:10])
    (root / "prompts/promoted.json").write_text(promoted_text(promoted), encoding="utf-8")
    if recordings:
        _record(root, cases, make)
    return root


def _record(root: Path, cases: int, make: Callable[[int], Made]) -> None:
    project = open_project(root)
    suite = pick_suite(project, SUITE)
    held = ("decompose-concepts-v1.0", "decompose-concepts-v1.1", "map-ontology-v1.0")
    folder = project.root / "recordings" / SUITE
    files = {name: (folder / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") for name in held}
    askings = {v: _asking(project, suite, v) for v in ("1.0", "1.1")}
    for number in range(cases):
        made = make(number)
        stored = StoredCase(convert(made.golden, GoldenCase), "", "")
        lines: dict[str, list[tuple[str, str]]] = {name: [] for name in held}
        for version, asking in askings.items():
            for name, digest, line in _lines(asking, suite, stored, made.outputs[version]):
                lines[name].append((digest, line))
        for name, rows in lines.items():
            for _, line in sorted(dict(rows).items()):
                files[name].write(line + "\n")
    for file in files.values():
        file.close()


def _asking(project: Project, suite: Suite, version: str) -> Any:
    named = (f"decompose-concepts-v{version}",)
    return make_asking(suite, line_up(project, suite, role="candidate", named=named), RunOptions())


def _lines(asking: Any, suite: Suite, stored: StoredCase, output: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    variables = stored.case.variables()
    for prompt in asking.lineup.prompts:
        request = asking.request(prompt, stored.id, variables, 0)
        text = json.dumps({prompt.output: output[prompt.output]}, indent=1)
        answer = Answer(
            text,
            served_model="bench-model",
            prompt_tokens=len(request.texts[-1]) // 4,
            completion_tokens=len(text) // 4,
            latency_s=1.5,
        )
        yield request.prompt, request.digest, to_line(request, answer, recorded_at=RECORDED_AT)
        parsed = suite.kind.outputs[prompt.output].read(text)
        variables = {**variables, **parsed.value.context(prompt.output)}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--no-recordings", action="store_true", help="golden cases and outputs only")
    arguments = parser.parse_args()
    generate(arguments.folder, arguments.cases, recordings=not arguments.no_recordings)


if __name__ == "__main__":
    main()
