"""Lists of CPUs as the kernel writes them, and what it means when two roles share one. Pure."""

import re
from collections.abc import Mapping, Sequence

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
# More than any kernel takes (NR_CPUS); keeps a slip of the finger from making a huge list.
_HIGHEST = 8191
# In sentences, where it is not the name of the role.
_NAMES = {"backing": "backing services"}


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """`0-2,5` as (0, 1, 2, 5), in order and each once.

    Raises:
        ValueError: it is no such list, or names no CPU; the message says what would be right.
    """
    parts = [part.strip() for part in text.split(",")]
    if not any(parts):
        raise ValueError("names no CPU; write a list like 0-2,5, or leave it out for the default")
    found: set[int] = set()
    for part in parts:
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is no CPU and no range of them; write a list like 0-2,5")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= _HIGHEST:
            raise ValueError(f"{part!r} runs backwards or too far; write a list like 0-2,5")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def format_cpu_list(cpus: Sequence[int]) -> str:
    """(0, 1, 2, 5) as `0-2,5`."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def explain_sharing(cpus: Mapping[str, Sequence[int]]) -> list[str]:
    """What each two roles that share CPUs do to each other's numbers; empty where none do.

    Args:
        cpus: the CPU numbers of `service`, `load` and `backing`.
    """
    effects = (
        ("service", "load", "the load generator takes CPU time from the service it measures"),
        ("service", "backing", "backing services take CPU time from it"),
        ("load", "backing", "backing services may delay the load generator"),
    )
    notes = []
    for one, other, effect in effects:
        shared = sorted(set(cpus[one]) & set(cpus[other]))
        if shared:
            named = f"CPU {shared[0]}" if len(shared) == 1 else f"CPUs {format_cpu_list(shared)}"
            names = f"{one.capitalize()} and {_NAMES.get(other, other)}"
            notes.append(f"{names} share {named}: {effect}.")
    return notes
