"""Fixtures for all tests: real servers, and a whole installation on them."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# As in backend.serve: both take much of the time of the imports. pytest_collection enables the
# garbage collection again.
gc.disable()
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# jsonschema imports it for the format `iri`, which no schema here has. It takes two seconds.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

pytest_plugins = [
    "backend.platform.testing",
    "backend.tests.installation",
    "backend.tests.receiving",
]

# Machines are shared and noisy, so no test depends on how long one example takes.
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep modules and tests out of garbage collections, because they stay until the end."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
