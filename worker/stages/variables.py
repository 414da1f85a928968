"""Computes the environment variables of services and scripts: secrets, parameters, addresses."""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worker.stages.assignment import Assignment
from worker.stages.build import Materials
from worker.stages.parts import SERVICE
from worker.stages.turns import Turn

_SECRET_BYTES = 32
# The load generator draws its sample of responses with this key.
_SCRIPT_SECRETS = ("SAMPLE_KEY",)


@dataclass(frozen=True)
class TrialSecrets:
    """The secrets of a trial by variable. They are random: a service may know the trial's id.

    Attributes:
        shared: for the service, its peers and the scripts.
        peers: for all peers and the scripts.
        parts: for a single service and the scripts, by the service's name.
        backing: for the backing services of the scenario and the scripts.
        scripts: for the scripts alone.
    """

    shared: Mapping[str, str]
    peers: Mapping[str, str]
    parts: Mapping[str, Mapping[str, str]]
    backing: Mapping[str, str]
    scripts: Mapping[str, str]

    def for_scripts(self) -> dict[str, str]:
        """Return all secrets by unique name: a peer's own variables get its name as prefix."""
        own = {
            variable if part == SERVICE else f"{prefix_of(part)}_{variable}": value
            for part, secrets in self.parts.items()
            for variable, value in secrets.items()
        }
        return {**self.shared, **self.peers, **self.backing, **self.scripts, **own}


def make_secrets(materials: Materials) -> TrialSecrets:
    """Return new secrets: those that the scenario declares, and `SAMPLE_KEY` for its scripts."""
    scenario = materials.scenario
    names = [SERVICE, *(peer.name for peer, _ in materials.peers)]
    return TrialSecrets(
        shared=_draw(scenario.secrets),
        peers=_draw(scenario.peer_secrets),
        parts={name: _draw(scenario.part_secrets) for name in names},
        backing=_draw(scenario.backing_secrets),
        scripts=_draw(_SCRIPT_SECRETS),
    )


def _draw(variables: Iterable[str]) -> dict[str, str]:
    return {variable: secrets.token_hex(_SECRET_BYTES) for variable in variables}


def prefix_of(peer: str) -> str:
    """Return the prefix of the variables that give a peer's address to the other services."""
    return peer.upper().replace("-", "_")


def parameters_for(role: str, assignment: Assignment, materials: Materials) -> dict[str, str]:
    """Return the scenario's parameters that this role takes from its environment."""
    return {
        variable: str(assignment.parameters[name])
        for name, parameter in materials.scenario.parameters.items()
        for given, variable in parameter.environment.items()
        if given == role
    }


def script_environment(
    assignment: Assignment,
    target: str,
    *,
    turn: Turn | None,
    shared: Mapping[str, str],
    data_folder: str | None,
    trial_secrets: TrialSecrets,
) -> dict[str, str]:
    """Return the environment of the scenario's scripts.

    Args:
        target: URL of the service.
        turn: of a load that takes turns with another.
        shared: variables that the service and its peers have in common.
        data_folder: folder of the scenario's data; None if it has none.
    """
    parameters = {"kind": assignment.kind, **assignment.parameters}
    if turn is not None:
        parameters["turn"] = turn.index
    environment = {
        "TACHO_TARGET": target,
        "TACHO_PARAMETERS": json.dumps(parameters),
        "TACHO_SEED": str(assignment.seed),
    }
    if "UPSTREAM_URL" in shared:
        environment["TACHO_UPSTREAM"] = shared["UPSTREAM_URL"]
    if data_folder is not None:
        environment["TACHO_DATA"] = data_folder
    own = trial_secrets.for_scripts()
    return environment | {f"TACHO_{name}": value for name, value in own.items()}
