"""Is each claim of an answer carried by its evidence, and what becomes of the answer when one is not?"""

from __future__ import annotations
