"""Load profiles: bounded parameters as JSON Schema, and resolving the values a user requested.

A profile that sweeps a parameter takes a list of values and creates one cell for each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.core.catalog.manifest import ProfileDefaults, ProfileManifest, ScenarioManifest
from backend.core.documents import Parameters
from backend.core.numbers import join_choices
from backend.core.units import ProfileKind

Schema = dict[str, Any]
Problems = list[dict[str, str]]

MAX_SWEPT_VALUES = 50
MAX_WARM_UP_SECONDS = 300
_VARIANTS = ("quick", "full")
_OPEN = frozenset({ProfileKind.RATE, ProfileKind.STEPS})

_COMMON: dict[str, Schema] = {
    "warm_up_seconds": {
        "title": "Warm-up",
        "unit": "s",
        "minimum": 0,
        "maximum": MAX_WARM_UP_SECONDS,
        "description": "Maximum seconds of load before the measurement. The warm-up ends when the "
        "load is steady; below 4 s it is not tested and takes the whole time.",
    },
    "timeout_ms": {
        "title": "Timeout",
        "unit": "ms",
        "minimum": 100,
        "maximum": 60000,
        "description": "A request that takes longer counts as failed.",
    },
}
_DURATION: dict[str, Schema] = {
    "duration_seconds": {
        "title": "Duration",
        "unit": "s",
        "minimum": 1,
        "maximum": 3600,
        "description": "Measured seconds. With fewer than 10, Tacho cannot see whether the load "
        "was steady, so the result is not ranked.",
    },
}
_CORES: dict[str, Schema] = {
    "cores": {
        "title": "Cores",
        "unit": "cores",
        "minimum": 0,
        "maximum": 1024,
        "description": "Cores of the service. 0: all that its host has for services.",
    },
}
# A parameter with names is stored as the place of the value's name.
_ARRIVALS: dict[str, Schema] = {
    "arrivals": {
        "title": "Arrivals",
        "unit": "",
        "minimum": 0,
        "maximum": 1,
        "names": ["uniform", "poisson"],
        "type": ["integer", "string"],
        "enum": [0, 1, "uniform", "poisson"],
        "description": "Uniform: requests at equal distances. Poisson: at independent times, as "
        "those of many users, so that some arrive close together and queue.",
    },
}
# The default of these is 0. It is left out, so that loads have the same parameters as those of
# versions without them.
_OPTIONAL = frozenset({*_CORES, *_ARRIVALS})
_BY_KIND: dict[ProfileKind, dict[str, Schema]] = {
    ProfileKind.RATE: {
        "rate_rps": {
            "title": "Rate",
            "unit": "req/s",
            "minimum": 1,
            "maximum": 100000,
            "description": "Requests per second, sent whether or not earlier ones were answered.",
        },
    },
    ProfileKind.USERS: {
        "users": {
            "title": "Users",
            "unit": "users",
            "minimum": 1,
            "maximum": 10000,
            "description": "Virtual users, each with one request at a time.",
        },
        "pause_ms": {
            "title": "Pause",
            "unit": "ms",
            "minimum": 0,
            "maximum": 60000,
            "description": "Pause of a user between a response and the next request.",
        },
    },
    ProfileKind.SATURATE: {
        "connections": {
            "title": "Connections",
            "unit": "connections",
            "minimum": 1,
            "maximum": 10000,
            "description": "Connections. Each sends its next request after receiving a response.",
        },
    },
    ProfileKind.STEPS: {
        "first_rps": {
            "title": "First rate",
            "unit": "req/s",
            "minimum": 1,
            "maximum": 100000,
            "description": "Requests per second of the warm-up and the first step.",
        },
        "step_rps": {
            "title": "Step",
            "unit": "req/s",
            "minimum": 1,
            "maximum": 10000,
            "description": "Increase of the rate from one step to the next.",
        },
        "steps": {
            "title": "Steps",
            "unit": "steps",
            "minimum": 1,
            "maximum": 100,
            "description": "Maximum number of steps. The load ends with the first failed step.",
        },
        "step_seconds": {
            "title": "Step length",
            "unit": "s",
            "minimum": 1,
            "maximum": 600,
            "description": "Duration of each step. With less than 10 s, Tacho cannot see whether "
            "the load was steady, so the result is not ranked.",
        },
        "drain_seconds": {
            "title": "Pause between steps",
            "unit": "s",
            "minimum": 0,
            "maximum": 120,
            "description": "Seconds without new requests after each step. If this is the timeout, "
            "no step has to serve the backlog of the step before.",
        },
        "success_percent": {
            "title": "Success",
            "unit": "%",
            "minimum": 1,
            "maximum": 100,
            "description": "Share of the offered requests that must succeed for a step to pass.",
        },
    },
    ProfileKind.COUNT: {
        "connections": {
            "title": "Connections",
            "unit": "connections",
            "minimum": 1,
            "maximum": 10000,
            "description": "Connections. Each sends its next request after receiving a response.",
        },
        "requests": {
            "title": "Requests",
            "unit": "requests",
            "minimum": 1,
            "maximum": 1000000,
            "description": "The load ends when this many requests have been answered, or when the "
            "duration is over. Control requests and the warm-up do not count.",
        },
    },
    ProfileKind.SCRIPT: {},
}
# A script decides its own load, and the timeouts of its requests.
_OF_SCRIPTS = {
    "warm_up_seconds": "Seconds of load before the measurement. The script decides its own load, "
    "so the warm-up takes all of them.",
    "timeout_ms": "How long the script goes on at most after the measured seconds, so that their "
    "requests are answered. The script sets the timeouts of its requests itself.",
}


@dataclass(frozen=True)
class Profile:
    """One selectable profile of a scenario: `slug` is `<name>-<quick|full>`."""

    slug: str
    name: str
    variant: str
    kind: ProfileKind
    description: str
    schema: Schema
    sweeps: str | None = None

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the default values of the parameters."""
        return {name: spec["default"] for name, spec in self.schema["properties"].items()}


