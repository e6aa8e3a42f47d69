"""What does ``python -m raguard`` do? The same as the command ``raguard``."""

from __future__ import annotations

import sys

from raguard.cli import main

if __name__ == "__main__":
    sys.exit(main())
