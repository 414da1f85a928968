"""Describe loads and their parameters for people.

The frontend has the same rules (frontend/src/lib/load.ts). Both test suites read the same table of
cases (frontend/src/lib/load-cases.json).
"""

from collections.abc import Mapping
from math import nan
from typing import NamedTuple

from backend.core.numbers import agree, format_figure
from backend.core.units import ProfileKind

_UNITS = {
    "ms": "ms",
    "seconds": "s",
    "rps": "req/s",
    "bytes": "B",
    "characters": "characters",
}


# Units that show what a value means. Counts have no unit, but their value includes their title.
_CLEAR_UNITS = ("", "req/s", "characters")


class ParameterName(NamedTuple):
    """Title and unit of a parameter; counts have no unit."""

    title: str
    unit: str


def list_load_parts(kind: ProfileKind, parameters: Mapping[str, int]) -> list[str]:
    """Return the offered load, then the parameters of the scenario: `upstream 1 000 ms`."""
    arrivals = ["Poisson arrivals"] if parameters.get("arrivals") else []
    cores = [name_value("cores", parameters["cores"])] if "cores" in parameters else []
    return [_describe_offered(kind, parameters), *arrivals, *_describe_own(parameters), *cores]


def _describe_offered(kind: ProfileKind, parameters: Mapping[str, int]) -> str:

    def show(name: str) -> str:
        return format_figure(parameters.get(name, nan))

    if kind is ProfileKind.STEPS:
        steps = (parameters.get("steps", 1) - 1) * parameters.get("step_rps", 0)
        last = format_figure(parameters.get("first_rps", 0) + steps)
        span = f"{show('first_rps')} to {last} req/s"
        return f"{span} in steps of {show('step_rps')}, {show('step_seconds')} s each"
    if kind is ProfileKind.COUNT:
        connections = agree(parameters.get("connections", 0), "connection")
        return (
            f"{show('requests')} requests over {show('connections')} {connections}, "
            "one after the other"
        )
    offered = {
        ProfileKind.RATE: f"{show('rate_rps')} req/s",
        ProfileKind.USERS: f"{show('users')} users, pausing {show('pause_ms')} ms,",
        ProfileKind.SATURATE: f"{show('connections')} connections without pause",
        ProfileKind.SCRIPT: "a k6 script",
    }[kind]
    return f"{offered} for {show('duration_seconds')} s"


def _describe_own(parameters: Mapping[str, int]) -> list[str]:
    parts = []
    if "delay_ms" in parameters:
        parts.append(f"upstream {format_figure(parameters['delay_ms'])} ms")
    if "text_characters" in parameters:
        parts.append(f"text {format_figure(parameters['text_characters'])} characters")
    if "size_bytes" in parameters:
        parts.append(f"list of {format_figure(parameters['size_bytes'])} B")
    if parameters.get("post_percent"):
        parts.append(f"{format_figure(parameters['post_percent'])} % POST")
    return parts


def describe_parameter(name: str) -> ParameterName:
    """Return title and unit: `delay_ms` is `Delay` in `ms`."""
    stem, _, ending = name.rpartition("_")
    unit = _UNITS.get(ending, "") if stem else ""
    title = (stem if unit else name).replace("_", " ").replace("cpu", "CPU", 1)
    return ParameterName(title[:1].upper() + title[1:], unit)


def name_value(parameter: str, value: int) -> str:
    """Return the value of a parameter: `400 req/s`, `64 connections`, `1 connection`."""
    title, unit = describe_parameter(parameter)
    if unit:
        return f"{format_figure(value)}\u202f{unit}"
    counted = title.lower() if value != 1 else title.lower().removesuffix("s")
    return f"{format_figure(value)} {counted}"


def name_parameter(parameter: str, value: int) -> str:
    """Return a parameter with its value: `timeout 500 ms`, but `64 connections` and `400 req/s`."""
    title, unit = describe_parameter(parameter)
    shown = name_value(parameter, value)
    return shown if unit in _CLEAR_UNITS else f"{title.lower()} {shown}"


# Their values are digests of files.
_OF_SOURCES = frozenset({"framework", "scenario"})


def name_subject(subject: str) -> str:
    """Return the name of a difference: `parameters.rate_rps` is `rate`."""
    if subject in _OF_SOURCES:
        return f"{subject} source"
    group, *rest = subject.split(".")
    if group == "parameters":
        return describe_parameter(".".join(rest)).title.lower()
    return " ".join([group, *rest]).replace("_", " ").replace("cpu", "CPU", 1)