def _own_schemas(kind: ProfileKind) -> dict[str, Schema]:
    """Return the parameters of a kind of load, without those of a scenario."""
    own = {**_BY_KIND[kind], **_COMMON, **_CORES}
    if kind is not ProfileKind.STEPS:
        own |= _DURATION
    if kind in _OPEN:
        own |= _ARRIVALS
    if kind is ProfileKind.COUNT:
        at_most = "Maximum measured seconds."
        own["duration_seconds"] = {**own["duration_seconds"], "description": at_most}
    if kind is ProfileKind.SCRIPT:
        for name, description in _OF_SCRIPTS.items():
            own[name] = {**own[name], "description": description}
    return own


def most_measured_seconds(parameters: Mapping[str, int]) -> int:
    """Return the measured seconds of a cell; for a load in steps, the maximum."""
    if "steps" in parameters:
        return parameters["steps"] * parameters["step_seconds"]
    return parameters["duration_seconds"]


def most_load_seconds(parameters: Mapping[str, int]) -> int:
    """Return the maximum length of a load: warm-up, measured seconds and pauses between steps."""
    pauses = (parameters.get("steps", 1) - 1) * parameters.get("drain_seconds", 0)
    return parameters["warm_up_seconds"] + most_measured_seconds(parameters) + pauses


def list_profiles(scenario: ScenarioManifest) -> list[Profile]:
    """Return the profiles of a scenario in the order of the manifest; the first is the default."""
    return [
        _make_profile(scenario, name, variant)
        for name in scenario.profiles
        for variant in _VARIANTS
    ]


