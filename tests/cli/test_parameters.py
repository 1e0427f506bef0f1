"""Parameters and headers from file and command line to request, recording, replay and comparison, over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, first, flawless

KEY = "open-sesame-0123456789"
MATTER = "temperature: 0\nreasoning_effort: low\nstop: [END]\nextra_body: {top_k: 5}"


class Noting(FakeModel):
    """Answers, all concepts with high effort and half of them else, and notes what it was asked with."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        super().__init__(lambda case_id, times: FakeReply())

    def reply_to(self, body: Any) -> FakeReply:
        responses, effort = "input" in body, body.get("reasoning_effort", body.get("reasoning", {}).get("effort"))
        said = super().reply_to({"messages": body["input"], "model": body["model"]} if responses else body)
        self.bodies.append(body)
        answer = flawless(CASES[self.asked[-1]])
        said.text = json.dumps(answer if effort == "high" else first(answer, 2))
        if responses:
            content = [{"type": "output_text", "text": said.text}]
            output, usage = [{"type": "message", "content": content}], {"input_tokens": 100, "output_tokens": 50}
            said.body = json.dumps({"status": "completed", "output": output, "usage": usage}).encode()
        return said


@pytest.fixture
def noting(box: Box) -> Any:
    """The small project, whose prompt sets parameters, and a server."""
    server = Noting()
    server.serve(box, top_p=0.5)
    box.write("row3.toml", box.read("row3.toml") + '[provider.headers]\nX-Title = "bread"\nX-Gate = { env = "GATE" }\n')
    box.replace("prompts/extract-v1.1.md", "temperature: 0", MATTER)
    box.env["GATE"] = KEY
    yield server
    server.stop()


def recorded(box: Box) -> list[dict[str, Any]]:
    return [
        line["request"]
        for path in box.root.glob("recordings/bread/*.jsonl")
        for line in map(json.loads, path.read_text("utf-8").splitlines())
        if line["request"]["model"] == "other"
    ]


def test_from_front_matter_to_replay(box: Box, noting: Noting) -> None:
    box.row3("--mode", "record", "--model", "other", "--set", "verbosity=low", code=0)
    sent = {"reasoning_effort": "low", "stop": ["END"], "top_k": 5, "top_p": 0.5, "verbosity": "low"}
    assert [{key: body.get(key) for key in sent} for body in noting.bodies] == [sent] * 3
    fields = {"reasoningEffort": "low", "stop": ["END"], "extraBody": {"top_k": 5}, "topP": 0.5, "verbosity": "low"}
    assert [{key: each.get(key) for key in fields} for each in recorded(box)] == [fields] * 3
    assert KEY not in str([path.read_text("utf-8") for path in box.root.glob("recordings/*/*.jsonl")])
    shown = box.row3("--mode", "replay", "--model", "other", "--set", "verbosity=low", code=0)
    assert len(noting.bodies) == 3
    assert "3" in shown.out
    done = box.row3("--mode", "replay", "--model", "other", "--set", "verbosity=high", code=3)
    assert "first difference in verbosity: verbosity is `low` there and `high` here" in " ".join(done.out.split())
    done = box.row3("--mode", "replay", "--model", "other", code=3)
    assert "first difference in verbosity: verbosity is `low` there and none here" in " ".join(done.out.split())
    box.row3("recordings", "verify", code=0)
    shown = box.row3("--dry-run", "--mode", "record", "--model", "third", "-v", code=0).out
    assert "reasoning_effort low" in " ".join(shown.split())


def test_headers_are_part_of_no_request(box: Box, noting: Noting) -> None:
    box.row3("--mode", "record", "--model", "other", code=0)
    box.replace("row3.toml", 'X-Title = "bread"', 'X-Other = "x"')
    box.row3("--mode", "replay", "--model", "other", code=0)
    box.env["GATE"] = ""
    done = box.row3("--mode", "record", "--model", "other", code=2)
    assert "the header X-Gate needs a value" in done.err
    assert "Set GATE" in done.err


