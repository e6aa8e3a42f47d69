"""How is an answer judged while a model still writes it? Sentence by sentence, and once more as a whole at its end.

>>> from raguard import Verifier
>>> stream = Verifier().stream("When?", ["It closed on 4 May 2024."], on_review="block")
>>> *_, end = stream.events(["It closed on 9 May", " 2024. ", "It was cold."])
>>> end.shown, end.result.action
('', 'review')
"""

from __future__ import annotations

from raguard.showing import REDACTED
from raguard.streaming.answer_stream import AnswerStream
from raguard.streaming.events import Finished, OnReview, Released, StreamEvent, Warned, Withheld

__all__ = ["REDACTED", "AnswerStream", "Finished", "OnReview", "Released", "StreamEvent", "Warned", "Withheld"]