def find_profile(scenario: ScenarioManifest, slug: str | None) -> Profile | None:
    """Return the profile of a slug, or the default for None; return None if there is none."""
    if slug is None:
        return _make_profile(scenario, next(iter(scenario.profiles)), _VARIANTS[0])
    name, _, variant = slug.rpartition("-")
    if name not in scenario.profiles or variant not in _VARIANTS:
        return None
    return _make_profile(scenario, name, variant)


def _make_profile(scenario: ScenarioManifest, name: str, variant: str) -> Profile:
    profile = scenario.profiles[name]
    return Profile(
        slug=f"{name}-{variant}",
        name=name,
        variant=variant,
        kind=profile.kind,
        description=profile.description,
        schema=_schema(scenario, profile, getattr(profile, variant)),
        sweeps=profile.sweeps,
    )


def resolve_parameters(
    profile: Profile, requested: Mapping[str, Any]
) -> tuple[list[Parameters], Problems]:
    """Merge defaults and requested values, once for each value of a swept parameter.

    Returns:
        The parameters of each cell (one cell if nothing is swept), and a problem
        `{"field", "detail"}` for each parameter that is unknown, of the wrong type or out of
        bounds. If there are problems, the parameters are not usable.
    """
    properties = profile.schema["properties"]
    problems: Problems = []
    for name, value in requested.items():
        spec = properties.get(name)
        if spec is None:
            known = ", ".join(sorted(properties))
            detail = f"{profile.slug} has no such parameter; it has {known}."
        else:
            detail = _find_fault(spec, value)
        if detail:
            problems.append({"field": name, "detail": detail})
    if problems:
        return [], problems
    resolved = {**profile.defaults, **requested}
    for name, spec in properties.items():
        if "names" in spec:
            resolved[name] = _find_place(spec["names"], resolved[name])
        if name in _OPTIONAL and not resolved[name]:
            del resolved[name]
    if profile.sweeps is None:
        return [resolved], []
    values = resolved[profile.sweeps]
    listed = values if isinstance(values, list) else [values]
    return [{**resolved, profile.sweeps: value} for value in listed], []


def _find_fault(spec: Schema, value: object) -> str:
    """Return what is wrong with a value and what is allowed; empty if it is valid."""
    if "names" in spec:
        names = spec["names"]
        known = value in names or not _integer_fault(spec, value)
        return "" if known else f"is {value!r}; give {join_choices(names)}."
    if spec["type"] == "integer":
        return _integer_fault(spec, value)
    if not isinstance(value, list):
        return _integer_fault(spec["items"], value)
    if not 1 <= len(value) <= MAX_SWEPT_VALUES or len(set(map(repr, value))) < len(value):
        return f"give 1 to {MAX_SWEPT_VALUES} different values."
    faults = (_integer_fault(spec["items"], item) for item in value)
    return next((fault for fault in faults if fault), "")


def _find_place(names: list[str], value: str | int) -> int:
    return names.index(value) if isinstance(value, str) else value