def test_a_parameter_is_what_differs(box: Box, noting: Noting) -> None:
    box.row3("leaderboard", "--mode", "live", "--model", "other", "--prompt", "v1.1", "--set", "effort=low",
             "--set", "effort=high", code=0)  # fmt: skip
    board = box.row3("leaderboard", "--model", "other", "--prompt", "v1.1", "--set", "effort=low", "--set",
                     "effort=high", "--format", "json", code=0).json  # fmt: skip
    efforts = [one["parameters"]["extract"]["reasoningEffort"] for one in board["entries"]]
    assert efforts == ["high", "low"]
    assert len(noting.bodies) == 6
    given = ("--model", "other", "--prompt", "extract-v1.1")
    result = box.row3("diff", "effort:high", "effort:low", *given, "--format", "json", code=0).json
    assert result["metrics"]["recall"]["before"] == 1.0
    assert result["metrics"]["recall"]["after"] == 0.5
    tokens = {"before": 150, "now": 150, "difference": 0, "rise": 0, "limit": None, "cases": 3}
    assert result["figures"]["tokens"] == tokens
    assert result["differs"] == ["extract reasoningEffort: high → low"]
    same = box.row3("diff", "model:other effort:low", "model:other", "--prompt", "extract-v1.1", code=0)
    assert "Cases: 3 unchanged" in same.out
    compared = box.row3("--compare", "--model", "other", "--set", "effort=high", "--format", "json").json
    assert [one["code"] for one in compared["reasons"]].count("model_changed") == 1


def test_a_parameter_that_only_one_side_sets_is_what_differs(box: Box, noting: Noting) -> None:
    given = ("--model", "other", "--prompt", "extract-v1.1")
    with_it = ("--set", "verbosity=low")
    box.row3("--mode", "record", "--model", "other", code=0)
    box.row3("--baseline", "--mode", "record", "--model", "other", *with_it, code=0)
    box.row3("--mode", "record", "--model", "other", "--repeats", "2", *with_it, code=0)
    assert "extract v1.1 · other · verbosity low" in box.row3("flaky", code=0).out
    for sides, said in (
        (("verbosity:low", "model:other"), "low → none"),
        (("model:other", "verbosity:low"), "none → low"),
    ):
        result = box.row3("diff", *sides, *given, "--format", "json", code=0).json
        assert result["differs"] == [f"extract verbosity: {said}"]
    compared = box.row3("--compare", "--model", "other", "--format", "json", code=0).json
    assert "extract verbosity: low → none" in compared["differs"]
    (reason,) = [one for one in compared["reasons"] if one["code"] == "model_changed"]
    assert "verbosity low" in reason["figures"]["before"]
    assert "verbosity none" in reason["figures"]["after"]
    assert "other" not in reason["text"], "the model is the same"


def test_what_a_preset_never_sends_is_told_once_and_is_no_difference(box: Box) -> None:
    server = Noting()
    server.serve(box)
    box.replace("row3.toml", "vllm", "anthropic")
    box.env["ANTHROPIC_API_KEY"] = KEY
    given = ("--mode", "record", "--model", "other", "--set", "presence_penalty=1", "--seed", "3")
    done = box.row3(*given, "--set", "effort=low", code=0)
    box.row3(*given, "--set", "effort=high", code=0)
    server.stop()
    refused = "presence_penalty, reasoning_effort, response_format, seed"
    assert done.err.count(f"the endpoint does not accept {refused}; requests were sent without") == 1
    sides = [f"model:other presence_penalty:1 seed:3 effort:{each}" for each in ("low", "high")]
    result = box.row3("diff", *sides, "--format", "json", code=0).json
    assert result["differs"] == ["extract reasoningEffort: low → high, which neither side was sent"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("effort:medium", "--model other --set reasoning_effort=medium"),
        ("model:other top_p:0.25", "--model other --set top_p=0.25"),
        ('stop:["a b"]', "--model other --set 'stop=[\"a b\"]'"),
        ("api:responses", "--model other --set api=responses"),
    ],
)
def test_what_is_not_recorded_is_told_with_what_differs(box: Box, noting: Noting, name: str, given: str) -> None:
    box.row3("--mode", "record", "--model", "other", code=0)
    done = box.row3("diff", name, "baseline", "--model", "other", code=3)
    said = " ".join(done.err.split())
    assert f"`{name}` has no recorded answers" in said
    assert "first difference in" in said
    assert f"Record them with `row3 --mode record {given}`, or name another" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [("effort:", "there is no effort"), ("top_p:9", "field `top_p`"), ("model:a efort:low", "no answer from model")],
)
def test_a_bad_name_of_a_side(box: Box, name: str, said: str) -> None:
    assert said in " ".join(box.row3("diff", name, "baseline", code=2).err.split())


