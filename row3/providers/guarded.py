"""No secret is sent, and none is taken in: the guard between a run and whoever answers it, of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.domain.secrets import Guard
from row3.errors import Row3Error, UsageError
from row3.providers.base import Embedder, Provider

FIX = "remove it; a key that was in a file should be withdrawn at its provider"


class GuardedProvider:
    """Refuses a request that holds a secret; hides those that answers, faults and errors hold."""

    def __init__(self, provider: Provider, guard: Guard) -> None:
        self._provider, self._guard = provider, guard

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._guard.clean(self._provider.name)

    @property
    def refused(self) -> frozenset[str]:
        """Fields that the endpoint has refused."""
        return frozenset(getattr(self._provider, "refused", ()))

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask`. Raises `UsageError` too, for a request that holds a secret."""
        guard = self._guard
        check_request(request, guard)
        with _cleaned_errors(guard):
            answer = await self._provider.ask(request)
        if isinstance(answer, NoAnswer):
            return NoAnswer(guard.clean(answer.error), guard.clean(answer.fix))
        return cleaned(answer, guard)

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()


class GuardedEmbedder:
    """The same for texts to embed; `case_with` names the case that a secret is in."""

    def __init__(self, embedder: Embedder, guard: Guard, case_with: Callable[[Guard], str]) -> None:
        self._embedder, self._guard, self._case_with = embedder, guard, case_with

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """Return a vector for each text; see `Embedder.embed`. Raises `UsageError` too, for a text with a secret."""
        if held := next(filter(None, map(self._guard.found, texts)), ""):
            what = f"a text to embed holds the value of {held}, so it is not sent"
            raise UsageError(what, where=self._case_with(self._guard), fix=FIX)
        with _cleaned_errors(self._guard):
            found = await self._embedder.embed(texts)
        return NoAnswer(self._guard.clean(found.error), found.fix) if isinstance(found, NoAnswer) else found

    async def close(self) -> None:
        """Close the embedder."""
        await self._embedder.close()


def check_request(request: Request, guard: Guard) -> None:
    """Raise `UsageError`, which names the case or the prompt, for a request that holds a secret."""
    if not guard:
        return
    sent = (request.system, request.user, request.model, request.schema_name, canonical(request.schema))
    if held := guard.found("\n".join(sent)):
        of_case = request.case_id and guard.found(canonical(request.variables))
        where = f"case `{request.case_id}`" if of_case else f"prompt {request.prompt}"
        raise UsageError(f"the request holds the value of {held}, so it is not sent", where=where, fix=FIX)


def cleaned(answer: Answer, guard: Guard) -> Answer:
    """Return an answer without secrets."""
    return answer._replace(
        text=guard.clean(answer.text),
        finish_reason=guard.clean(answer.finish_reason),
        served_model=None if answer.served_model is None else guard.clean(answer.served_model),
    )


@contextmanager
def _cleaned_errors(guard: Guard) -> Iterator[None]:
    try:
        yield
    except Row3Error as error:
        what, where, fix = map(guard.clean, (error.what, error.where, error.fix))
        if (what, where, fix) == (error.what, error.where, error.fix):
            raise
        raise type(error)(what, where=where, fix=fix) from None
