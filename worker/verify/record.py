"""What has passed, and of which state: so that a check of all services can be resumed."""

import hashlib
import json
from pathlib import Path

from worker.bench import Bench


class Record:
    """A file of digests; what passes is written down at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests: dict[str, str] = {}
        if path.exists():
            self._digests = json.loads(path.read_text())

    def has(self, bench: Bench, framework: str, scenario: str) -> bool:
        """Whether this service has passed as it is now."""
        key = _key(bench, framework, scenario)
        return self._digests.get(key) == digest_of(bench, framework, scenario)

    def put(self, bench: Bench, framework: str, scenario: str, digest: str | None) -> None:
        """Write down that it passed in the state of that digest; None that it did not."""
        key = _key(bench, framework, scenario)
        self._digests.pop(key, None)
        if digest is not None:
            self._digests[key] = digest
        self._path.parent.mkdir(parents=True, exist_ok=True)
        written = self._path.with_suffix(".new")
        written.write_text(json.dumps(self._digests, indent=1, sort_keys=True))
        written.replace(self._path)


def digest_of(bench: Bench, framework: str, scenario: str) -> str:
    """SHA-256 (hex) of all that the outcome comes from: service, scenario, support, k6."""
    catalogue = bench.read_catalogue()
    manifest, source = catalogue.get_framework(framework)
    parts = (
        *(bench.digest(source, program.docker) for program in manifest.all_programs),
        catalogue.scenario_digest(scenario),
        *(
            bench.digest(catalogue.supports[slug][1], catalogue.supports[slug][0].docker)
            for slug in manifest.scenarios[scenario].support
        ),
        bench.harness["k6_sha256"],
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _key(bench: Bench, framework: str, scenario: str) -> str:
    return f"{bench.runtime.kind}/{framework}/{scenario}"
