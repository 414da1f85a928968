"""Fixtures for all tests: real servers, and a whole installation on them."""

from hypothesis import settings

pytest_plugins = ["backend.platform.testing", "backend.tests.installation"]

# Machines are shared and noisy, so no test depends on how long one example takes.
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")
