"""Fixtures for all tests: real servers, and a whole installation on them."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings

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
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
