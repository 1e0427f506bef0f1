"""How fast checks are: `row3 score` and replay with explanations beside a bare loop, in processor time.

    python -m benchmarks.checks --cases 10000

Each generated case has five heuristic checks. The bare loop reads the same files, parses cases and outputs
and compares; it explains nothing. How both are timed: `turns.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import turns
from row3.domain.requests import Answer
from row3.kinds.checks.model import ChecksCase
from row3.project.cases import parse_case
from row3.project.project import open_project, pick_suite
from row3.project.recording_lines import to_line
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking

SUITE = "checked"
CITIES = ("Paris", "Lyon", "Nantes", "Lille", "Rennes", "Dijon")
CONFIG = f'suite = "{SUITE}"\nmode = "replay"\n\n[provider]\nmodel = "m"\n\n[suites.{SUITE}]\nkind = "checks"\n'
PROMPT = '---\nname: ask\nversion: "1.0"\noutput: answer\n---\n{% block user %}{{ question }}{% endblock %}\n'


def generate(root: Path, cases: int) -> Path:
    """Write a project with recordings and `outputs.jsonl`; returns its folder."""
    for folder in ("prompts", f"golden/{SUITE}", f"recordings/{SUITE}"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "row3.toml").write_text(CONFIG, encoding="utf-8")
    (root / "prompts/ask-v1.0.md").write_text(PROMPT, encoding="utf-8")
    chance = random.Random(7)
    outputs, texts = [], {}
    for number in range(cases):
        city, other = chance.sample(CITIES, 2)
        case_id, wanted = f"case-{number:05}", city if chance.random() < 0.9 else other
        case = {
            "id": case_id,
            "input": {"question": f"Question {number}?"},
            "checks": [
                {"equals": wanted, "path": "$.city"},
                {"contains": f"order {number}"},
                {"not_contains": ["sorry", "as an AI"]},
                {"regex": r"\b\d{1,2} days\b"},
                {"max_words": 40},
            ],
        }
        path = root / f"golden/{SUITE}/{case_id}.gold.json"
        path.write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
        said = f"Your order {number} leaves {city} and takes {number % 30 + 1} days."
        texts[path] = json.dumps({"city": city, "message": said})
        outputs.append(json.dumps({"caseId": case_id, "output": texts[path]}) + "\n")
    (root / "outputs.jsonl").write_text("".join(outputs), encoding="utf-8")
    _record(root, texts)
    return root


def _record(root: Path, texts: dict[Path, str]) -> None:
    project = open_project(root)
    suite = pick_suite(project, SUITE)
    asking = make_asking(suite, line_up(project, suite, role="candidate"), RunOptions())
    lines = {}
    for path, text in texts.items():
        stored = parse_case(path.read_bytes(), path.name, suite.kind, where=path.name)
        assert isinstance(stored.case, ChecksCase)
        request = asking.request(asking.lineup.prompts[0], stored.id, stored.case.variables(), 0)
        answer = Answer(text, prompt_tokens=10, completion_tokens=40, latency_s=0.5)
        lines[stored.id, request.digest] = to_line(request, answer, recorded_at="2026-01-01T00:00:00Z")
    kept = "".join(f"{line}\n" for _, line in sorted(lines.items()))
    (root / f"recordings/{SUITE}/ask-v1.0.jsonl").write_text(kept, encoding="utf-8")


def bare(root: Path) -> Iterator[tuple[int, int]]:
    """Parse every case and output, compare, count; yield the sums of passed and of all checks after each case."""
    passed = total = 0
    with (root / "outputs.jsonl").open("rb") as file:
        for line in file:
            output = json.loads(line)
            case = json.loads((root / f"golden/{SUITE}/{output['caseId']}.gold.json").read_bytes())
            text = output["output"]
            folded, value = text.casefold(), json.loads(text)
            for check in case["checks"]:
                if "equals" in check:
                    passed += value["city"] == check["equals"]
                elif "contains" in check:
                    passed += check["contains"].casefold() in folded
                elif "not_contains" in check:
                    passed += all(each.casefold() not in folded for each in check["not_contains"])
                elif "regex" in check:
                    passed += re.search(check["regex"], text, re.IGNORECASE) is not None
                else:
                    passed += len(text.split()) <= check["max_words"]
                total += 1
            yield passed, total


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=turns.ROUNDS)
    parser.add_argument("--one", nargs=3, metavar=("WORK", "FOLDER", "FEW"), help="measure once, in this process")
    arguments = parser.parse_args()
    if arguments.one:
        work, root, few = arguments.one
        turns.measure(work, Path(root), Path(few), bare)
        return
    with tempfile.TemporaryDirectory(prefix="row3-bench-") as name:
        few = generate(Path(name) / "few", turns.WARM_CASES)
        many = generate(Path(name) / "many", arguments.cases)
        for work in turns.WORK:
            figures = turns.medians("benchmarks.checks", work, many, few, arguments.rounds)
            print(turns.line(f"checks, {work}", figures), flush=True)


if __name__ == "__main__":
    sys.exit(main())
