"""How does a pipeline of Haystack show what its documents support? A component behind its generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raguard import Config, ConfigError, Document
from raguard.gate import Gate, Gated
from raguard.integrations.missing import needs
from raguard.integrations.telling import notify, notify_now, told
from raguard.modes import tenant_named
from raguard.streaming import OnReview

with needs("haystack"):
    from haystack import Document as Retrieved
    from haystack import component, default_from_dict, default_to_dict
    from haystack.dataclasses import ChatMessage

__all__ = ["RaguardGate"]


@component
class RaguardGate:
    """A component that shows of a generator's replies what a gate lets through.

    The gate is made of ``config_file`` and ``on_review``, which can be written to a file with the pipeline, or given as
    ``gate``. Replies are strings or chat messages; a message that is changed has the verdict as "raguard" in its
    ``meta``. Without its documents a reply cannot be checked. Raises ConfigError for what it cannot be built of.

    >>> gate = RaguardGate(on_review="redact")
    >>> documents = [Retrieved(content="It closed on 4 May 2024.")]
    >>> gate.run("When?", ["It closed on 9 May 2024."], documents)["replies"]
    ['(unsupported text removed)']
    """

    def __init__(
        self,
        gate: Gate | None = None,
        config_file: str | None = None,
        on_review: OnReview = "annotate",
        tenant_id: str = "default",
        on_result: Callable[[Gated], object] | None = None,
    ) -> None:
        if gate is not None and not isinstance(gate, Gate):
            raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
        if gate is not None and config_file is not None:
            raise ConfigError("config_file must be left out when gate is given; the gate has its config")
        self._is_given = gate is not None or on_result is not None
        config = None if config_file is None else Config.from_toml(config_file)
        self.gate = gate or Gate(config=config, on_review=on_review)
        self.config_file, self.on_review, self.on_result = config_file, on_review, on_result
        self.tenant_id = tenant_named(tenant_id)

    def warm_up(self) -> None:
        """Loads the language model before the first reply."""
        self.gate.verifier.warm_up()

    def to_dict(self) -> dict[str, Any]:
        """The component as plain data; raises ConfigError where it was given a gate or a listener, which are none."""
        if self._is_given:
            raise ConfigError("a RaguardGate with a gate or on_result is no plain data; build it of config_file")
        options = {"config_file": self.config_file, "on_review": self.on_review, "tenant_id": self.tenant_id}
        data: dict[str, Any] = default_to_dict(self, **options)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RaguardGate:
        """The component of what ``to_dict`` gave."""
        built: RaguardGate = default_from_dict(cls, data)
        return built

    @component.output_types(replies=list[str] | list[ChatMessage], gated=list[Gated])
    def run(
        self, query: str, replies: list[str] | list[ChatMessage], documents: list[Retrieved] | None = None
    ) -> dict[str, Any]:
        """The replies as they may be shown, and what became of each."""
        docs = _documents(documents)
        judge = self.gate.judge
        gated = [
            self._of_no_text() if _has_no_text(reply) else judge(query, docs, _text(reply), tenant_id=self.tenant_id)
            for reply in replies
        ]
        for each in gated:
            notify_now(self.on_result, each)
        return {"replies": list(map(self._updated, replies, gated)), "gated": gated}

    @component.output_types(replies=list[str] | list[ChatMessage], gated=list[Gated])
    async def run_async(
        self, query: str, replies: list[str] | list[ChatMessage], documents: list[Retrieved] | None = None
    ) -> dict[str, Any]:
        """``run`` for an event loop."""
        docs = _documents(documents)
        judge = self.gate.ajudge
        gated = [
            self._of_no_text()
            if _has_no_text(reply)
            else await judge(query, docs, _text(reply), tenant_id=self.tenant_id)
            for reply in replies
        ]
        for each in gated:
            await notify(self.on_result, each)
        return {"replies": list(map(self._updated, replies, gated)), "gated": gated}

    def _of_no_text(self) -> Gated:
        return self.gate.settle("", self.gate.verifier.skip("the reply has no text"), self.tenant_id)

    def _updated(self, reply: Any, gated: Gated) -> Any:
        """The reply in another wording; the same where nothing was changed."""
        if not gated.enforced:
            return reply
        if not isinstance(reply, ChatMessage):
            return gated.text
        meta, reasoning = {**reply.meta, "raguard": told(gated)}, reply.reasoning
        if self.gate.on_review != "annotate":
            # they would say what was cut
            reasoning = None
            meta.pop("logprobs", None)
        return ChatMessage.from_assistant(gated.text, meta, reply.name, reply.tool_calls, reasoning=reasoning)


def _has_no_text(reply: Any) -> bool:
    """Whether a reply is a message with nothing to check, such as a call of a tool."""
    return isinstance(reply, ChatMessage) and not reply.text


def _text(reply: Any) -> Any:
    """The text of a reply; what is neither text nor message stays, and the verdict says so."""
    return reply.text if isinstance(reply, ChatMessage) else reply


def _documents(documents: Sequence[Retrieved] | None) -> list[Document]:
    """Documents that have a text; an image supports nothing that can be read."""
    return [Document(each.content, each.id, each.meta) for each in documents or () if each.content is not None]
