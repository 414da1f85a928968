"""Refuses paths in modules that handle folders which untrusted code can write.

They use `backend.platform.untrusted_folders` instead. A call with a path that untrusted code cannot
write has a comment with the reason, at the end of its line or on the line above it:
`# trusted path: only Tacho can write its parent`. Above a function, `# trusted paths: <reason>`
holds for all its calls.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Modules and folders of modules that handle builds, caches, logs and folders of trials, and the
# module that writes the settings of parts, which run as another user.
ROOMS = (
    "backend/platform/credentials/part_users.py",
    "worker/cleanup",
    "worker/loadgen/stored.py",
    "worker/runtime/process",
    "worker/runtime/stored.py",
    "worker/verify/attempt.py",
)
# Modules of these folders that get no such folder, with what they read and write instead.
OTHERS = {
    "worker/runtime/process/groups.py": "control groups of the kernel",
    "worker/runtime/process/spawn.py": "processes of the kernel",
    "worker/runtime/process/toolchains.py": "toolchains of this machine",
    "worker/runtime/process/variables.py": "files that the settings of the worker name",
}
_CALLS = frozenset(
    (
        *("open", "read_text", "write_text", "read_bytes", "write_bytes", "touch", "truncate"),
        *("mkdir", "makedirs", "mknod", "mkfifo", "rmdir", "removedirs", "rmtree", "unlink"),
        *("rename", "renames", "move", "symlink", "symlink_to", "hardlink_to", "link"),
        *("chmod", "lchmod", "chown", "lchown", "utime", "setxattr", "copystat", "copymode"),
        *("copy2", "copyfile", "copytree", "copy_to", "extract", "extractall", "unpack_archive"),
        *("exists", "is_file", "is_dir", "is_symlink", "is_mount", "is_fifo", "is_socket"),
        *("stat", "lstat", "access", "samefile", "resolve", "readlink", "realpath"),
        *("iterdir", "glob", "rglob", "iglob", "walk", "fwalk", "scandir", "listdir", "chdir"),
    )
)
# Names that other types have too: only of these modules.
_CALLS_OF = {("os", "remove"), ("os", "replace"), ("shutil", "copy")}
_REASON = re.compile(r"# trusted path: \S.{9,}")
_REASON_OF_FUNCTION = re.compile(r"\s*# trusted paths: \S.{9,}")
_OF_KERNEL = ("/proc/", "/sys/")


def check_repository(root: Path) -> list[str]:
    """Return the findings in all modules of `ROOMS`, as `path:line: message`."""
    missing = [name for name in (*ROOMS, *OTHERS) if not (root / name).exists()]
    findings = [f"tools/lint/untrusted_folders.py: there is no {name}" for name in missing]
    for path in _list_modules(root):
        findings += check_module(path.relative_to(root).as_posix(), path.read_text("utf-8"))
    return findings


def check_module(name: str, text: str) -> list[str]:
    """Return the findings in a module."""
    lines = text.splitlines()
    return [
        f"{name}:{call.lineno}: `{ast.unparse(call.func)}` uses a path. Use "
        "backend.platform.untrusted_folders, or give the reason: `# trusted path: <reason>`"
        for call in _list_calls(ast.parse(text), lines)
        if _uses_path(call) and not _has_reason(call, lines)
    ]


def _list_calls(node: ast.AST, lines: list[str]) -> Iterator[ast.Call]:
    """Yield the calls below a node, without those in functions that have a reason."""
    if isinstance(node, ast.FunctionDef):
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        if first > 1 and _REASON_OF_FUNCTION.match(lines[first - 2]):
            return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _list_calls(child, lines)


def _list_modules(root: Path) -> Iterator[Path]:
    for room in ROOMS:
        found = [root / room] if room.endswith(".py") else sorted((root / room).rglob("*.py"))
        yield from (path for path in found if path.relative_to(root).as_posix() not in OTHERS)


def _uses_path(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in _CALLS_OF:
            return True
        case ast.Attribute(value=ast.Call(func=ast.Name(id="Path"), args=[path])) if (
            ast.unparse(path).lstrip("f'").startswith(_OF_KERNEL)
        ):
            return False
        case ast.Attribute(attr="replace"):
            # Of a path, not of a text, whose method has two arguments.
            return len(call.args) == 1 and not call.keywords
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in _CALLS
    return False


def _has_reason(call: ast.Call, lines: list[str]) -> bool:
    """Return whether the line where the call begins or ends, or a line above, has a reason."""
    assert call.end_lineno is not None
    own = {lines[call.lineno - 1], lines[call.end_lineno - 1]}
    above = lines[call.lineno - 2].strip() if call.lineno > 1 else ""
    texts = [*own, *([above] if above.startswith("#") else [])]
    return any(_REASON.search(text) for text in texts)


if __name__ == "__main__":
    for finding in (findings := check_repository(ROOT)):
        print(finding)
    sys.exit(1 if findings else 0)
