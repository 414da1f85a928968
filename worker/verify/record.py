"""Records which services passed, so that a check of all services can be resumed."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

from backend.core.units import RuntimeKind
from worker.bench.bench import Bench


class Record:
    """A file of digests and times, written at once when a service passes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._passed: dict[str, dict[str, str]] = {}
        if path.exists():
            read = json.loads(path.read_text())
            # Older files have no times; their services are verified again.
            self._passed = {key: entry for key, entry in read.items() if isinstance(entry, dict)}

    def has(self, bench: Bench, framework: str, scenario: str) -> bool:
        """Return whether this service has passed in its present state."""
        passed = self._passed.get(_key(bench.runtime.kind, framework, scenario), {})
        return passed.get("digest") == digest_of(bench, framework, scenario)

    def passed_at(self, kind: RuntimeKind, framework: str, scenario: str) -> str | None:
        """Return when a service last passed (ISO 8601, UTC); None if it failed since."""
        return self._passed.get(_key(kind, framework, scenario), {}).get("at")

    def put(self, bench: Bench, framework: str, scenario: str, digest: str | None) -> None:
        """Record that a service passed with this digest; None records that it failed."""
        key = _key(bench.runtime.kind, framework, scenario)
        self._passed.pop(key, None)
        if digest is not None:
            at = datetime.now(UTC).isoformat(timespec="seconds")
            self._passed[key] = {"digest": digest, "at": at}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        written = self._path.with_suffix(".new")
        written.write_text(json.dumps(self._passed, indent=1, sort_keys=True))
        written.replace(self._path)


def digest_of(bench: Bench, framework: str, scenario: str) -> str:
    """Return the SHA-256 (hex) of service, scenario, backing services and k6."""
    catalogue = bench.read_catalogue()
    manifest, source = catalogue.get_framework(framework)
    parts = (
        *(bench.digest(source, program.docker) for program in manifest.all_programs),
        catalogue.scenario_digest(scenario),
        *(
            bench.digest(
                catalogue.backing_services[slug][1], catalogue.backing_services[slug][0].docker
            )
            for slug in manifest.scenarios[scenario].backing_services
        ),
        bench.harness["k6_sha256"],
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _key(kind: RuntimeKind, framework: str, scenario: str) -> str:
    return f"{kind}/{framework}/{scenario}"
