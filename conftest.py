"""Fixtures for all tests: real servers, and a whole installation on them."""

pytest_plugins = ["backend.platform.testing", "backend.tests.installation"]
