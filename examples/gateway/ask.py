"""Asks the gateway with the official client, whole and streamed, and shows what raguard says of the answer.

python examples/gateway/ask.py
"""

from __future__ import annotations

import argparse
from typing import Any

from openai import OpenAI

QUESTION = "When did the audit close, and who led it?"
DOCUMENTS = ["The audit closed on 4 May 2024.", {"id": "team.md", "text": "Alice Johnson led the audit."}]


def main() -> None:
    """Prints the answer twice, each time with its verdict."""
    parser = argparse.ArgumentParser(description="Asks the gateway.")
    parser.add_argument("--url", default="http://127.0.0.1:8000/v1")
    with OpenAI(base_url=parser.parse_args().url, api_key="-", max_retries=0) as client:
        create: Any = client.chat.completions.create
        asked = {"model": "stand-in", "messages": [{"role": "user", "content": QUESTION}]}
        completion = create(**asked, extra_body={"rag": {"documents": DOCUMENTS}})
        show(completion.choices[0].message.content, completion.choices[0].finish_reason, completion.rag)
        text, reason, rag = "", None, {}
        for chunk in create(**asked, stream=True, extra_body={"rag": {"documents": DOCUMENTS}}):
            text += chunk.choices[0].delta.content or ""
            if chunk.choices[0].finish_reason:
                reason, rag = chunk.choices[0].finish_reason, chunk.rag
        show(text, reason, rag)


def show(text: str, reason: str | None, rag: dict[str, Any]) -> None:
    """One answer and what was found in it."""
    print(text)
    print(f"  {rag['mode']}, {rag['status']}, finish_reason {reason}: {rag['verify']['action']}")
    for warning in rag["verify"]["warnings"]:
        print(
            f"  {warning['severity']} {warning['type']} at {warning['start']}-{warning['end']}, rule {warning['rule']}"
        )


if __name__ == "__main__":
    main()
