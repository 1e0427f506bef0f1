"""Small projects of kinds `checks` and `outcome`, and a server that answers for the model and for the judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box

SUITE = "support"
JUDGE = "judge-1"
QUESTIONS: Mapping[str, str] = {"capital": "What is the capital of France?", "refund": "How do I get a refund?"}
GOOD: Mapping[str, str] = {
    "capital": json.dumps({"city": "Paris", "people": 2.1}),
    "refund": "Please send the receipt within 14 days.",
}
BAD: Mapping[str, str] = {"capital": json.dumps({"city": "Lyon", "people": 0.5}), "refund": "No."}
CHECKS: Mapping[str, list[dict[str, Any]]] = {
    "capital": [{"equals": "Paris", "path": "$.city"}, {"number": 2.1, "tolerance": 0.05, "path": "$.people"}],
    "refund": [{"contains": "receipt"}, {"regex": "1[0-9] days"}],
}
PROMPT = """---
name: answer
version: "{version}"
output: answer
---
{{% block user %}}{version}: {{{{ question }}}}{{% endblock %}}
"""
RUBRIC = """---
name: {name}
version: "1.0"
description: Grades how helpful an answer is.
output: grade
---
{{% block system %}}Grade the answer, harshly.{{% endblock %}}
{{% block user %}}Asked: {{{{ input | tojson }}}}
Expected: {{{{ expected | tojson }}}}
Answer: {{{{ answer }}}}
As data: {{{{ value | tojson }}}}{{% endblock %}}
"""


def graded(points: float, *issues: str) -> str:
    """What a judge says by a rubric without criteria."""
    return json.dumps({"score": points, "issues": list(issues), "strengths": []})


class Desk(ChatServer):
    """Answers the questions as `answers` says for the prompt's version, and grades as `judge` says."""

    def __init__(self, answers: Mapping[str, Mapping[str, str]], judge: Callable[[str], FakeReply | str]) -> None:
        self.answers = dict(answers)
        self.judge = judge
        self.answered: list[Any] = []
        """Bodies of the requests that are no judge's."""
        self.judged: list[Any] = []
        """Bodies of the judge's requests."""
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        said = "\n".join(message["content"] for message in body["messages"])
        judged = body["model"].startswith("judge")
        with self.lock:
            (self.judged if judged else self.answered).append(body)
        if judged:
            reply = self.judge(said)
            return reply if isinstance(reply, FakeReply) else FakeReply(reply)
        version, _, question = said.partition(": ")
        case_id = next((each for each, text in QUESTIONS.items() if text == question), question)
        return FakeReply(self.answers[version][case_id])


def desk_box(
    root: Path,
    desk: Desk,
    *,
    checks: Mapping[str, list[dict[str, Any]]] = CHECKS,
    questions: Mapping[str, str] = QUESTIONS,
    settings: str = "",
    rubrics: tuple[str, ...] = (),
) -> Box:
    """A suite of kind `checks` whose prompt v1.0 the desk answers; nothing is recorded yet."""
    box = Box(root)
    box.write(
        "row3.toml",
        f'suite = "{SUITE}"\nmode = "replay"\n\n[provider]\npreset = "vllm"\nbase_url = "{desk.url}"\n'
        f'model = "desk-1"\nmax_retries = 0\n\n[judge]\nmodel = "{JUDGE}"\n\n[suites.{SUITE}]\nkind = "checks"\n'
        f'pipeline = ["answer"]\n{settings}',
    )
    for case_id, question in questions.items():
        case = {"id": case_id, "input": {"question": question}, "checks": checks[case_id]}
        box.write(f"golden/{SUITE}/{case_id}.gold.json", json.dumps(case, indent=1) + "\n")
    draft(box, "1.0")
    for name in rubrics:
        box.write(f"prompts/{name}-v1.0.md", RUBRIC.format(name=name))
    return box


def draft(box: Box, version: str) -> None:
    """Add a version of the prompt."""
    box.write(f"prompts/answer-v{version}.md", PROMPT.format(version=version))
