"""A suite of judged answers, a server that answers and judges, and two answers to compare."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box

CASES = 24
PROMPT = """---
name: reply
version: "1.0"
output: answer
temperature: 0
---
{% block system %}You answer customers.{% endblock %}
{% block user %}{{ input }}{% endblock %}
"""
RUBRIC = """---
name: helpfulness
version: "VERSION"
description: Grades help, as of VERSION.
output: grade
---
{% block system %}Grade by rubric VERSION.{% endblock %}
{% block user %}Question {{ input }} Answer {{ answer }}{% endblock %}
"""
CONFIG = """suite = "support"
mode = "replay"

[provider]
preset = "vllm"
base_url = "URL"
model = "gpt-4.1"

[judge]
model = "gpt-4.1-mini"

[prices]
"gpt-4.1" = { input = 1.0, output = 1.0 }
"gpt-4.1-mini" = { input = 10.0, output = 10.0 }

[suites.support]
kind = "checks"
pipeline = ["reply"]
"""


def truth(number: int) -> int:
    """The grade that a person gives: every third answer fails."""
    return 25 if number % 3 == 0 else 100


class JudgeServer(ChatServer):
    """Answers `question N`, and judges: rubric 1.0 errs on every eighth answer, 1.1 on every fourth."""

    def __init__(self) -> None:
        self.judged: list[str] = []
        """Models that were asked for a grade."""
        self.answered = 0
        """Questions answered."""
        self.hurried: set[int] = set()
        """Questions that get another answer."""
        self.strict = False
        """Whether every grade is another."""
        self.broken: set[int] = set()
        """Questions whose answer gets no readable grade."""
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        """As the model or the judge is to answer."""
        system, said = (message["content"] for message in body["messages"])
        found = re.search(r"question (\d+)", said)
        assert found is not None
        number = int(found[1])
        if "Grade by rubric" not in system:
            with self.lock:
                self.answered += 1
            hurry = "In short, " if number in self.hurried else ""
            return FakeReply(f"{hurry}question {number}: " + "well " * (number + 1) + body["model"])
        with self.lock:
            self.judged.append(body["model"])
        if number in self.broken:
            return FakeReply("I would rather not say.")
        every = 4 if "rubric 1.1" in system else 8
        points = truth(number) if number % every else 125 - truth(number)
        points = min(points, 40 if "harsh" in system else 99 if self.strict else 100)
        return FakeReply(json.dumps({"score": points, "issues": [f"seen {number}"], "strengths": []}))


def rubric(box: Box, version: str) -> None:
    """Write a version of the rubric."""
    box.write(f"prompts/helpfulness-v{version}.md", RUBRIC.replace("VERSION", version))


def support(box: Box, server: JudgeServer) -> Box:
    """Write the suite and record answers and grades."""
    box.write("row3.toml", CONFIG.replace("URL", server.url))
    box.write("prompts/reply-v1.0.md", PROMPT)
    rubric(box, "1.0")
    for number in range(CASES):
        case = {
            "id": f"q{number:02}",
            "input": f"question {number}",
            "checks": [{"contains": "well"}, {"judge": "helpfulness"}],
        }
        box.write(f"golden/support/q{number:02}.gold.json", json.dumps(case))
    box.row3("--mode", "record", code=0)
    return box


def label_lines(box: Box) -> list[dict[str, Any]]:
    """The labels of the suite."""
    return [json.loads(line) for line in box.read("calibrations/support.labels.jsonl").splitlines()]


def label_all(box: Box) -> None:
    """Label every answer as a person would; what order they come in is seen by skipping them all."""
    seen = box.row3("judge", "label", stdin="s" * 3 * CASES, code=0)
    order = re.findall(r" of \d+ · q(\d+) ·", seen.err)
    keys = "".join("2" if truth(int(number)) == 25 else "5" for number in order)
    box.row3("judge", "label", stdin=keys, code=0)


ANSWER = """---
name: reply
version: "1.0"
output: cited-answer
temperature: 0
---
{% block system %}You answer questions.{% endblock %}
{% block user %}{{ question }}{% endblock %}
"""
PAIRWISE = """---
name: judge-outcome
version: "1.0"
output: judgement
---
{% block system %}Judge by rubric.{% endblock %}
{% block user %}{{ question }} ONE {{ baseline.answer }} TWO {{ full.answer }}{% endblock %}
"""
TWO_ARMS = """suite = "two"
mode = "replay"

[provider]
preset = "vllm"
base_url = "URL"
model = "small-model"

[judge]
model = "judge-1"

[suites.two]
kind = "outcome"
pipeline = ["reply"]

[suites.two.arms.full.provider]
model = "large-model"
"""
GOOD = {"correctness": 2, "completeness": 2, "evidence": 2, "hallucination": 2}
POOR = {"correctness": 1, "completeness": 0, "evidence": 0, "hallucination": 2}


class PairServer(ChatServer):
    """Answers for both arms and judges: the large model wins; of every fifth question the first in order does.

    A made-up model loses, and hallucinates.
    """

    def reply_to(self, body: Any) -> FakeReply:
        """As the model or the judge is to answer."""
        system, said = (message["content"] for message in body["messages"])
        found = re.search(r"question (\d+)", said)
        assert found is not None
        number = int(found[1])
        if "Judge by rubric" not in system:
            return FakeReply(json.dumps({"answer": f"question {number} by {body['model']}", "citations": []}))
        first = "large-model" in said.partition(" TWO ")[0]
        wins = first if number % 5 and body["model"] != "judge-2" else True
        sides = {"baseline": GOOD if wins else POOR, "full": POOR if wins else GOOD}
        if "made-up" in said:
            made_up = "full" if "made-up" in said.partition(" TWO ")[2] else "baseline"
            sides = {"baseline": GOOD, "full": GOOD} | {made_up: POOR | {"hallucination": 0}}
        return FakeReply(json.dumps({"case_id": "x", **sides, "delta": {"full_beats_baseline": False, "notes": "n"}}))


def two_arms(box: Box, server: PairServer) -> Box:
    """Write a suite of kind `outcome` and record answers and judgements."""
    box.write("row3.toml", TWO_ARMS.replace("URL", server.url))
    box.write("prompts/reply-v1.0.md", ANSWER)
    box.write("prompts/judge-outcome-v1.0.md", PAIRWISE)
    for number in range(10):
        box.write(
            f"golden/two/q{number}.gold.json",
            json.dumps({"id": f"q{number}", "question": f"question {number}", "forbidden_claims": ["no"]}),
        )
    box.row3("--mode", "record", code=0)
    return box
