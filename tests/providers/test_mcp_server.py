"""MCP servers as real processes: over their standard streams, and over streamable HTTP."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from row3.domain.calls import Call, Poll
from row3.domain.requests import Answer, NoAnswer
from row3.errors import ProviderStopped, UsageError
from tests.local_server import Handler, LocalServer
from tests.rows import every_row
from tests.systems.calls import ask, ask_all, over_http, request, stage, stdio
from tests.systems.http_servers import Forgetful, faulty, free_port

pytestmark = pytest.mark.slow

QUICK = Poll(
    tool="status",
    until={"state": "done"},
    arguments={"job": "{result.job}"},
    failed={"state": "failed"},
    interval_s=0.01,
    limit_s=10,
)
CORPUS = [
    Call(tool="remember", arguments={"name": name, "text": text}, poll=QUICK)
    for name, text in (("a", "rye"), ("b", "oats"))
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with faulty() as url:
        yield url


class TestStdio:
    def test_answers_many_at_once_over_one_session(self) -> None:
        asked = [stage("mcp", "echo", {"text": f"text {n}"}) for n in range(6)]
        given = ask_all(stdio(asked[0]), [request(each) for each in asked])
        assert [answer.text for answer in given if isinstance(answer, Answer)] == [f"text {n}" for n in range(6)]
        assert all(isinstance(each, Answer) and each.latency_s is not None and each.latency_s >= 0 for each in given)

    def test_the_session_begins_with_its_setup_and_waits_for_it(self) -> None:
        asked = stage("mcp", "recall", {"query": "rye"})
        given = ask(stdio(asked, setup=CORPUS), asked)
        assert isinstance(given, Answer)
        assert json.loads(given.text) == {"results": [{"id": "a"}]}

    def test_a_part_of_the_result_is_the_answer(self) -> None:
        asked = stage("mcp", "recall", {"query": "rye"}, answer="results.0.id")
        given = ask(stdio(asked, setup=CORPUS), asked)
        assert given == Answer("a", latency_s=given.latency_s if isinstance(given, Answer) else None)

    def test_a_result_without_the_answer_is_no_answer(self) -> None:
        asked = stage("mcp", "recall", {"query": "wheat"}, answer="results.0.id")
        given = ask(stdio(asked, setup=CORPUS), asked)
        assert given == NoAnswer("the result of `recall` has no `results.0.id`", "Correct `answer` in row3.toml")

    def test_calls_ahead_of_the_question_and_a_polled_question(self) -> None:
        before = (Call(tool="remember", arguments={"name": "n", "text": "barley"}, poll=QUICK),)
        asked = stage("mcp", "recall", {"query": "barley"}, before=before)
        given = ask(stdio(asked), asked)
        assert isinstance(given, Answer)
        assert json.loads(given.text) == {"results": [{"id": "n"}]}
        polled = stage("mcp", "remember", {"name": "n", "text": "barley"}, QUICK)
        given = ask(stdio(polled), polled)
        assert isinstance(given, Answer)
        assert json.loads(given.text) == {"job": "n", "state": "done"}

    def test_a_poll_ends_at_its_limit_and_at_a_failure(self) -> None:
        never = Poll(tool="echo", until={"state": "done"}, arguments={"text": "{result}"}, interval_s=0.05, limit_s=0.2)
        asked = stage("mcp", "echo", {"text": "still at it"}, never)
        given = ask(stdio(asked), asked)
        assert isinstance(given, NoAnswer)
        assert given.error == "`echo` did not finish within 0.2 s; its last result: still at it"
        broken = Poll(
            tool="status", until={"state": "done"}, arguments={"job": "{result}"}, failed={"state": ["failed", "lost"]}
        )
        asked = stage("mcp", "echo", {"text": "broken"}, broken)
        given = ask(stdio(asked), asked)
        assert isinstance(given, NoAnswer)
        assert given.error == '`status` reported a failure: {"job":"broken","state":"failed"}'

    def test_a_failing_tool_is_no_answer_and_not_retried(self) -> None:
        asked = stage("mcp", "fail", {"text": "it"})
        given = ask(stdio(asked), asked)
        assert isinstance(given, NoAnswer)
        assert given.error.startswith("`fail` failed: ")
        assert "abcdef123456" not in given.error

    def test_a_tool_that_takes_too_long_fails_alone(self) -> None:
        slow, quick = stage("mcp", "slow", {"seconds": 6.0}), stage("mcp", "echo", {"text": "quick"})
        given = ask_all(stdio(slow, timeout_s=3.0), [request(quick), request(slow)])
        assert isinstance(given[0], Answer)
        assert isinstance(given[1], NoAnswer)
        assert given[1].error == "`slow` gave no result within 3 s"

    def test_a_server_that_dies_during_a_call_is_restarted_with_its_setup(self, tmp_path: Path) -> None:
        asked = [stage("mcp", "die_once", {"marker": str(tmp_path / "died"), "text": "back"})]
        asked += [stage("mcp", "recall", {"query": "oats"})]
        given = ask_all(stdio(asked[0], setup=CORPUS), [request(each) for each in asked])
        assert [each.text for each in given if isinstance(each, Answer)] == ["back", '{"results":[{"id":"b"}]}']
        assert (tmp_path / "died").exists()

    def test_a_server_that_is_killed_from_outside_is_lost_without_retries(self, tmp_path: Path) -> None:
        asked = stage("mcp", "slow", {"seconds": 30.0})
        marker = tmp_path / "pid"
        provider = stdio(asked, retries=0, args=("--pid", str(marker)))

        def kill() -> None:
            until = time.monotonic() + 30
            while not marker.exists() and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(1.0)
            os.kill(int(marker.read_text()), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        given = ask(provider, asked)
        killer.join()
        assert given == NoAnswer("the MCP server was lost: Connection closed")

    def test_a_server_that_dies_every_time_is_given_up_and_its_last_line_is_shown(self) -> None:
        asked = stage("mcp", "die", {})
        given = ask(stdio(asked), asked)
        assert given == NoAnswer("the MCP server was lost: Connection closed (stderr: out of luck) (2 tries)")

    def test_lines_that_are_not_messages_are_ignored(self) -> None:
        asked = stage("mcp", "noise", {"text": "the answer"})
        given = ask(stdio(asked), asked)
        assert isinstance(given, Answer)
        assert given.text == "the answer"

    def test_a_server_gets_only_the_named_variables(self) -> None:
        asked = stage("mcp", "secret", {})
        given = ask(stdio(asked, variables=("GIVEN",)), asked)
        assert isinstance(given, Answer)
        assert given.text == "given-value nothing"

    @every_row(
        ("args", "words"),
        [
            (("--broken",), ": Connection closed (stderr: cannot find the database)"),
            (("--mute",), ": not ready within 1 s"),
        ],
    )
    def test_a_server_that_does_not_start_stops_the_run(self, args: tuple[str, ...], words: str) -> None:
        asked = stage("mcp", "echo", {"text": "x"})
        with pytest.raises(ProviderStopped, match="row3.toml") as stopped:
            ask(stdio(asked, args=args, start_s=1.0 if args == ("--mute",) else 30.0), asked)
        assert words in str(stopped.value)

    def test_a_missing_tool_stops_the_run_before_the_first_question(self) -> None:
        asked = stage("mcp", "ecko", {"text": "x"})
        with pytest.raises(ProviderStopped, match=r"has no tool `ecko`\. Did you mean `echo`\?"):
            ask(stdio(asked), asked)

    def test_a_setup_that_fails_stops_the_run(self) -> None:
        asked = stage("mcp", "echo", {"text": "x"})
        with pytest.raises(ProviderStopped, match="`fail` failed"):
            ask(stdio(asked, setup=[Call(tool="fail", arguments={"text": "it"})]), asked)


class TestStreamableHttp:
    def test_answers_and_refuses_as_over_stdio(self, address: str) -> None:
        asked = [stage("mcp", "echo", {"text": f"{n}"}) for n in range(6)] + [stage("mcp", "fail", {"text": "it"})]
        given = ask_all(over_http(asked[0], address), [request(each) for each in asked])
        assert [each.text for each in given if isinstance(each, Answer)] == list("012345")
        assert isinstance(given[6], NoAnswer)

    def test_a_slow_tool_fails_alone(self, address: str) -> None:
        asked = stage("mcp", "slow", {"seconds": 2.0})
        given = ask(over_http(asked, address, timeout_s=0.5), asked)
        assert isinstance(given, NoAnswer)
        assert given.error == "`slow` gave no result within 0.5 s"

    def test_a_server_that_dies_and_stays_away_fails_the_case(self) -> None:
        with faulty() as url:
            asked = stage("mcp", "die", {})
            given = ask(over_http(asked, url), asked)
        assert isinstance(given, NoAnswer)
        assert given.error.startswith("the MCP server was lost, and reconnecting failed: ")

    def test_an_unreachable_address_stops_the_run(self) -> None:
        asked = stage("mcp", "echo", {"text": "x"})
        with pytest.raises(ProviderStopped, match="--mode replay needs no server"):
            ask(over_http(asked, f"http://127.0.0.1:{free_port()}/mcp"), asked)

    @every_row(
        ("status", "body"),
        [
            (404, b""),
            (400, b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID"},"id":null}'),
        ],
    )
    def test_a_forgotten_session_is_reopened_with_its_setup(self, status: int, body: bytes) -> None:
        server = Forgetful(status=status, body=body)
        server.forget_at = {2}  # the first call is the setup
        asked = stage("mcp", "say", {"word": "hello"})
        with server.listening() as url:
            given = ask(over_http(asked, url, setup=[Call(tool="learn", arguments={"fact": 1})]), asked)
        assert isinstance(given, Answer)
        assert json.loads(given.text) == {"word": "hello"}
        assert server.opened == 2
        assert [call["name"] for call in server.calls] == ["learn", "say", "learn", "say"]

    @every_row("status", [301, 302, 303, 307, 308])
    def test_no_redirect_to_another_origin_is_followed(self, status: int) -> None:
        asked, other = stage("mcp", "say", {"word": "hello"}), Forgetful()
        with other.listening() as target:

            class Moved(Handler):
                def do_POST(self) -> None:
                    self.sent()
                    self.reply(status, b"", {"Location": f"{target}?token=abc"})

            server = LocalServer(Moved)
            with pytest.raises(ProviderStopped) as stopped:
                ask(over_http(asked, f"{server.address}/mcp", key_variable="GIVEN"), asked)
            server.stop()
        assert f"`{server.address}/mcp`" in str(stopped.value)
        assert f"Redirect to {target} not followed" in str(stopped.value)
        assert "token" not in str(stopped.value)
        assert not other.headers

    def test_a_session_that_is_forgotten_again_and_again_fails_the_case(self) -> None:
        server = Forgetful()
        server.forget_at = set(range(1, 10))
        asked = stage("mcp", "say", {"word": "hello"})
        with server.listening() as url:
            given = ask(over_http(asked, url), asked)
        assert given == NoAnswer("the MCP server was lost: Session terminated (2 tries)")
        assert server.opened == 2

    @every_row("broken", [b"<html>", b'{"jsonrpc":"2.0","id":1,"result":{"content":5}}', b""])
    def test_a_malformed_result_fails_the_case_in_bounded_time(self, broken: bytes) -> None:
        server = Forgetful(broken=broken)
        asked = stage("mcp", "say", {"word": "hello"})
        with server.listening() as url:
            given = ask(over_http(asked, url, timeout_s=1.0), asked)
        assert isinstance(given, NoAnswer)
        assert given.error

    def test_the_key_goes_into_the_header_and_a_missing_key_is_reported(self) -> None:
        server = Forgetful()
        asked = stage("mcp", "say", {"word": "hello"})
        with server.listening() as url:
            assert isinstance(ask(over_http(asked, url, key_variable="GIVEN"), asked), Answer)
            with pytest.raises(UsageError, match="Set NOT_THERE"):
                ask(over_http(asked, url, key_variable="NOT_THERE"), asked)
        assert {each.get("authorization") for each in server.headers} == {"Bearer given-value"}
