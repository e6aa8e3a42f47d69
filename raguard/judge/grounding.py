"""Does an answer say only what its passages support? A model is asked, and what is no clear verdict is *unchecked*."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from raguard import Document
from raguard.endpoints import checked_seconds
from raguard.judge.calls import Call, Loop, Pool, wait_for, wait_for_async
from raguard.judge.chat import OPTIONS, Chat
from raguard.judge.control import Control
from raguard.judge.judging import Parts, judged
from raguard.judge.material import admitted
from raguard.judge.parsing import Parser, read_verdict
from raguard.judge.policy import GROUNDING_POLICY, Policy
from raguard.judge.prompting import PromptMaker, grounding_prompt
from raguard.judge.provider import JudgeConfigError, Provider, checked_whole
from raguard.judge.screening import Screen, injected_spans
from raguard.rails.decision import Decision

__all__ = ["GroundingJudge"]

_AT_ONCE = 32
"""How many answers one judge judges at the same time; further ones wait in line, within their time."""


class GroundingJudge:
    """A language model as a rail: it judges an answer by the passages that the answer was written from.

    The model is one of ``provider`` (named by ``model``, or by ``provider.models["judge"]``), or a ``chat``: a
    ``Chat``, or any callable that takes OpenAI's messages and returns a text, a ``Reply``, or an object or mapping with
    ``content`` and ``finish_reason``. What an async callable returns is awaited in an event loop of the judge's own.
    ``policy`` says what is blocked. ``max_tokens`` is the budget for one reply of a provider's model, reasoning
    included. ``chat_options`` are those of a ``Chat``: ``temperature``, ``json_schema``, ``headers``, ``extra_body``.

    - ``tenants``: the tenants whose texts may be sent out; nothing is sent for any other tenant.
    - ``timeout_s`` bounds a whole decision, in seconds, and is at most a day; ``max_chars`` bounds all texts of a
      decision together, in characters.
    - ``screen`` finds instructions to a model in a text: by default what ``PromptInjectionFilter`` blocks; None looks
      for none. Instructions are left out of passages, and an answer or question that holds any cannot pass.
    - ``control`` says when a pass is asked for again, with a made-up sentence added to the answer: when a text names a
      verdict or judging ("named"), always, or never. A model that passes this as well is steered by a text, or does
      not look. A policy that lets unsupported sentences pass needs "never".
    - ``prompt`` and ``parser`` replace ``grounding_prompt`` and ``read_verdict``.

    Raises JudgeConfigError, which is a ValueError. Threads and event loops can share one judge.

    >>> import json, re
    >>> def model(messages):  # a stand-in; a real one is Provider("http://localhost:11434/v1", models={"judge": "…"})
    ...     id = re.search(r'"id" is "(\\w+)"', messages[0]["content"])[1]
    ...     said = {"reason": "The rent is $950.", "verdict": "block", "categories": ["contradicted"]}
    ...     return json.dumps({"id": id, **said})
    >>> judge = GroundingJudge(chat=model, model="stand-in", screen=None)
    >>> decision = judge.decide("The rent is $900.", ["The rent is $950 a month."], "What is the rent?")
    >>> decision.state, decision.reason, decision.categories, decision.model
    ('block', 'The rent is $950.', ('contradicted',), 'stand-in')
    >>> judge.decide("The rent is $900.", []).reason
    'there are no passages to judge by'
    """

    sides = ("output",)
    """It looks at answers, not at questions."""
    offline = False
    """It sends texts to the endpoint of its model."""

    def __init__(
        self,
        provider: Provider | None = None,
        model: str | None = None,
        chat: Callable[..., Any] | None = None,
        policy: Policy | None = None,
        name: str = "grounding",
        max_tokens: int = 1200,
        *,
        tenants: Collection[str] = ("default",),
        timeout_s: float = 30.0,
        max_chars: int = 100_000,
        screen: Screen | None = injected_spans,
        control: Control = "named",
        prompt: PromptMaker = grounding_prompt,
        parser: Parser = read_verdict,
        **chat_options: Any,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise JudgeConfigError(f"name must be a string that is not empty, not {name!r}")
        self.name = name
        self.tenants = _checked_tenants(tenants)
        self.timeout_s = checked_seconds(timeout_s, "timeout_s", error=JudgeConfigError)
        self.max_chars = checked_whole("max_chars", max_chars)
        budget = checked_whole("max_tokens", max_tokens)
        _check_parts(policy, model, control, screen=screen, prompt=prompt, parser=parser, chat=chat)
        chat = _chat(provider, model, chat, budget, chat_options)
        told = model or getattr(chat, "model", None)
        self.model = told if isinstance(told, str) else None
        rules = GROUNDING_POLICY if policy is None else policy
        self._parts = Parts(chat, rules, prompt, parser, screen, control, self.model, Loop())
        self._pool: Pool[Decision] = Pool(_AT_ONCE)

    def decide(
        self,
        answer: str,
        passages: Sequence[str | Document],
        question: str | None = None,
        *,
        tenant_id: str = "default",
    ) -> Decision:
        """The verdict on ``answer`` by ``passages``. Never raises: where something goes wrong, it is *unchecked*.

        ``question`` says what the answer is about; it is not evidence. ``tenant_id`` is the tenant who owns the texts.
        """
        job = self._begin(answer, passages, question, tenant_id)
        return job.decision(self, wait_for(job.future, job.call))

    async def adecide(
        self,
        answer: str,
        passages: Sequence[str | Document],
        question: str | None = None,
        *,
        tenant_id: str = "default",
    ) -> Decision:
        """``decide`` for an event loop, which keeps running; cancelling it ends the request, too."""
        job = self._begin(answer, passages, question, tenant_id)
        return job.decision(self, await wait_for_async(job.future, job.call))

    def within(self, seconds: float) -> GroundingJudge:
        """The same judge with at most ``seconds`` for a decision; the shorter of the two bounds counts."""
        bounded = copy.copy(self)
        bounded.timeout_s = checked_seconds(min(seconds, self.timeout_s), "seconds", error=JudgeConfigError)
        return bounded

    def cache_key(self, *_: object, **__: object) -> str | None:
        """None: verdicts of a judge must not be cached.

        A verdict depends on the passages as much as on the answer, and on a model that may change without notice.
        """
        return None

    def _begin(self, answer: object, passages: object, question: object, tenant_id: object) -> _Job:
        began, call = time.perf_counter(), Call(self.timeout_s)
        if not isinstance(tenant_id, str) or tenant_id not in self.tenants:
            return _Job.settled(began, call, "the judge may send out no text of this tenant", self.model)
        try:
            material = admitted(answer, passages, question, most=self.max_chars)
        except KeyboardInterrupt:
            raise
        # what is given may be somebody's own sequence, which raises whatever it likes
        except BaseException as error:
            material = f"the passages raised {type(error).__name__}"
        if isinstance(material, str):
            return _Job.settled(began, call, material, self.model)
        try:
            return _Job(began, call, self._pool.start(lambda: judged(material, self._parts, call)))
        except RuntimeError:
            return _Job.settled(began, call, "the model was not asked: no thread can be started", self.model)


class _Job(NamedTuple):
    """A decision under way."""

    began: float
    call: Call
    future: Future[Decision]

    @classmethod
    def settled(cls, began: float, call: Call, why: str, model: str | None) -> _Job:
        """One that needs no thread: nothing is judged."""
        future: Future[Decision] = Future()
        future.set_result(Decision("unchecked", why, (), model))
        return cls(began, call, future)

    def decision(self, judge: GroundingJudge, is_done: bool) -> Decision:
        """The decision, and how long it took."""
        if is_done:
            decision = self.future.result()
        else:
            decision = Decision("unchecked", f"the judge took longer than {judge.timeout_s:g} s", (), judge.model)
        return replace(decision, latency_ms=1000 * (time.perf_counter() - self.began))


def _chat(
    provider: Provider | None, model: str | None, chat: Callable[..., Any] | None, budget: int, options: dict[str, Any]
) -> Callable[..., Any]:
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise JudgeConfigError(f"{unknown[0]} is no option of a judge or its chat; those are {', '.join(OPTIONS)}")
    if chat is None:
        if provider is None:
            raise JudgeConfigError("a GroundingJudge needs a provider or a chat to ask")
        return Chat(provider, model, max_tokens=budget, **options)
    if provider is not None:
        raise JudgeConfigError("a GroundingJudge takes a provider or a chat, not both")
    if options:
        raise JudgeConfigError(f"{min(options)} belongs to the chat that a provider makes; set it on the chat itself")
    return chat


def _check_parts(policy: object, model: object, control: object, **callables: object) -> None:
    if not isinstance(policy, Policy | None):
        raise JudgeConfigError(f"policy must be a Policy, not {type(policy).__name__}")
    if not (model is None or (isinstance(model, str) and model.strip())):
        raise JudgeConfigError(f"model must be the name of a model or None, not {model!r}")
    if control not in get_args(Control):
        raise JudgeConfigError(f"control must be one of {', '.join(get_args(Control))}, not {control!r}")
    for name, part in callables.items():
        if not callable(part) and not (part is None and name in ("screen", "chat")):
            raise JudgeConfigError(f"{name} must be a callable, not {type(part).__name__}")


def _checked_tenants(tenants: object) -> frozenset[str]:
    if isinstance(tenants, Collection) and not isinstance(tenants, str | bytes):
        known = frozenset(tenant for tenant in tenants if isinstance(tenant, str))
        if all(isinstance(tenant, str) for tenant in tenants):
            return known
    raise JudgeConfigError("tenants must be a list of the ids of those whose texts may be sent out")
