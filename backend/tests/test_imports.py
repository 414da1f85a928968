"""The imports of an API start, which take most of its time."""

import json
import subprocess
import sys

SLOW = {"scipy", "numpy", "docker", "alembic", "celery", "kombu", "httpx", "opentelemetry.sdk"}


def test_an_api_start_imports_no_package_that_only_requests_need() -> None:
    script = (
        "import sys, json; from backend.serve import prepare; prepare(); "
        "from backend.main import create_app; create_app(); "
        "print(json.dumps([*sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not SLOW & set(json.loads(done.stdout.splitlines()[-1]))
