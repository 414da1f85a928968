"""Computes the environment variables of services and scripts: secrets, parameters, addresses."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worker.stages.assignment import Assignment
from worker.stages.build import Materials
from worker.stages.parts import SERVICE


@dataclass(frozen=True)
class TrialSecrets:
    """The secrets of a trial by variable. They cannot be derived without the trial's id.

    Attributes:
        shared: for the service, its peers and the scripts.
        peers: for all peers and the scripts.
        parts: for a single service and the scripts, by the service's name.
    """

    shared: Mapping[str, str]
    peers: Mapping[str, str]
    parts: Mapping[str, Mapping[str, str]]

    def for_scripts(self) -> dict[str, str]:
        """Return all secrets by unique name: a peer's own variables get its name as prefix."""
        own = {
            variable if part == SERVICE else f"{prefix_of(part)}_{variable}": value
            for part, secrets in self.parts.items()
            for variable, value in secrets.items()
        }
        return {**self.shared, **self.peers, **own}


def make_secrets(assignment: Assignment, materials: Materials) -> TrialSecrets:
    """Return the secrets that the scenario declares."""
    scenario = materials.scenario
    parts = {SERVICE: _derive(assignment, scenario.part_secrets)}
    for peer, _ in materials.peers:
        own = _derive(assignment, [f"{peer.name}/{name}" for name in scenario.part_secrets])
        parts[peer.name] = dict(zip(scenario.part_secrets, own.values(), strict=True))
    return TrialSecrets(
        shared=_derive(assignment, scenario.secrets),
        peers=_derive(assignment, scenario.peer_secrets),
        parts=parts,
    )


def _derive(assignment: Assignment, variables: Iterable[str]) -> dict[str, str]:
    return {
        variable: hashlib.sha256(f"{assignment.trial_id}/{variable}".encode()).hexdigest()
        for variable in variables
    }


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
    assignment: Assignment, target: str, shared: Mapping[str, str], secrets: TrialSecrets
) -> dict[str, str]:
    """Return the environment of the scenario's scripts.

    Args:
        target: URL of the service.
        shared: variables that the service and its peers have in common.
    """
    environment = {
        "TACHO_TARGET": target,
        "TACHO_PARAMETERS": json.dumps({"kind": assignment.kind, **assignment.parameters}),
        "TACHO_SEED": str(assignment.seed),
    }
    if "UPSTREAM_URL" in shared:
        environment["TACHO_UPSTREAM"] = shared["UPSTREAM_URL"]
    if "DATA_DIR" in shared:
        environment["TACHO_DATA"] = shared["DATA_DIR"]
    return environment | {f"TACHO_{name}": value for name, value in secrets.for_scripts().items()}
