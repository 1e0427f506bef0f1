"""What a live run would send."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.commands.recordings.import_responses import import_responses
from row3.errors import InvalidFile
from row3.project.project import Project, open_project, pick_suite
from row3.reports.estimate import estimate_document, estimate_json
from row3.reports.terminal import Style, terminal_text
from row3.running.estimate import Estimate, estimate
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions
from row3.running.stages import Overrides

FIRST = """---
name: decompose
version: "1.0"
output: concepts
---
{% block user %}{{ source_text }}{% endblock %}
"""
SECOND = """---
name: map
version: "1.0"
output: relationships
max_tokens: 3
---
{% block user %}{% for concept in concepts %}{{ concept.label }};{% endfor %}{% endblock %}
"""
CONFIG = """[provider]
model = "m"
[prices.m]
input = 1.0
output = 10.0
[suites.bread]
pipeline = ["decompose", "map"]
"""
CONCEPTS = json.dumps({"concepts": [{"label": "rye"}]})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for folder in ("prompts", "golden/bread"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "row3.toml").write_text(CONFIG)
    (tmp_path / "prompts/decompose-v1.0.md").write_text(FIRST)
    (tmp_path / "prompts/map-v1.0.md").write_text(SECOND)
    for name in ("a", "b"):
        case = {"id": name, "sourceText": f"{name * 40}", "expectedConcepts": [{"label": "rye"}]}
        (tmp_path / f"golden/bread/{name}.gold.json").write_text(json.dumps(case))
    return open_project(tmp_path)


def planned(project: Project, **options: object) -> Estimate:
    suite = pick_suite(project, None)
    return estimate(project, suite, line_up(project, suite, role="candidate"), RunOptions(**options))  # type: ignore[arg-type]


def record(project: Project) -> None:
    line = {"caseId": "a", "prompt": "decompose", "response": CONCEPTS, "usage": {"completionTokens": 50}}
    (project.root / "raw.jsonl").write_text(json.dumps(line))
    import_responses(project, pick_suite(project, None), project.root / "raw.jsonl")


def test_the_first_stage_is_exact_and_the_second_estimated(project: Project) -> None:
    plan = planned(project, mode="live")
    assert [(one.case_id, one.prompt, one.exact) for one in plan.requests] == [
        ("a", "decompose-v1.0", True),
        ("a", "map-v1.0", False),
        ("b", "decompose-v1.0", True),
        ("b", "map-v1.0", False),
    ]
    first, second = plan.requests[:2]
    assert first.prompt_tokens == 10
    assert first.completion_tokens == 8  # `concept:rye` and `required:concept:rye`: 32 characters with the line end
    assert second.completion_tokens == 3  # the prompt's max_tokens
    assert first.cost_usd == pytest.approx((10 * 1 + 8 * 10) / 1e6)
    assert plan.cost_usd == pytest.approx(sum(one.cost_usd or 0 for one in plan.requests))
    assert plan.example is not None
    assert plan.example.texts[-1] == "a" * 40
    assert not (project.root / "recordings/bread").exists()


def test_recorded_answers_are_counted_and_make_the_next_stage_exact(project: Project) -> None:
    record(project)
    plan = planned(project, mode="auto")
    assert plan.recorded == 1
    assert [(one.recorded, one.exact) for one in plan.requests] == [
        (True, True), (False, True), (False, True), (False, False)
    ]  # fmt: skip
    assert plan.requests[1].prompt_tokens == 1  # "rye;"
    live = planned(project, mode="record")
    assert live.recorded == 0
    assert live.requests[0].completion_tokens == 50


def test_the_plan_follows_repeats_cases_and_model(project: Project) -> None:
    assert len(planned(project, repeats=3, only=frozenset("a")).requests) == 6
    plan = planned(project, mode="live", overrides=Overrides(model="unheard-of"))
    assert (plan.cost_usd, plan.unpriced) == (None, ["unheard-of"])
    assert "the price is unknown" in terminal_text(estimate_document(plan))
    assert terminal_text(estimate_document(plan), Style(width=100)).splitlines()[4].split()[-1] == "unknown"


def test_the_text_adds_up_and_shows_one_request_in_full(project: Project) -> None:
    record(project)
    plan = planned(project, mode="auto")
    text = terminal_text(estimate_document(plan, verbose=True))
    assert text.startswith("Dry run of bread, nothing is sent: decompose v1.0 → map v1.0 (mode auto, model")
    assert text.endswith("tokens 3):\n    --- user\n    rye;\n")
    assert "a decompose-v1.0: recorded" in text
    total = next(line for line in text.splitlines() if line.startswith("total")).split()
    assert total[1:3] == ["1", "3"]
    value = json.loads(json.dumps(estimate_json(plan)))
    assert (value["requests"], value["recorded"], value["toSend"]) == (4, 1, 3)


def test_the_json_has_every_request_exactly_as_sent(project: Project) -> None:
    record(project)
    suite = pick_suite(project, None)
    lineup = line_up(project, suite, role="candidate")
    value = estimate_json(estimate(project, suite, lineup, RunOptions(mode="auto")))
    recorded, known, other, unknown = value["list"]
    assert recorded["recorded"]
    assert "messages" not in recorded
    asked = [{"role": "user", "text": "rye;"}]
    assert (known["prompt"], known["messages"], known["maxTokens"]) == ("map-v1.0", asked, 3)
    assert other["messages"][-1]["text"] == "b" * 40
    assert value["schemas"][other["schema"]]["type"] == "object"
    assert not unknown["exact"]
    assert "messages" not in unknown


def test_a_run_that_could_not_be_sent_is_not_planned(project: Project) -> None:
    (project.root / "row3.toml").write_text(CONFIG.replace('model = "m"', 'model = "m"\npreset = "olama"'))
    with pytest.raises(InvalidFile, match="row3.toml: field `provider.preset`: is unknown.* Did you mean `ollama`"):
        planned(open_project(project.root), mode="live")


def test_plain_http_to_another_machine_is_reported(project: Project) -> None:
    settings = 'model = "m"\nbase_url = "http://models.example:8000/v1"'
    (project.root / "row3.toml").write_text(CONFIG.replace('model = "m"', settings))
    with pytest.raises(InvalidFile, match="row3.toml field provider.base_url: .* is plain http to another machine"):
        planned(open_project(project.root), mode="live")
    (project.root / "row3.toml").write_text(CONFIG.replace('model = "m"', f"{settings}\nallow_http = true"))
    plan = planned(open_project(project.root), mode="live")
    assert plan.exposed == ["http://models.example:8000/v1"]
    text = " ".join(terminal_text(estimate_document(plan)).split())
    assert "read prompts, answers and the key on their way to http://models.example:8000/v1" in text
    assert estimate_json(plan)["plainHttp"] == plan.exposed


def test_everything_recorded_costs_nothing_even_without_a_price(project: Project) -> None:
    (project.root / "row3.toml").write_text('[provider]\nmodel = "m"\n[suites.bread]\npipeline = ["decompose"]\n')
    again = open_project(project.root)
    record(again)
    plan = planned(again, mode="auto", only=frozenset("a"))
    assert (plan.cost_usd, plan.unpriced, plan.to_send) == (0, [], [])