def test_the_responses_api_is_recorded_in_the_same_shape(box: Box, noting: Noting) -> None:
    box.replace("row3.toml", "top_p = 0.5", 'top_p = 0.5\napi = "responses"')
    given = ("--model", "other", "--set", "effort=high")
    box.row3("--mode", "record", *given, code=0)
    assert [body["reasoning"] for body in noting.bodies] == [{"effort": "high"}] * 3
    assert [each["api"] for each in recorded(box)] == ["responses"] * 3
    result = box.row3("--mode", "replay", *given, "--format", "json", code=0).json
    assert result["metrics"]["recall"] == 1.0
    assert (result["usage"]["promptTokens"], result["usage"]["completionTokens"]) == (300, 150)
    box.row3("--mode", "replay", *given, "--set", "api=chat", code=3)


HEADERS = "[provider.headers]\n"
KEYS = ["hf_0123456789abcdef", "glpat-0123456789abcdef"]


@pytest.mark.parametrize(
    "header", ['X-Author = "anna"', 'Idempotency-Key = "a"', 'X-Monkey = "b"', 'X-Max-Tokens = "5"']
)
def test_a_header_whose_name_only_contains_such_a_word_is_sent(box: Box, header: str) -> None:
    box.write("row3.toml", box.read("row3.toml").replace("[provider]", f"{HEADERS}{header}\n[provider]"))
    box.row3("lint", code=0)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_the_body_is_refused_and_never_shown(box: Box, key: str) -> None:
    body = json.dumps({"guard": [{"api_key": key}], "tags": ["sk-learn"]})
    before = box.read("row3.toml")
    box.replace("prompts/extract-v1.1.md", "temperature: 0", f"extra_body: {body}")
    done = box.row3(code=2)
    assert "`extra_body`: holds a key: send it as a header" in " ".join(done.err.split()), done
    box.replace("prompts/extract-v1.1.md", key, "open")
    box.row3("lint", code=0)
    toml = 'extra_body = { guard = [{ api_key = "' + key + '" }] }'
    box.write("row3.toml", before.replace("[provider]", f"[provider]\n{toml}"))
    again = box.row3(code=2)
    assert "extra_body" in again.err
    assert key not in done.err + again.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('X-Api-Key = "abc"', "holds a secret in `X-Api-Key`: set a variable to it"),
        ('Authorization = "Bearer abc"', "holds a secret in `Authorization`"),
        ('X-Team = "sk-proj-0123456789abcdef"', "holds a secret in `X-Team`"),
        *((f'X-Team = "{key}"', "holds a secret in `X-Team`") for key in KEYS),
        ('X-Session-Token = "abc"', "holds a secret in `X-Session-Token`"),
        ('X-ApiKey = "abc"', "holds a secret in `X-ApiKey`"),
        ('X-Team = { env = "no name" }', "should be the name of an environment variable"),
        ('X-Team = { enw = "NAME" }', "did you mean `env`"),
        ("X-Team = 5", "provider.headers.X-Team"),
        ('"X Team" = "a"', "the name of a header"),
        ('X-Team = "a\\nb"', "printable ASCII"),
    ],
)
def test_a_bad_header_is_named_and_its_value_never(box: Box, line: str, said: str) -> None:
    box.write("row3.toml", box.read("row3.toml").replace("[provider]", f"{HEADERS}{line}\n[provider]"))
    done = box.row3(code=2)
    assert said in " ".join(done.err.split()), done
    assert "row3.toml" in done.err
    assert "headers" in done.err
    assert "0123456789abcdef" not in done.err
    assert len(done.errors) == 1
