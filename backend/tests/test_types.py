"""Types: product code uses `Any` only where data of unknown shape enters."""

import ast
from pathlib import Path

from backend.core.config import ROOT

MAX_ANY = 60
NOT_PRODUCT = {"tests"}


def count_any(source: str) -> int:
    """Return how often a module uses `Any`, also in quotes, without its imports."""
    return sum(
        (isinstance(node, ast.Name) and node.id == "Any")
        or (isinstance(node, ast.Attribute) and node.attr == "Any")
        or (isinstance(node, ast.Constant) and node.value == "Any")
        for node in ast.walk(ast.parse(source))
    )


def test_every_use_of_any_is_counted() -> None:
    source = (
        "from typing import Any\nx: Any = cast('Any', f)\ndef f(a: dict[str, Any]) -> t.Any: ..."
    )

    assert count_any(source) == 4


def test_product_code_rarely_uses_any() -> None:
    found: dict[Path, int] = {}
    for folder in ("backend", "cli", "worker"):
        for path in (ROOT / folder).rglob("*.py"):
            module = path.relative_to(ROOT)
            if not NOT_PRODUCT & set(module.parts):
                found[module] = count_any(path.read_text())

    used = {str(module): count for module, count in found.items() if count}

    assert len(found) > 200
    assert sum(used.values()) <= MAX_ANY, used
