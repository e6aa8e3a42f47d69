"""How are entities found at a fraction of spaCy's cost? Its own weights in numpy, behind assertions and a fall-back."""

from raguard.ner.runtime import EntityRuntime

__all__ = ["EntityRuntime"]
