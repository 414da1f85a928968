"""Language runtimes get the same settings in both runtimes, by one rule for each."""

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.language_settings import choose_settings, describe_settings
from backend.core.config import ROOT

CATALOGUE = Catalogue(ROOT / "services")


@pytest.mark.parametrize(
    ("cpus", "collector"), [(1, "SerialGC"), (2, "G1GC"), (16, "G1GC")], ids=["1", "2", "16"]
)
def test_the_jvm(cpus: int, collector: str) -> None:
    settings = choose_settings(("java-build", "java-run"), 1024, cpus)

    assert settings == {
        "JAVA_TOOL_OPTIONS": f"-XX:ActiveProcessorCount={cpus} -Xmx512m -XX:+Use{collector}"
    }


def test_node() -> None:
    settings = choose_settings(("node",), 2048, 2)

    assert settings == {"NODE_OPTIONS": "--max-old-space-size=1024 --max-semi-space-size=16"}


@pytest.mark.parametrize("bases", [("go", "static"), ("python",), ("rust-build", "debian"), ()])
def test_others_need_no_settings(bases: tuple[str, ...]) -> None:
    assert choose_settings(bases, 1024, 2) == {}


def test_the_page_of_a_framework_states_the_rule_once() -> None:
    spring, _ = CATALOGUE.get_framework("spring-mvc")

    (rule,) = describe_settings(spring)

    assert "a heap of at most 512 MB, half of the memory" in rule


def test_only_the_rules_set_up_language_runtimes() -> None:
    files = [
        path
        for folder in ("frameworks", "backing")
        for pattern in ("Dockerfile", "*.toml", "*.properties", "*.sh")
        for path in (ROOT / "services" / folder).rglob(pattern)
        if "node_modules" not in path.parts
    ]
    settings = ("JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "GOMAXPROCS", "GOMEMLIMIT", "-Xm", "-XX:+Use")

    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not [word for word in settings if word in text], path
