"""Models of Amazon Bedrock and Google Vertex AI, through the package litellm."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import time
from typing import Any, TypeVar

from row3.domain.endpoints import LITELLM
from row3.errors import MissingExtra
from row3.providers.faults import Exchange, Fault, status_fault
from row3.providers.openai_api import OpenAIChat
from row3.providers.openai_client import Read, Reply

T = TypeVar("T")


class LiteLLMChat(OpenAIChat):
    """A model that litellm asks in its service's own format; pace, retries and refused parameters are as elsewhere."""

    def _connect(self) -> Any:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches a price list
        try:
            litellm: Any = importlib.import_module("litellm")
        except ImportError:
            raise MissingExtra(f"the {self.name} preset needs litellm", fix="pip install 'row3[litellm]'") from None
        litellm.suppress_debug_info, litellm.telemetry = True, False
        self._resolve_headers()
        return litellm

    async def _try(self, client: Any, path: str, body: dict[str, Any], read: Read[T]) -> Reply[T]:
        """Ask once; the time-out covers all of it."""
        if path != "/chat/completions":
            what, fix = f"the {self.name} preset has no Responses API", 'leave out `api = "responses"`'
            return Reply(Fault("give_up", what, fix))
        endpoint, began = self.endpoint, time.monotonic()
        own = {"model": f"{LITELLM[endpoint.preset]}/{body['model']}", "max_retries": 0, "num_retries": 0}
        own |= {"api_base": endpoint.base_url} if endpoint.base_url else {}
        own |= {"extra_headers": self._headers} if self._headers else {}
        outcome: T | Fault
        try:
            async with asyncio.timeout(endpoint.timeout_s):
                reply = await client.acompletion(**body | own)
        except TimeoutError:
            return Reply(Fault("retry", f"{endpoint.host} did not finish its answer within {endpoint.timeout_s:g} s"))
        except Exception as error:  # litellm's own, and whatever its clouds' tools raise
            status, response = getattr(error, "status_code", 400), getattr(error, "response", None)
            exchange = Exchange(endpoint, getattr(response, "headers", None) or {}, self._guard, body.keys())
            said = str(error).partition("\nTraceback")[0]
            outcome = status_fault(status, json.dumps({"message": said}), exchange)
        else:
            exchange = Exchange(endpoint, {}, self._guard, body.keys())
            outcome = read(reply.model_dump_json().encode(), exchange, time.monotonic() - began)
        return Reply(outcome, {})
