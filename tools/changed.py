"""Lint the changed files and run the tests nearest to them: `make test-fast`.

A test is near a changed file if few imports lead from the test to it. Almost every test reaches
almost every module in the end, because the app imports them all, so the tests that all imports
reach are the whole suite.
"""

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

import grimp

from tools.prose.areas import check, list_files

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("backend", "cli", "tools", "worker")
# The most imports between a test and a changed file, and the most files with tests in a run.
STEPS = 2
MOST = 20
# The tests of files that are not imported.
TESTS_OF_FOLDERS = {
    "docs": ["backend/tests/test_docs.py"],
    "migrations": ["backend/tests/core/operations"],
    "services": ["backend/tests/core/catalog"],
}

TOOL = (sys.executable, "-m", "backend.platform.tools")
NPX = (*TOOL, "npm", "exec", "--offline", "--")
K6 = "worker/loadgen/k6"

Graph = Mapping[str, set[str]]


def main(arguments: Sequence[str]) -> int:
    """Run all checks of the changed files, and return 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="main", help="a branch or commit to compare with")
    paths = list_changed(parser.parse_args(arguments).base)
    print(f"{len(paths)} changed files")
    return max([_check_prose(paths), *map(_run, list_commands(paths))], default=0)


def list_changed(base: str) -> list[str]:
    """Return the files that differ from where this branch left `base`, and new files."""
    left = _git("merge-base", "HEAD", base) or ["HEAD"]
    changed = _git("diff", "--name-only", "--diff-filter=d", left[0])
    return sorted({*changed, *_git("ls-files", "--others", "--exclude-standard")})


def list_commands(paths: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the commands that check these files, each with its folder; fast commands come first."""
    python = [path for path in paths if path.endswith(".py")]
    if python:
        ruff = str(Path(sys.executable).with_name("ruff"))
        yield ".", [ruff, "check", *python]
        yield ".", [ruff, "format", "--check", *python]
    frontend = [path.removeprefix("frontend/") for path in paths if path.startswith("frontend/")]
    scripts = [path for path in frontend if PurePath(path).suffix in {".ts", ".tsx"}]
    if frontend:
        yield "frontend", [*NPX, "prettier", "--check", "--ignore-unknown", *frontend]
    if scripts:
        yield "frontend", [*NPX, "eslint", "--max-warnings", "0", *scripts]
        yield "frontend", [*NPX, "vitest", "related", "--run", *scripts]
    if any(path.startswith(f"{K6}/") for path in paths):
        yield K6, [*TOOL, "go>=1.25", "test", "-trimpath", "./..."]
    tests = find_tests(paths)
    if tests:
        yield ".", [sys.executable, "-m", "pytest", "-q", "-n", "2", *tests]


def find_tests(paths: Iterable[str]) -> list[str]:
    """Return the files or folders with the tests nearest to changed files, nearest first."""
    paths = list(paths)
    found = [
        test
        for folder, tests in TESTS_OF_FOLDERS.items()
        if any(path.startswith(f"{folder}/") for path in paths)
        for test in tests
    ]
    changed = [name_module(path) for path in paths if path.endswith(".py")]
    if changed:
        near = [path for path in find_near(changed, read_imports()) if "/acceptance/" not in path]
        if len(near) > MOST:
            print(f"{len(near)} files of tests are near; these are the nearest {MOST}.")
        found += near[:MOST]
    return found


def find_near(changed: Iterable[str], graph: Graph) -> list[str]:
    """Return the files with tests that reach a changed module, nearest first.

    Args:
        graph: the modules that import each module.
    """
    reached, front = set[str](), set(changed)
    found: list[str] = []
    for _ in range(STEPS + 1):
        tests = (name for name in front if name.rpartition(".")[2].startswith("test_"))
        found += sorted(f"{name.replace('.', '/')}.py" for name in tests)
        reached |= front
        front = {importer for name in front for importer in graph.get(name, ())} - reached
    return found


def read_imports() -> dict[str, set[str]]:
    """Return the modules that import each module, with the tests."""
    graph = grimp.build_graph(*PACKAGES)
    importers = {name: graph.find_modules_that_directly_import(name) for name in graph.modules}
    files = [path for package in PACKAGES for path in Path(ROOT, package).glob("tests/**/*.py")]
    tests = {name_module(str(path.relative_to(ROOT))): path for path in files}
    known = {*importers, *tests}
    for name, path in tests.items():
        for imported in list_imports(path.read_text()) & known - {name}:
            importers.setdefault(imported, set()).add(name)
    return importers


def list_imports(source: str) -> set[str]:
    """Return the names that a module imports, and the modules that they come from."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def name_module(path: str) -> str:
    """Return the name of the module in a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _check_prose(paths: Iterable[str]) -> int:
    areas = {path for files in list_files().values() for path in files}
    findings = check(areas & set(paths))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def _run(command: tuple[str, Sequence[str]]) -> int:
    folder, words = command
    print("+", *words, flush=True)
    # Go then uses the packages that it has compiled for `make test`.
    environment = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(words, cwd=ROOT / folder, env=environment, check=False)
    return int(done.returncode != 0)


def _git(*words: str) -> list[str]:
    done = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
