"""Which findings follow? Each check asks the case one question and yields findings."""

from __future__ import annotations

from raguard.case import Check
from raguard.checks.citations import unsupported_citations
from raguard.checks.claims import unsupported_claims
from raguard.checks.clauses import misnumbered_clauses
from raguard.checks.hours import contradicted_hours
from raguard.checks.leaves import contradicted_leaves
from raguard.checks.names import missing_names
from raguard.checks.other_numbers import rival_numbers
from raguard.checks.owners import other_owners
from raguard.checks.quotes import unsupported_quotes
from raguard.checks.records import contradicted_fields
from raguard.checks.statements import flipped_statements
from raguard.checks.tables import contradicted_tables
from raguard.checks.terms import missing_terms
from raguard.checks.vague import vague_references
from raguard.checks.values import unsupported_values

__all__ = ["DEFAULT_CHECKS"]

DEFAULT_CHECKS: tuple[Check, ...] = (
    contradicted_tables,
    unsupported_values,
    missing_names,
    missing_terms,
    unsupported_quotes,
    unsupported_citations,
    misnumbered_clauses,
    contradicted_fields,
    contradicted_hours,
    flipped_statements,
    other_owners,
    rival_numbers,
    contradicted_leaves,
    vague_references,
    unsupported_claims,
)
"""The table of contents of the checking half, in the order in which they run; the last weighs what the others found."""
