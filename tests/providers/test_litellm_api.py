"""Bedrock and Vertex AI through litellm: a stand-in for its module, and itself over real HTTP where it is installed."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from row3.domain.endpoints import LITELLM, Header
from row3.domain.requests import Answer, NoAnswer
from row3.errors import MissingExtra, ProviderStopped
from row3.project.recording_lines import from_line, to_line
from row3.providers.base import endpoint_for
from row3.providers.litellm_api import LiteLLMChat
from tests.local_server import Handler, LocalServer

needs_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="the extra row3[litellm] is not installed")
EXTRA = {"reasoning_effort": "low", "top_p": 0.5, "extra_body": {"top_k": 5}}


class CloudError(Exception):
    """As litellm's errors are: with a status."""

    def __init__(self, message: str, status_code: int) -> None:
        super().__init__(message)
        self.status_code = status_code


class StandIn:
    """What row3 uses of litellm; `script` has completions and errors."""

    def __init__(self, *script: Any) -> None:
        self.script, self.asked = list(script), list[dict[str, Any]]()

    async def acompletion(self, **asked: Any) -> Any:
        self.asked.append(asked)
        given = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(given, Exception):
            raise given
        return SimpleNamespace(model_dump_json=lambda: json.dumps(given))


async def _no_sleep(seconds: float) -> None:
    pass


def ask(preset: str, *requests: Any, environ: dict[str, str] | None = None, **settings: Any) -> Any:
    async def go() -> list[Any]:
        provider = LiteLLMChat(endpoint_for(preset, **settings), environ=environ or {}, sleep=_no_sleep)
        try:
            return [await provider.ask(request) for request in requests]
        finally:
            await provider.close()

    answers = asyncio.run(go())
    return answers[0] if len(answers) == 1 else answers


@pytest.mark.parametrize("preset", LITELLM)
def test_one_request_is_asked_and_recorded_in_the_same_shape(
    preset: str, make_request: Any, make_completion: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = StandIn(make_completion())
    monkeypatch.setitem(sys.modules, "litellm", stand_in)
    request = make_request(extra=EXTRA)
    answer = ask(preset, request, headers=(Header("X-Team", "bread"),))
    assert (answer.text, answer.served_model, answer.prompt_tokens, answer.omitted) == ("hello", "served-1", 11, ())
    (asked,) = stand_in.asked
    assert (asked["model"], asked["top_k"], asked["extra_headers"]) == (
        f"{LITELLM[preset]}/model-1",
        5,
        {"X-Team": "bread"},
    )
    assert "api_base" not in asked
    line = from_line(to_line(request, answer, recorded_at=""), where="")
    assert (line.digest, line.request["model"], line.request["topP"]) == (request.digest, "model-1", 0.5)
    assert line.answer == answer._replace(replayed=True, latency_s=line.answer.latency_s)


def test_what_it_refuses_is_left_out_and_what_is_busy_asked_again(
    make_request: Any, make_completion: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "litellm.UnsupportedParamsError: bedrock does not support parameters: ['seed'], for model=m. To drop …"
    stand_in = StandIn(CloudError("busy", 429), CloudError(said, 400), make_completion())
    monkeypatch.setitem(sys.modules, "litellm", stand_in)
    answer = ask("bedrock", make_request())
    assert isinstance(answer, Answer)
    assert (answer.omitted, len(stand_in.asked)) == (("seed",), 3)


@pytest.mark.parametrize(("error", "stops"), [(CloudError("no such model", 404), False), (ValueError("odd"), False),
                                              (CloudError("bad credentials", 401), True)])  # fmt: skip
def test_a_fault_is_told(error: Exception, stops: bool, make_request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", StandIn(error))
    if stops:
        with pytest.raises(ProviderStopped, match="bad credentials"):
            ask("vertex", make_request())
        return
    answer = ask("vertex", make_request())
    assert isinstance(answer, NoAnswer)
    assert str(error) in answer.error


def test_without_litellm_the_extra_is_named(make_request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(MissingExtra) as caught:
        ask("bedrock", make_request())
    assert "pip install 'row3[litellm]'" in str(caught.value)


def test_it_has_no_responses_api(make_request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", StandIn())
    assert "no Responses API" in str(ask("bedrock", make_request(extra={"api": "responses"})))


@needs_litellm
@pytest.mark.filterwarnings("ignore")  # of its own models
@pytest.mark.slow
def test_bedrock_over_http(fake: Any, make_request: Any, make_reply: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "AKIA0123456789")
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")
    said = {"role": "assistant", "content": [{"text": "hello"}]}
    usage = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}
    fake.script = [
        make_reply(body={"output": {"message": said}, "stopReason": "end_turn", "usage": usage, "metrics": {}})
    ]
    model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    base_url = fake.url.removesuffix("/v1")
    answer = ask("bedrock", make_request(model=model, extra={"top_p": 0.5}), base_url=base_url)
    assert isinstance(answer, Answer), answer
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens, answer.omitted) == ("hello", 11, 7, ("seed",))
    assert fake.paths[-1].endswith("/converse")
    assert fake.seen[-1]["inferenceConfig"] == {"temperature": 0.0, "topP": 0.5, "maxTokens": 50}


@needs_litellm
@pytest.mark.filterwarnings("ignore")  # of its own models
@pytest.mark.slow
def test_vertex_over_http(
    fake: Any, make_request: Any, make_reply: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tmp_path / "credentials.json"
    tokens = LocalServer(Tokens)
    token.write_text(json.dumps(service_account(tokens.address)))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(token))
    monkeypatch.setenv("VERTEXAI_PROJECT", "p")
    monkeypatch.setenv("VERTEXAI_LOCATION", "us-central1")
    said = {"role": "model", "parts": [{"text": "hello"}]}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    body = {"candidates": [{"content": said, "finishReason": "STOP"}], "usageMetadata": usage}

    fake.script = [make_reply(body=body)]
    base_url = fake.url.removesuffix("/v1")
    answer = ask("vertex", make_request(model="gemini-2.5-flash", extra={"top_p": 0.5}), base_url=base_url)
    tokens.stop()
    assert isinstance(answer, Answer), answer
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("hello", 11, 7)
    assert fake.seen[-1]["generationConfig"]["top_p"] == 0.5


class Tokens(Handler):
    """Gives everyone a token."""

    def do_POST(self) -> None:
        self.sent()
        self.reply(200, b'{"access_token": "t", "expires_in": 3600, "token_type": "Bearer"}')


def service_account(url: str) -> dict[str, str]:
    """Return credentials whose token comes from the server."""
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    about = {"type": "service_account", "project_id": "p", "client_email": "a@b.example", "token_uri": f"{url}/token"}
    return about | {"private_key": key.decode(), "private_key_id": "k", "client_id": "c"}
