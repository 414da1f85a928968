"""Group the cells of a run that may be ranked together, and the groups of a sweep; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.models import Scenario
from backend.core.results.cell_result import RunCellResult
from backend.core.results.loads import name_parameter
from backend.core.units import ProfileKind


@dataclass(frozen=True)
class ResultGroup:
    """Cells of one scenario, profile and set of parameters. They are ranked together.

    Attributes:
        key: `scenario.profile`, with `.2` and so on for other parameters. Part of page URLs.
        number: 1, or the number that the key ends with.
        cells: at least one.
    """

    key: str
    number: int
    cells: Sequence[RunCellResult]

    @property
    def scenario(self) -> Scenario:
        return self.cells[0].cell.scenario

    @property
    def profile(self) -> str:
        return self.cells[0].cell.profile

    @property
    def kind(self) -> ProfileKind:
        return self.cells[0].kind

    @property
    def parameters(self) -> Mapping[str, int]:
        return self.cells[0].cell.parameters


@dataclass(frozen=True)
class ResultBlock:
    """Groups that are shown together: a sweep of one parameter, or a single group.

    Attributes:
        key: of its first group in the order of the run.
        label: distinguishes it from the other blocks of the run.
        parameter: the swept parameter; None for a single group.
        groups: in ascending order of the swept parameter.
    """

    key: str
    label: str
    parameter: str | None
    groups: Sequence[ResultGroup]


def group_cells(cells: Sequence[RunCellResult]) -> list[ResultGroup]:
    """Return the groups of a run, in the order of their first cells."""
    members: dict[tuple[str, str], dict[str, list[RunCellResult]]] = {}
    order: list[tuple[tuple[str, str], str]] = []
    for result in cells:
        cell = result.cell
        load = (cell.scenario.slug, cell.profile)
        parameters = str(sorted(cell.parameters.items()))
        sets = members.setdefault(load, {})
        if parameters not in sets:
            order.append((load, parameters))
        sets.setdefault(parameters, []).append(result)
    groups = []
    for load, parameters in order:
        number = [*members[load]].index(parameters) + 1
        key = ".".join(load) if number == 1 else f"{'.'.join(load)}.{number}"
        groups.append(ResultGroup(key, number, members[load][parameters]))
    return groups


def list_blocks(groups: Sequence[ResultGroup]) -> list[ResultBlock]:
    """Return the groups as blocks.

    Groups of one scenario and profile are a sweep if they differ in one parameter and have the
    same frameworks.
    """
    bundles: dict[tuple[str, str], list[ResultGroup]] = {}
    for group in groups:
        bundles.setdefault((group.scenario.slug, group.profile), []).append(group)
    parts: list[tuple[str | None, list[ResultGroup]]] = []
    for bundle in bundles.values():
        parameter = _find_swept(bundle)
        parts += (
            [(None, [group]) for group in bundle] if parameter is None else [(parameter, bundle)]
        )
    firsts = [members[0] for _, members in parts]
    return [
        ResultBlock(
            key=members[0].key,
            label=_label(members[0], firsts),
            parameter=parameter,
            groups=_sort(members, parameter),
        )
        for parameter, members in parts
    ]


def _sort(groups: Sequence[ResultGroup], parameter: str | None) -> Sequence[ResultGroup]:
    if parameter is None:
        return groups
    return sorted(groups, key=lambda group: group.parameters.get(parameter, 0))


def _find_swept(groups: Sequence[ResultGroup]) -> str | None:
    """Return the only parameter in which groups of the same frameworks differ; else None."""
    first, *others = groups
    if not others:
        return None
    differing = _list_differing(groups)
    frameworks = _list_frameworks(first)
    is_complete = all(_list_frameworks(group) == frameworks for group in others)
    if not is_complete or len(differing) != 1:
        return None
    has_values = all(differing[0] in group.parameters for group in groups)
    return differing[0] if has_values else None


def _list_differing(groups: Sequence[ResultGroup]) -> list[str]:
    """Return the parameters in which groups of one scenario and profile differ."""
    names = dict.fromkeys(name for group in groups for name in group.parameters)
    return [name for name in names if len({group.parameters.get(name) for group in groups}) > 1]


def _list_frameworks(group: ResultGroup) -> list[str]:
    return sorted(result.cell.framework.slug for result in group.cells)


def _label(group: ResultGroup, firsts: Sequence[ResultGroup]) -> str:
    """Return a label that distinguishes a block.

    Args:
        firsts: the first group of each block.
    """
    name = group.scenario.name
    alike = [first.profile for first in firsts if first.scenario.slug == group.scenario.slug]
    if len(alike) > 1:
        profiles = set(alike)
        is_short = len({_name_profile(profile) for profile in profiles}) == len(profiles)
        profile = _name_profile(group.profile) if is_short else group.profile
        name = f"{name}, {profile.replace('-', ' ')}"
    rivals = [
        first
        for first in firsts
        if (first.scenario.slug, first.profile) == (group.scenario.slug, group.profile)
    ]
    values = [
        name_parameter(parameter, group.parameters[parameter])
        for parameter in _list_differing(rivals)
        if parameter in group.parameters
    ]
    return ", ".join([name, *values])


def _name_profile(profile: str) -> str:
    """Return a profile without its variant: `saturate-large` for `saturate-large-quick`."""
    return profile.rsplit("-", 1)[0]
