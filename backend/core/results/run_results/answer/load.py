"""Short names of loads and of values of a sweep; pure."""

from collections.abc import Sequence

from backend.core.measurement.statistics.rates import find_last_rate
from backend.core.numbers import format_figure
from backend.core.results.loads import name_value
from backend.core.results.run_results.groups import ResultBlock, ResultGroup
from backend.core.units import ProfileKind

# The parameter that sets how much load is offered. A script decides that itself.
LOAD_PARAMETERS = {
    ProfileKind.RATE: "rate_rps",
    ProfileKind.USERS: "users",
    ProfileKind.SATURATE: "connections",
    ProfileKind.STEPS: "first_rps",
}


def name_load(group: ResultGroup) -> str:
    """Return the offered load of a group: `400 req/s`."""
    parameters = group.parameters
    if group.kind is ProfileKind.SCRIPT:
        return "a k6 script"
    if group.kind is ProfileKind.COUNT:
        return name_value("requests", parameters.get("requests", 0))
    if group.kind is not ProfileKind.STEPS:
        name = LOAD_PARAMETERS[group.kind]
        return name_value(name, parameters.get(name, 0))
    last = name_value("rate_rps", find_last_rate(parameters))
    return f"{format_figure(parameters['first_rps'])} to {last}"


def name_swept(block: ResultBlock, group: ResultGroup) -> str:
    """Return the value of the swept parameter in a group."""
    parameter = block.parameter or ""
    return name_value(parameter, group.parameters[parameter])


def label_blocks(blocks: Sequence[ResultBlock]) -> list[str]:
    """Return a label for each block, without the scenario if all have the same."""
    names = {block.groups[0].scenario.name for block in blocks}
    if len(blocks) == 1 or len(names) > 1:
        return [block.label for block in blocks]
    return [block.label.removeprefix(f"{next(iter(names))}, ") for block in blocks]


def label_groups(blocks: Sequence[ResultBlock]) -> list[str]:
    """Return a label for each group of the blocks: that of its block, in a sweep with the value.

    The groups of a single sweep have only the value.
    """
    labels = []
    for block, label in zip(blocks, label_blocks(blocks), strict=True):
        if block.parameter is None:
            labels.append(label)
            continue
        before = "" if len(blocks) == 1 else f"{label}, "
        labels += [f"{before}{name_swept(block, group)}" for group in block.groups]
    return labels


def name_span(block: ResultBlock) -> str:
    """Return the first and the last value of a sweep: `200 to 400 req/s`."""
    first = block.groups[0].parameters[block.parameter or ""]
    return f"{format_figure(first)} to {name_swept(block, block.groups[-1])}"
