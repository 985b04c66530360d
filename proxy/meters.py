"""What is counted: requests, calls by dialect and outcome, repairs; in Prometheus' form at `/metrics`."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from proxy.exchange import Exchange

_FIRST = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
_WHOLE = (0.1, 0.3, 1, 3, 10, 30, 100, 300)


class Meters:
    """All counters of one proxy."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.running = Gauge("strictcall_running", "Answers under way", registry=self.registry)
        self._requests = Counter(
            "strictcall_requests", "Chat requests", ["upstream", "mode", "status"], registry=self.registry
        )
        self._calls = Counter(
            "strictcall_calls", "Calls by how they ended", ["dialect", "outcome"], registry=self.registry
        )
        self._repairs = Counter("strictcall_repairs", "What was mended", ["repair"], registry=self.registry)
        self._first = Histogram(
            "strictcall_first_token_seconds", "Until the first token", registry=self.registry, buckets=_FIRST
        )
        self._whole = Histogram(
            "strictcall_duration_seconds", "Until the end of the answer", registry=self.registry, buckets=_WHOLE
        )

    def note(self, exchange: Exchange) -> None:
        """Count an exchange that is over."""
        self._requests.labels(exchange.upstream, exchange.mode, exchange.status).inc()
        for dialect, outcome in exchange.calls:
            self._calls.labels(dialect, outcome).inc()
        for name in exchange.repairs:
            self._repairs.labels(name).inc()
        if exchange.first is not None:
            self._first.observe(exchange.first - exchange.began)
        self._whole.observe(exchange.ended - exchange.began)

    def text(self) -> bytes:
        """All of it in Prometheus' form."""
        return generate_latest(self.registry)
