"""The settings of language runtimes: one rule per runtime, for all services and backing services.

The rules make a runtime behave alike in Docker and as a process, where it sees no limit of memory,
and on all hosts with as many CPUs. A runtime that needs no settings for that gets none.
`services/CONTRACT.md` gives the reasons.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from backend.core.catalog.manifest import ServiceManifest

# Node.js's documented default on 64-bit systems. V8 reduces it if it sees little memory.
_SEMI_SPACE_MB = 16


@dataclass(frozen=True)
class _Rule:
    """The rule of a runtime.

    Attributes:
        describe: returns the rule in words, given the heap (MB).
        choose: returns environment variables, given the heap (MB) and the number of CPUs.
    """

    describe: Callable[[int], str]
    choose: Callable[[int, int], dict[str, str]]


def choose_settings(bases: Collection[str], memory_mb: int, cpus: int) -> dict[str, str]:
    """Return the environment variables that set up a program's language runtime.

    Options on the command line of a program override them.

    Args:
        bases: the base images of the program; one of them names its runtime.
        memory_mb: the program's limit of memory.
        cpus: the number of CPUs on which it runs.
    """
    chosen: dict[str, str] = {}
    for rule in _list_rules(bases):
        chosen |= rule.choose(_limit_heap(memory_mb), cpus)
    return chosen


def describe_settings(manifest: ServiceManifest) -> list[str]:
    """Return the rules that apply to a framework's programs, in words, each once."""
    found = [
        rule.describe(_limit_heap(program.docker.memory_mb))
        for program in manifest.all_programs
        for rule in _list_rules(program.docker.bases)
    ]
    return list(dict.fromkeys(found))


def _list_rules(bases: Iterable[str]) -> list[_Rule]:
    return [_RULES[base] for base in bases if base in _RULES]


def _limit_heap(memory_mb: int) -> int:
    """Return the largest heap (MB): half of the memory.

    The JVM permits direct buffers of the same size next to the heap, and also needs memory for
    code, classes and the stacks of threads.
    """
    return memory_mb // 2


def _choose_for_java(heap_mb: int, cpus: int) -> dict[str, str]:
    # The collectors that the JVM itself chooses if it has enough memory.
    collector = "Serial" if cpus == 1 else "G1"
    options = f"-XX:ActiveProcessorCount={cpus} -Xmx{heap_mb}m -XX:+Use{collector}GC"
    return {"JAVA_TOOL_OPTIONS": options}


def _choose_for_node(heap_mb: int, _cpus: int) -> dict[str, str]:
    sizes = f"--max-old-space-size={heap_mb} --max-semi-space-size={_SEMI_SPACE_MB}"
    return {"NODE_OPTIONS": sizes}


def _describe_java(heap_mb: int) -> str:
    return (
        f"JVM: a heap of at most {heap_mb} MB, half of the memory; as many CPUs as the service "
        "has; the serial collector on one CPU, G1 on more"
    )


def _describe_node(heap_mb: int) -> str:
    return (
        f"Node.js: an old generation of at most {heap_mb} MB, half of the memory, and semi-spaces "
        f"of at most {_SEMI_SPACE_MB} MB"
    )


def _set_nothing(description: str) -> _Rule:
    return _Rule(lambda _heap_mb: description, lambda _heap_mb, _cpus: {})


# By the base image that only programs on this runtime have.
_RULES: Mapping[str, _Rule] = {
    "java-run": _Rule(_describe_java, _choose_for_java),
    "node": _Rule(_describe_node, _choose_for_node),
    "go": _set_nothing("Go: no settings; GOMAXPROCS is the number of CPUs that the service has"),
    "python": _set_nothing("Python: no settings"),
    "rust-build": _set_nothing("Rust: no settings; Tokio has a thread for each CPU of the service"),
}
