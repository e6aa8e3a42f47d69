"""Does an answer say only what its passages support, asked of a language model?

>>> from raguard.judge import GroundingJudge
>>> judge = GroundingJudge(chat=lambda messages: "I would rather not say.", screen=None)
>>> decision = judge.decide("The rent is $900.", ["The rent is $950 a month."])
>>> decision.state, decision.reason
('unchecked', 'the reply holds no verdict')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.judge.chat import Chat, ChatError
    from raguard.judge.control import Control
    from raguard.judge.grounding import GroundingJudge
    from raguard.judge.parsing import Unread, Verdict, read_verdict
    from raguard.judge.policy import GROUNDING_POLICY, Policy
    from raguard.judge.prompting import Material, Prompt, grounding_prompt
    from raguard.judge.provider import JudgeConfigError, Provider
    from raguard.judge.replies import Reply
    from raguard.judge.screening import injected_spans

__all__ = [
    "GROUNDING_POLICY",
    "Chat",
    "ChatError",
    "Control",
    "GroundingJudge",
    "JudgeConfigError",
    "Material",
    "Policy",
    "Prompt",
    "Provider",
    "Reply",
    "Unread",
    "Verdict",
    "grounding_prompt",
    "injected_spans",
    "read_verdict",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "chat": ("Chat", "ChatError"),
        "control": ("Control",),
        "grounding": ("GroundingJudge",),
        "parsing": ("Unread", "Verdict", "read_verdict"),
        "policy": ("GROUNDING_POLICY", "Policy"),
        "prompting": ("Material", "Prompt", "grounding_prompt"),
        "provider": ("JudgeConfigError", "Provider"),
        "replies": ("Reply",),
        "screening": ("injected_spans",),
    },
)
