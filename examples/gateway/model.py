"""A stand-in for a local model: it speaks OpenAI's chat API and always says the same, once wrong.

    python examples/gateway/model.py --port 8001

Put Ollama, vLLM or any other endpoint in its place: the url in raguard.toml.
"""

from __future__ import annotations

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "The audit closed on 9 May 2024. It was led by Alice Johnson."


class Model(BaseHTTPRequestHandler):
    """Answers every chat with ANSWER, whole or word by word."""

    def do_POST(self) -> None:
        """One completion."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if request.get("stream"):
            self._send("text/event-stream", *self._chunks(request))
        else:
            message = {"role": "assistant", "content": ANSWER}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            completion = {**self._frame(request, "chat.completion"), "choices": [choice]}
            self._send("application/json", json.dumps(completion).encode())

    def _chunks(self, request: dict[str, Any]) -> list[bytes]:
        frame = self._frame(request, "chat.completion.chunk")
        deltas = [{"content": word} for word in re.findall(r"\S+\s*", ANSWER)]
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        events = [json.dumps({**frame, "choices": [choice]}) for choice in choices]
        return [f"data: {event}\n\n".encode() for event in [*events, "[DONE]"]]

    def _frame(self, request: dict[str, Any], kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": request.get("model", "stand-in")}

    def _send(self, kind: str, *parts: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        for part in parts:
            self.wfile.write(part)

    def log_message(self, *arguments: Any) -> None:
        """Says nothing of what it is asked."""


def main() -> None:
    """Serves until it is stopped."""
    parser = argparse.ArgumentParser(description="A stand-in for a local model.")
    parser.add_argument("--port", type=int, default=8001)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Model)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
