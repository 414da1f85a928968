"""Load profiles: valid parameters, and the errors about invalid ones."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import (
    ProfileDefaults,
    ProfileManifest,
    ScenarioManifest,
    parse_manifest,
)
from backend.core.catalog.profiles import (
    Profile,
    find_faults,
    find_profile,
    list_profiles,
    resolve_parameters,
)
from backend.core.catalog.study_plan import plan_study
from backend.core.config import ROOT
from backend.core.measurement.measurements.steadiness import MIN_WINDOW_SECONDS
from backend.core.statuses import StudyVariant
from backend.core.units import ProfileKind
from backend.tests.catalogue import write_scenario

SHIPPED = Catalogue(ROOT / "services")


@pytest.fixture
def scenario(tmp_path: Path) -> ScenarioManifest:
    return parse_manifest(ScenarioManifest, write_scenario(tmp_path))


def get_profile(scenario: ScenarioManifest, slug: str | None) -> Profile:
    profile = find_profile(scenario, slug)
    assert profile is not None
    return profile


def test_each_profile_has_a_quick_and_a_full_variant(scenario: ScenarioManifest) -> None:
    slugs = [profile.slug for profile in list_profiles(scenario)]

    assert slugs == [
        *("rate-quick", "rate-full", "users-quick", "users-full"),
        *("saturate-quick", "saturate-full", "steps-quick", "steps-full"),
        *("count-quick", "count-full"),
    ]
    assert find_faults(scenario) == []


def test_the_first_quick_profile_is_the_default(scenario: ScenarioManifest) -> None:
    assert get_profile(scenario, None).slug == "rate-quick"
    assert find_profile(scenario, "rate") is None
    assert find_profile(scenario, "rate-slow") is None


def test_a_script_has_only_the_parameters_of_every_load() -> None:
    times = ProfileDefaults(warm_up_seconds=5, duration_seconds=20)
    profile = ProfileManifest(
        kind=ProfileKind.SCRIPT, description="As the script does.", quick=times, full=times
    )
    scenario = ScenarioManifest(
        slug="own",
        name="Own",
        description="One of the tests.",
        path="/",
        script="main.js",
        profiles={"load": profile},
    )
    found = get_profile(scenario, None)

    assert find_faults(scenario) == []
    parameters, problems = resolve_parameters(found, {})
    assert (parameters, problems) == (
        [{"warm_up_seconds": 5, "duration_seconds": 20, "timeout_ms": 5000}],
        [],
    )
    properties = found.schema["properties"]
    assert "the warm-up takes all of them" in properties["warm_up_seconds"]["description"]
    assert "timeouts of its requests itself" in properties["timeout_ms"]["description"]


@pytest.mark.parametrize("value", [True, False, 5.0, 5.5, "5", None, [5], {"a": 5}, float("nan")])
def test_only_whole_numbers_are_accepted(scenario: ScenarioManifest, value: Any) -> None:
    _, problems = resolve_parameters(get_profile(scenario, None), {"rate_rps": value})

    assert problems == [{"field": "rate_rps", "detail": "must be a whole number."}]


def test_an_unknown_parameter_is_reported_with_the_known_ones(scenario: ScenarioManifest) -> None:
    asked = {"rate": 5, "users": 5, "rate_rps": 0}

    _, problems = resolve_parameters(get_profile(scenario, "rate-quick"), asked)

    assert [problem["field"] for problem in problems] == ["rate", "users", "rate_rps"]
    known = "arrivals, cores, delay_ms, duration_seconds, rate_rps, timeout_ms, warm_up_seconds"
    assert problems[0]["detail"] == f"rate-quick has no such parameter; it has {known}."


@pytest.mark.parametrize("slug", ["rate-quick", "users-full", "saturate-quick", "steps-quick"])
def test_the_schema_accepts_the_same_values_as_the_check(
    scenario: ScenarioManifest, slug: str
) -> None:
    profile = get_profile(scenario, slug)
    validator = jsonschema.Draft202012Validator(profile.schema)
    jsonschema.Draft202012Validator.check_schema(profile.schema)

    assert validator.is_valid(profile.defaults)
    assert not validator.is_valid({"unknown": 1})
    for name, spec in profile.schema["properties"].items():
        assert {"title", "unit", "description", "default"} <= set(spec)
        low, high = spec["minimum"], spec["maximum"]
        for value in (low, high):
            assert resolve_parameters(profile, {name: value})[1] == []
            assert validator.is_valid({name: value})
        for value in (low - 1, high + 1, "5"):
            (problem,) = resolve_parameters(profile, {name: value})[1]
            assert problem["field"] == name
            if isinstance(value, int) and name != "arrivals":
                assert f"is {value}; give {low} to {high}" in problem["detail"]
            assert not validator.is_valid({name: value})


def sweeping(tmp_path: Path, parameter: str, values: str) -> ScenarioManifest:
    """Return the scenario with a `rate` profile that sweeps a parameter."""
    path = write_scenario(
        tmp_path, old='description = "So many a second."', new=f'sweeps = "{parameter}"'
    )
    text = path.read_text().replace(
        f'sweeps = "{parameter}"', f'description = "x"\nsweeps = "{parameter}"'
    )
    for rate in ("rate_rps = 200", "rate_rps = 400"):
        keeps = "" if parameter == "rate_rps" else f"{rate}\n"
        text = text.replace(rate, f"{keeps}values = {values}")
    path.write_text(text)
    return parse_manifest(ScenarioManifest, path)


@pytest.mark.parametrize("parameter", ["delay_ms", "rate_rps", "cores"])
def test_a_swept_parameter_creates_a_cell_for_each_value(tmp_path: Path, parameter: str) -> None:
    scenario = sweeping(tmp_path, parameter, "[10, 20, 40]")
    profile = get_profile(scenario, "rate-quick")

    assert find_faults(scenario) == []
    resolved, problems = resolve_parameters(profile, {})
    assert problems == []
    assert [parameters[parameter] for parameters in resolved] == [10, 20, 40]
    assert resolve_parameters(profile, {parameter: [7, 9]})[0][1][parameter] == 9
    # A repeated run requests a single cell.
    assert [item[parameter] for item in resolve_parameters(profile, {parameter: 7})[0]] == [7]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], "give 1 to 50 different values."),
        ([5, 5], "give 1 to 50 different values."),
        (list(range(51)), "give 1 to 50 different values."),
        ([5, 10001], "is 10001; give 0 to 10000 ms."),
        ([5, "6"], "must be a whole number."),
        ("5", "must be a whole number."),
    ],
)
def test_swept_values_must_be_within_the_bounds(tmp_path: Path, value: Any, expected: str) -> None:
    profile = get_profile(sweeping(tmp_path, "delay_ms", "[10]"), "rate-quick")

    resolved, problems = resolve_parameters(profile, {"delay_ms": value})

    assert (resolved, problems) == ([], [{"field": "delay_ms", "detail": expected}])
    if isinstance(value, list):
        validator = jsonschema.Draft202012Validator(profile.schema)
        assert not validator.is_valid({"delay_ms": value})


@pytest.mark.parametrize(
    ("parameter", "values", "fault"),
    [
        (
            "delay",
            "[10]",
            "profiles.rate.sweeps: is not a parameter; give one of delay_ms, rate_rps, cores",
        ),
        ("delay_ms", "[]", "profiles.rate.quick.values: needs 1 to 50 different values"),
        ("delay_ms", "[-1]", "profiles.rate.quick.values: is -1; give 0 to 10000"),
    ],
)
def test_an_invalid_sweep_is_a_fault_of_the_manifest(
    tmp_path: Path, parameter: str, values: str, fault: str
) -> None:
    faults = find_faults(sweeping(tmp_path, parameter, values))

    assert f"{faults[0]['field']}: {faults[0]['detail']}" == fault


def give_parameters(tmp_path: Path, table: str) -> ScenarioManifest:
    path = write_scenario(tmp_path)
    kind = 'kind = "users"\n'
    path.write_text(path.read_text().replace(kind, f"{kind}parameters = {table}\n"))
    return parse_manifest(ScenarioManifest, path)


def test_a_profile_sets_values_of_the_scenario_parameters(tmp_path: Path) -> None:
    scenario = give_parameters(tmp_path, "{ delay_ms = 70 }")

    assert find_faults(scenario) == []
    assert get_profile(scenario, "users-quick").defaults["delay_ms"] == 70
    assert get_profile(scenario, "rate-quick").defaults["delay_ms"] == 1000


@pytest.mark.parametrize(
    ("table", "field", "said"),
    [
        ("{ delay_ms = 10001 }", "profiles.users.parameters.delay_ms", "give 0 to 10000"),
        ("{ delay = 1 }", "profiles.users.parameters.delay", "it has delay_ms"),
    ],
)
def test_an_invalid_value_of_a_profile_is_reported(
    tmp_path: Path, table: str, field: str, said: str
) -> None:
    (fault,) = find_faults(give_parameters(tmp_path, table))

    assert fault["field"] == field
    assert said in fault["detail"]


@pytest.mark.parametrize("slug", ["rate-quick", "steps-full"])
@pytest.mark.parametrize(
    ("value", "stored"), [("uniform", None), (0, None), ("poisson", 1), (1, 1)]
)
def test_arrivals_of_open_loads_are_given_by_name(
    scenario: ScenarioManifest, slug: str, value: object, stored: int | None
) -> None:
    profile = get_profile(scenario, slug)
    (resolved,), problems = resolve_parameters(profile, {"arrivals": value})

    assert not problems
    jsonschema.validate({"arrivals": value}, profile.schema)
    # Uniform arrivals have the parameters of loads of older versions.
    assert resolved.get("arrivals") == stored
    assert resolve_parameters(profile, resolved) == ([resolved], [])


@pytest.mark.parametrize("value", ["bursts", 2, True, None, ["poisson"]])
def test_other_arrivals_are_refused(scenario: ScenarioManifest, value: object) -> None:
    profile = get_profile(scenario, "rate-quick")
    _, problems = resolve_parameters(profile, {"arrivals": value})

    (problem,) = problems
    assert problem == {"field": "arrivals", "detail": f"is {value!r}; give uniform or poisson."}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"arrivals": value}, profile.schema)


def test_closed_loads_have_no_arrivals(scenario: ScenarioManifest) -> None:
    assert "arrivals" not in get_profile(scenario, "users-full").defaults


@pytest.mark.parametrize("slug", list(SHIPPED.scenarios))
def test_every_shipped_profile_can_show_a_steady_state(slug: str) -> None:
    """Its window is long enough to test, and its warm-up may last until a compiler is done."""
    scenario, _ = SHIPPED.scenarios[slug]
    for profile in list_profiles(scenario):
        (first, *_), problems = resolve_parameters(profile, {})
        assert not problems
        assert_can_be_steady(profile.slug, first)


@pytest.mark.parametrize("slug", list(SHIPPED.studies))
@pytest.mark.parametrize("variant", list(StudyVariant))
def test_every_load_of_a_study_can_show_a_steady_state(slug: str, variant: StudyVariant) -> None:
    study, _ = SHIPPED.studies[slug]
    scenarios = {slug: manifest for slug, (manifest, _) in SHIPPED.scenarios.items()}
    implemented = {
        slug: list(manifest.scenarios) for slug, (manifest, _) in SHIPPED.frameworks.items()
    }
    for planned in plan_study(study, variant, scenarios, implemented, {}).cells:
        assert_can_be_steady(planned.profile, planned.parameters)


def assert_can_be_steady(profile: str, parameters: Mapping[str, int]) -> None:
    window = parameters.get("step_seconds", parameters.get("duration_seconds", 0))
    assert window >= MIN_WINDOW_SECONDS, profile
    assert parameters["warm_up_seconds"] >= 30, profile
