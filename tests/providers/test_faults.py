"""What a failed try means, and how long to wait before the next."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.secrets import NO_SECRETS
from row3.providers.base import endpoint_for
from row3.providers.faults import (
    LONGEST_BACKOFF_S,
    Exchange,
    VendorError,
    backoff_s,
    read_error,
    retry_after_s,
    status_fault,
)
from tests.rows import every_row

OPENAI = endpoint_for("openai")


@every_row(
    ("body", "error"),
    [
        ({"error": {"message": "m", "type": "t", "code": "c", "param": "p"}}, VendorError("m", "c", "t", "p")),
        ([{"error": {"message": "m", "status": "S", "code": 400}}], VendorError("m", "400", "S")),
        ({"error": "plain"}, VendorError("plain")),
        ({"message": "m"}, VendorError("m")),
        ({"detail": "Not Found"}, VendorError("Not Found")),
        ({"error": {}}, VendorError()),
        ({"error": None}, VendorError()),
        ([], VendorError()),
        ("text", VendorError()),
        (None, VendorError()),
        ({"error": {"message": ["a", 1], "details": [1, {"retryDelay": 5}]}}, VendorError('["a", 1]')),
    ],
)
def test_every_vendors_error_is_read(body: object, error: VendorError) -> None:
    assert read_error(body) == error


def fault(status: int, body: Any) -> Any:
    return status_fault(status, body if isinstance(body, str) else json.dumps(body), Exchange(OPENAI, {}, NO_SECRETS))


def test_the_message_says_who_what_and_why() -> None:
    found = fault(404, {"error": {"message": "The model `x` does not exist."}})
    assert found.message == "api.openai.com answered 404 (Not Found): The model `x` does not exist"
    assert found.kind == "give_up"
    assert "model's name" in found.fix


@every_row(("sent", "said"), [({"messages", "store"}, False), ({"input"}, False), ({"input", "store"}, True)])
def test_a_server_without_the_responses_api_may_be_the_reason(sent: set[str], said: bool) -> None:
    found = status_fault(404, "", Exchange(OPENAI, {}, NO_SECRETS, sent))
    assert ('leave out `api = "responses"`' in found.fix) is said


def test_bodies_that_are_not_json() -> None:
    assert fault(502, "<html>…").message == "api.openai.com answered 502 (Bad Gateway): a web page (HTML)"
    assert fault(502, "").message == "api.openai.com answered 502 (Bad Gateway)"
    assert fault(599, "busy\nbusy").message == "api.openai.com answered 599 (non-standard status): busy busy"


@every_row(
    ("status", "error"),
    [
        (400, {"message": "The response was filtered", "code": "content_filter", "param": "prompt", "type": None}),
        (400, {"message": "ResponsibleAIPolicyViolation", "code": "400"}),
        (400, {"message": "Content Exists Risk", "type": "invalid_request_error"}),
        (400, {"message": "Input data may contain inappropriate content.", "code": "data_inspection_failed"}),
        (400, {"message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy"}),
        (400, {"message": "flagged for potentially high-risk cyber activity", "code": "cyber_policy", "param": None}),
        (400, {"message": "no", "code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
        (400, {"message": "no", "innererror": {"content_filter_result": {"hate": {"filtered": True}}}}),
        (400, {"message": "<400> InternalError.Algo.DataInspectionFailed: Input text data may …", "code": 400}),
        (400, {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}),
        (400, {"type": "content_filter", "message": "The request was rejected because it was considered high risk"}),
        (400, {"message": "blocked", "code": "PROHIBITED_CONTENT"}),
        (400, {"message": "blocked", "code": 400, "status": "SAFETY"}),
        (400, {"message": "blocked", "code": "1301"}),
        (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"),
        (403, {"message": "flagged", "metadata": {"reasons": ["violence"]}}),
        (500, {"message": "input new_sensitive, text is sensitive", "code": "new_sensitive"}),
    ],
)
def test_a_content_filter_is_no_failure_of_the_endpoint(status: int, error: object) -> None:
    assert fault(status, {"error": error}).kind == "filtered"


@every_row(
    ("status", "error", "kind"),
    [
        (500, {"message": "the content filter is overloaded"}, "retry"),
        (400, {"message": "`safety_settings` has a wrong value", "innererror": {"code": "BadRequest"}}, "give_up"),
        (403, {"message": "no access to the blocklist", "innererror": "none"}, "stop"),
    ],
)
def test_what_only_mentions_a_filter(status: int, error: object, kind: str) -> None:
    assert fault(status, {"error": error}).kind == kind


def test_a_prompt_that_is_too_long() -> None:
    found = fault(400, {"error": {"message": "too long", "code": "context_length_exceeded"}})
    assert found.fix == "the prompt is too long for this model"


def test_a_server_error_that_mentions_credit_does_not_stop_the_run() -> None:
    assert fault(500, {"error": {"message": "insufficient credits of entropy"}}).kind == "retry"


@every_row(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "junk", "retry-after": "2"}, 2.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Wed, 99 Foo 2015"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


@given(st.text(max_size=60))
def test_any_header_is_parsed_without_an_exception(text: str) -> None:
    delay = retry_after_s({"retry-after": text})
    assert delay is None or delay >= 0


def test_backoff_doubles_and_is_capped() -> None:
    assert [backoff_s(tries, 1.0) for tries in (1, 2, 3, 4, 5, 6, 7)] == [1, 2, 4, 8, 16, 30, 30]
    assert backoff_s(1, 0.0) == 0.5
    assert backoff_s(10_000, 0.999) <= LONGEST_BACKOFF_S
