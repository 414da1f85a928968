"""Names: a class name has one meaning in the whole code base."""

import ast
from collections import defaultdict
from pathlib import Path

from backend.core.config import ROOT


def test_every_class_name_is_defined_once() -> None:
    found: dict[str, list[Path]] = defaultdict(list)
    for folder in ("backend", "cli", "tools", "worker"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            module = path.relative_to(ROOT)
            if "tests" in module.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(module)

    repeated = {name: modules for name, modules in found.items() if len(modules) > 1}

    assert repeated == {}
    assert len(found) > 300
