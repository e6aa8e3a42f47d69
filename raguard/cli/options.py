"""Which options do several commands share?"""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Json", "NoColor"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="Plain text, as with NO_COLOR in the environment.")]
