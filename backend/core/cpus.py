"""Lists of CPUs in the kernel's format, and effects of sharing CPUs between roles. Pure."""

import re
from collections.abc import Mapping, Sequence

from backend.core.numbers import agree

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
# More than any kernel supports (NR_CPUS); prevents a typing error from creating a huge list.
_HIGHEST = 8191
# In sentences, where it is not the name of the role.
_NAMES = {"backing": "backing services"}


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """Parse `0-2,5` to (0, 1, 2, 5), sorted and without duplicates.

    Raises:
        ValueError: the text is not such a list or is empty; the message shows a valid one.
    """
    parts = [part.strip() for part in text.split(",")]
    if not any(parts):
        raise ValueError("names no CPU; write a list like 0-2,5, or leave it out for the default")
    found: set[int] = set()
    for part in parts:
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(
                f"{part!r} is neither a CPU nor a range of CPUs; write a list like 0-2,5"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= _HIGHEST:
            raise ValueError(f"{part!r} runs backwards or too far; write a list like 0-2,5")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def read_cpu_sets(lists: Mapping[str, str]) -> dict[str, list[int]] | None:
    """Return the CPUs of each role of a host; None if it states none, or no valid lists."""
    try:
        return {role: list(parse_cpu_list(lists[role])) for role in ("service", "load", "backing")}
    except (KeyError, ValueError):
        return None


def format_cpu_list(cpus: Sequence[int]) -> str:
    """Format (0, 1, 2, 5) as `0-2,5`."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def explain_sharing(
    cpus: Mapping[str, Sequence[int]], cores: Sequence[Sequence[int]] = ()
) -> list[str]:
    """Return the effects of roles that share CPUs or cores; empty if none do.

    Args:
        cpus: the CPU numbers of `service`, `load` and `backing`.
        cores: the CPU numbers of each core; empty if they are not known.
    """
    effects = (
        ("service", "load", "the load generator takes CPU time from the service it measures"),
        ("service", "backing", "backing services take CPU time from it"),
        ("load", "backing", "backing services may delay the load generator"),
    )
    notes = []
    for role, other, effect in effects:
        names = f"{role.capitalize()} and {_NAMES.get(other, other)}"
        shared = set(cpus[role]) & set(cpus[other])
        halves = [core for core in cores if {*core} & {*cpus[role]} and {*core} & {*cpus[other]}]
        if shared:
            named = f"{agree(len(shared), 'CPU')} {format_cpu_list([*shared])}"
            notes.append(f"{names} share {named}: {effect}.")
        elif halves:
            threads = format_cpu_list([cpu for core in halves for cpu in core])
            named = f"the {agree(len(halves), 'core')} of CPUs {threads}"
            notes.append(f"{names} share {named}: {effect}.")
    return notes
