"""What scoring asks of a judge."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.judges import JudgeRequest
from row3.project.project import open_project
from row3.running.asks import judge_request
from tests.projects import HOME


def test_a_rubric_s_parameters_are_the_judge_s() -> None:
    suite = open_project(HOME).suite("outcome", "replay")
    judge = suite.rules.judge
    assert judge is not None
    name, rubric = next(iter(judge.rubrics.items()))
    low = replace(
        rubric,
        body="{% block user %}{{ question }}{% endblock %}",
        parameters={**rubric.parameters, "reasoning_effort": "low", "verbosity": "low"},
    )
    own = replace(suite, rules=replace(suite.rules, judge=replace(judge, rubrics={**judge.rubrics, name: low})))
    request = judge_request(own, JudgeRequest(name, {"question": "Why?"}), "x")
    assert request.extra == {"reasoning_effort": "low", "verbosity": "low"}
    assert request.temperature == judge.temperature
