"""The address of the page New run with the plan of a remedy.

The frontend reads it (frontend/src/lib/run-plan.ts).
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import Profile, find_profile
from backend.core.documents import JsonObject
from backend.core.models import Run

_DEFAULT_TRIALS = 5


def new_run_page(plan: JsonObject, run: Run) -> str | None:
    """Return the path of the page; None if its form cannot hold the plan.

    The form has one load per scenario, for all frameworks of the scenario.

    Args:
        plan: the body of a request for a run with scenarios and profiles of this run.
    """
    if "purpose" in plan or not isinstance(plan.get("until", "ranked"), str):
        return None
    manifests = {
        cell.scenario.slug: ScenarioManifest.model_validate(cell.scenario.manifest)
        for cell in run.cells
    }
    settings: list[str] = []
    profiles: list[str] = []
    for slug in dict.fromkeys(cell["scenario"] for cell in plan["cells"]):
        cells = [cell for cell in plan["cells"] if cell["scenario"] == slug]
        profile = find_profile(manifests[slug], cells[0]["profile"])
        if profile is None or any(cell["profile"] != profile.slug for cell in cells):
            return None
        found = _find_settings(cells, profile)
        if found is None:
            return None
        profiles.append(f"{slug}.{profile.slug}")
        settings += [f"{slug}.{name}.{value}" for name, value in found.items()]
    pairs = dict.fromkeys(f"{cell['scenario']}.{cell['framework']}" for cell in plan["cells"])
    search = {
        "cells": ",".join(pairs),
        "profile": ",".join(profiles),
        "set": ",".join(settings),
        **_find_amount(plan),
        "host": plan.get("host", ""),
        "title": plan.get("title", ""),
    }
    shown = {name: value for name, value in search.items() if value}
    return f"/runs/new?{urlencode(shown, safe=',:')}"


def _find_settings(cells: Sequence[JsonObject], profile: Profile) -> dict[str, str] | None:
    """Return the values that differ from the profile's, as text; None if they need two forms."""
    values_of: dict[str, list[Mapping[str, int]]] = {}
    for cell in cells:
        values_of.setdefault(cell["framework"], []).append(cell["parameters"])
    first, *others = values_of.values()
    if any(other != first for other in others):
        return None
    found: dict[str, str] = {}
    for name, default in profile.defaults.items():
        values = [parameters[name] for parameters in first if name in parameters]
        if name == profile.sweeps:
            if values != default:
                found[name] = ":".join(map(str, values)) if len(values) > 1 else f"{values[0]}:"
            continue
        if len(set(values)) > 1:
            return None
        if values and values[0] != default:
            found[name] = str(values[0])
    return found


def _find_amount(plan: JsonObject) -> dict[str, str]:
    if "until" in plan:
        return {"until": f"ranked.{plan['max_trials']}.{plan['max_minutes']}"}
    trials = plan["trials"]
    return {} if trials == _DEFAULT_TRIALS else {"trials": str(trials)}
