"""Build Vale from source, once for each state of `vale/`, and run it."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from backend.platform.tools import get_tool

ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("vale.ini")
_MODULE = Path(__file__).with_name("vale")
_COMMAND = "github.com/vale-cli/vale/v3/cmd/vale"

# Vale links parsers of programming languages that need a C compiler. The checks hand it Markdown
# only, so empty packages replace them and Go alone can build Vale.
_PARSER = """package sitter

import "context"

type (
	Language    struct{}
	Point       struct{ Row, Column uint32 }
	Node        struct{}
	Tree        struct{}
	Parser      struct{}
	Query       struct{}
	QueryCursor struct{}
	Capture     struct {
		Index uint32
		Node  *Node
	}
	Match struct{ Captures []Capture }
)

func (*Node) Content([]byte) string { return "" }
func (*Node) StartPoint() Point     { return Point{} }
func (*Tree) RootNode() *Node       { return nil }
func NewParser() *Parser            { return nil }
func (*Parser) SetLanguage(*Language) {}
func (*Parser) ParseCtx(context.Context, *Tree, []byte) (*Tree, error) {
	panic("this Vale reads no programming languages")
}
func NewQuery([]byte, *Language) (*Query, error)                  { return nil, nil }
func (*Query) CaptureNameForId(uint32) string                     { return "" }
func NewQueryCursor() *QueryCursor                                { return nil }
func (*QueryCursor) Exec(*Query, *Node)                           {}
func (*QueryCursor) NextMatch() (*Match, bool)                    { return nil, false }
func (*QueryCursor) FilterPredicates(match *Match, _ []byte) *Match { return match }
"""
_GRAMMAR = """package {name}

import sitter "github.com/smacker/go-tree-sitter"

func GetLanguage() *sitter.Language {{ return nil }}
"""
_GRAMMARS = (
    *("bash", "c", "cpp", "css", "elixir", "elm", "golang", "java", "javascript", "lua", "php"),
    *("protobuf", "python", "ruby", "rust", "typescript/tsx", "typescript/typescript", "yaml"),
)


@dataclass(frozen=True, order=True)
class ProseFinding:
    """A place in a file that breaks a rule."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


def ensure_vale() -> Path:
    """Return the path of the Vale binary and build it first if it is not in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacho" / "vale"
    parts = [(_MODULE / name).read_text() for name in ("go.mod", "go.sum")]
    digest = hashlib.sha256("\0".join([*parts, _PARSER, _GRAMMAR, *_GRAMMARS]).encode())
    binary = cache / digest.hexdigest()[:32] / "vale"
    if not binary.exists():
        binary.parent.mkdir(parents=True, exist_ok=True)
        with binary.with_name("lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not binary.exists():
                _build(binary)
    return binary


def _build(binary: Path) -> None:
    go = get_tool("go>=1.25").path
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    with tempfile.TemporaryDirectory(dir=binary.parent) as scratch:
        module = Path(scratch)
        for name in ("go.mod", "go.sum"):
            shutil.copy(_MODULE / name, module)
        _write_package(module / "tree-sitter", "github.com/smacker/go-tree-sitter", _PARSER)
        for grammar in _GRAMMARS:
            _write_grammar(module / "tree-sitter" / grammar)
        julia = "module github.com/jdkato/go-tree-sitter-julia\n"
        _write_grammar(module / "julia" / "julia")
        (module / "julia" / "go.mod").write_text(julia)
        subprocess.run(
            [go, "build", "-trimpath", "-ldflags=-s -w", "-o", "built", _COMMAND],
            cwd=module,
            env=environment,
            check=True,
        )
        (module / "built").rename(binary)


def _write_package(folder: Path, module: str, source: str) -> None:
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text(f"module {module}\n")
    (folder / "package.go").write_text(source)


def _write_grammar(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "grammar.go").write_text(_GRAMMAR.format(name=folder.name))


def run_vale(texts: dict[str, str]) -> list[ProseFinding]:
    """Return the findings in Markdown texts, given by the path of the file they come from."""
    binary = ensure_vale()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path, text in texts.items():
            target = folder / f"{path}.md"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        result = subprocess.run(
            [binary, f"--config={CONFIG}", "--output=JSON", "--no-exit", "."],
            cwd=folder,
            env=os.environ | {"XDG_CONFIG_HOME": scratch, "XDG_DATA_HOME": scratch},
            capture_output=True,
            text=True,
            check=False,
        )
    if result.returncode != 0:
        raise RuntimeError(f"Vale failed: {result.stdout}{result.stderr}")
    return sorted(
        ProseFinding(
            os.path.normpath(path).removesuffix(".md"),
            alert["Line"],
            alert["Check"].removeprefix("Tacho."),
            alert["Message"].replace("|", "' or '"),
        )
        for path, alerts in json.loads(result.stdout or "{}").items()
        for alert in alerts
    )
