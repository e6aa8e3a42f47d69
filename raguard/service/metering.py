"""What is counted? Requests, verdicts, warnings per rule and type, and times; never a text, a tenant or a key."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from raguard.result import VerifyResult

__all__ = ["CONTENT_TYPE", "Metering"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SHARED = "PROMETHEUS_MULTIPROC_DIR"


class Metering:
    """The counters of one app. Several worker processes count together where the environment names their folder.

    >>> from raguard import verify
    >>> metering = Metering()
    >>> metering.count_verdict(verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024."))
    >>> 'raguard_verdicts_total{action="review"} 1.0' in metering.page().decode()
    True
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own: Any = {"registry": self._registry}
        self._requests = Counter("raguard_requests", "Requests by route and status.", ["route", "status"], **own)
        self._seconds = Histogram(
            "raguard_request_seconds",
            "Seconds from a request to the end of its response.",
            ["route"],
            buckets=_SECONDS,
            **own,
        )
        self._busy = Gauge(
            "raguard_requests_in_progress", "Requests that are worked on.", multiprocess_mode="livesum", **own
        )
        self._verdicts = Counter("raguard_verdicts", "Verdicts on answers by action.", ["action"], **own)
        self._warnings = Counter(
            "raguard_warnings", "Warnings by type, rule and severity.", ["type", "rule", "severity"], **own
        )
        self._guarded = Counter("raguard_guard_verdicts", "Verdicts of the claim guard.", ["verdict"], **own)
        self._claims = Counter("raguard_claims", "Claims that the guard has looked at, by status.", ["status"], **own)
        self._findings = Counter(
            "raguard_screen_findings", "Findings of the screens by rule and severity.", ["rule", "severity"], **own
        )
        self._answers = Counter(
            "raguard_gateway_answers", "Answers that came through the gateway.", ["mode", "changed"], **own
        )

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """One request; ``route`` is one of the app's."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def show_busy(self, places: int) -> None:
        """How many places are taken now."""
        self._busy.set(places)

    def count_verdict(self, result: VerifyResult) -> None:
        """One verdict with its warnings."""
        self._verdicts.labels(result.action).inc()
        for warning in result.warnings:
            self._warnings.labels(warning.type, warning.rule, warning.severity).inc()

    def count_guard(self, result: Any) -> None:
        """One GuardResult with its claims."""
        self._guarded.labels(str(result.verdict.value)).inc()
        for claim in result.claims:
            self._claims.labels(claim.status.value).inc()

    def count_findings(self, reports: Iterable[Any]) -> None:
        """What screens have found, as ScreenReports."""
        for report in reports:
            for finding in report.findings:
                self._findings.labels(finding.rule, finding.severity.value).inc()

    def count_answer(self, mode: str, *, changed: bool) -> None:
        """One answer that came through the gateway."""
        self._answers.labels(mode, str(changed).lower()).inc()

    def page(self) -> bytes:
        """All counters in Prometheus' text format, of all worker processes where these count together."""
        if not os.environ.get(_SHARED):
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

    def close(self) -> None:
        """Removes what this process is doing now from the common count; what it has done stays."""
        if os.environ.get(_SHARED):
            mark_process_dead(os.getpid())  # type: ignore[no-untyped-call]