def _integer_fault(spec: Schema, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return "must be a whole number."
    if not spec["minimum"] <= value <= spec["maximum"]:
        return f"is {value}; give {spec['minimum']} to {spec['maximum']} {spec['unit']}."
    return ""


def _schema(
    scenario: ScenarioManifest, profile: ProfileManifest, defaults: ProfileDefaults
) -> Schema:
    given = defaults.model_dump(exclude_none=True) | dict.fromkeys(_OPTIONAL, 0)
    properties: dict[str, Schema] = {
        name: {"type": "integer", **spec, "default": given.get(name)}
        for name, spec in _own_schemas(profile.kind).items()
    }
    for name, parameter in scenario.parameters.items():
        properties[name] = {
            "type": "integer",
            "title": name.rsplit("_", 1)[0].replace("_", " ").capitalize(),
            "unit": name.rsplit("_", 1)[-1],
            "minimum": parameter.minimum,
            "maximum": parameter.maximum,
            "description": parameter.description,
            "default": profile.parameters.get(name, parameter.default),
        }
    if profile.sweeps is not None:
        swept = properties[profile.sweeps]
        # A sweep names its cores.
        least = 1 if profile.sweeps in _CORES else swept["minimum"]
        properties[profile.sweeps] = _swept(swept | {"minimum": least}, defaults.values or ())
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _swept(spec: Schema, values: tuple[int, ...]) -> Schema:
    """Return the schema of a parameter that takes a list."""
    shown = {name: spec[name] for name in ("title", "unit", "description")}
    items = {name: spec[name] for name in ("type", "minimum", "maximum", "unit")}
    return {
        "type": "array",
        **shown,
        "items": items,
        "minItems": 1,
        "maxItems": MAX_SWEPT_VALUES,
        "uniqueItems": True,
        "default": list(values),
    }


def find_faults(scenario: ScenarioManifest) -> list[dict[str, str]]:
    """Return a problem `{"field", "detail"}` for each missing or out-of-bounds default."""
    faults = []
    for name, profile in scenario.profiles.items():
        for variant in _VARIANTS:
            defaults = getattr(profile, variant)
            for key, spec in _own_schemas(profile.kind).items():
                if key == profile.sweeps or key in _OPTIONAL:
                    continue
                at = f"profiles.{name}.{variant}.{key}"
                faults += _default_faults(
                    at, getattr(defaults, key), spec["minimum"], spec["maximum"]
                )
            faults += _sweep_faults(scenario, profile, f"profiles.{name}", variant)
        faults += _own_faults(scenario, profile, f"profiles.{name}.parameters")
    for name, own in scenario.parameters.items():
        faults += _default_faults(
            f"parameters.{name}.default", own.default, own.minimum, own.maximum
        )
    return faults


def _own_faults(scenario: ScenarioManifest, profile: ProfileManifest, at: str) -> Problems:
    """Return problems of the values that a profile sets for the scenario's own parameters."""
    faults: Problems = []
    for name, value in profile.parameters.items():
        own = scenario.parameters.get(name)
        if own is None:
            known = ", ".join(scenario.parameters) or "none"
            detail = f"the scenario has no such parameter; it has {known}"
            faults.append({"field": f"{at}.{name}", "detail": detail})
        else:
            faults += _default_faults(f"{at}.{name}", value, own.minimum, own.maximum)
    return faults


def _sweep_faults(
    scenario: ScenarioManifest, profile: ProfileManifest, at: str, variant: str
) -> Problems:
    """Return problems of a profile's swept parameter and its values in one variant."""
    values = getattr(profile, variant).values
    values_at = f"{at}.{variant}.values"
    if profile.sweeps is None:
        unused = [{"field": values_at, "detail": f"belongs to {at}.sweeps; add that or remove it"}]
        return unused if values is not None else []
    bounds = {
        **{name: (own.minimum, own.maximum) for name, own in scenario.parameters.items()},
        **{name: (own["minimum"], own["maximum"]) for name, own in _BY_KIND[profile.kind].items()},
        **{name: (1, own["maximum"]) for name, own in _CORES.items()},
    }
    if profile.sweeps not in bounds:
        known = ", ".join(bounds)
        return [{"field": f"{at}.sweeps", "detail": f"is not a parameter; give one of {known}"}]
    if not values or len(set(values)) < len(values) or len(values) > MAX_SWEPT_VALUES:
        detail = f"needs 1 to {MAX_SWEPT_VALUES} different values"
        return [{"field": values_at, "detail": detail}]
    minimum, maximum = bounds[profile.sweeps]
    return [
        fault for value in values for fault in _default_faults(values_at, value, minimum, maximum)
    ]


def _default_faults(at: str, value: int | None, minimum: int, maximum: int) -> list[dict[str, str]]:
    if value is None:
        return [{"field": at, "detail": "is required; add it"}]
    if not minimum <= value <= maximum:
        return [{"field": at, "detail": f"is {value}; give {minimum} to {maximum}"}]
    return []
