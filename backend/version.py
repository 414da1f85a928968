"""Tacho's version, as the package's metadata has it."""

from importlib.metadata import version

VERSION = version("tacho")
