"""The frame of a bill of materials in the format CycloneDX."""

from collections.abc import Sequence
from typing import Any


def make_bill(name: str, components: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the bill of an application that contains these components, without time and version.

    Args:
        name: of the application.
        components: each with a `bom-ref`.
    """
    references = [component["bom-ref"] for component in components]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": name, "name": name}},
        "components": list(components),
        "dependencies": [{"ref": name, "dependsOn": references}],
    }
