"""Manifests: an error names the file, the key and the fix."""

from pathlib import Path

import pytest

from backend.core.catalog.manifest import (
    BackingServiceManifest,
    Concurrency,
    FrameworkManifest,
    ScenarioManifest,
    parse_manifest,
)
from backend.core.errors import ManifestInvalid
from backend.core.units import ProfileKind
from backend.tests.catalogue import write_backing_service, write_framework, write_scenario

HELLO = "[scenarios.hello]\n"
WRONG_FRAMEWORKS = [
    ('licence = "MIT"\n', "", "licence: is required; add it"),
    ('runtime = "Node.js 24"\n', "", "versions.runtime: is required; add it"),
    ("licence =", "license =", "license: is not a known field; remove it or correct its spelling"),
    ('bases = ["node"]', 'bases = ["node"]\nimage = "x"', "docker.image: is not a known field"),
    (
        'bases = ["node"]',
        'bases = ["node"]\ndockerfile = "/etc/shadow"',
        "docker.dockerfile: must be a path inside the service's folder",
    ),
    (
        'bases = ["node"]',
        'bases = ["node"]\ndockerfile = "build/../../Dockerfile"',
        "docker.dockerfile: must be a path inside the service's folder",
    ),
    ('"node>=20"', '"node 20"', "process.requires.0: must match the pattern"),
    ('"node>=20"', '"ruby>=3"', "process.requires.0: must match the pattern"),
    ("[scenarios.hello]", "[scenarios.Hello]", "scenarios.Hello.[key]: must match the pattern"),
    (
        'slug = "node"',
        'slug = "nodejs"',
        "slug: is 'nodejs' but the folder is 'node'; make them equal.",
    ),
]
WRONG_TOPOLOGIES = [
    (
        'program = "gateway"',
        "scenarios.hello: program gateway has no table in programs, which has none",
    ),
    (
        'peers = [{ name = "hello", program = "hello-service" }]\n'
        "[programs.gateway.docker]\nbases = []",
        "scenarios.hello: program hello-service has no table in programs, which has gateway",
    ),
    (
        'peers = [{ name = "hello" }, { name = "hello" }]',
        "scenarios.hello.peers: names must differ, also from backing services and from service",
    ),
    (
        'backing_services = ["etcd"]\npeers = [{ name = "etcd" }]',
        "scenarios.hello.peers: names must differ, also from backing services",
    ),
    (
        'peers = [{ name = "service" }]',
        "scenarios.hello.peers: names must differ, also from backing services and from service",
    ),
    ('peers = [{ name = "Hello" }]', "scenarios.hello.peers.0.name: must match the pattern"),
]
WRONG_SCENARIOS = [
    ('path = "/"', 'path = "hello"', "path: must match the pattern"),
    ("warm_up_seconds = 3\n", "", "profiles.rate.quick.warm_up_seconds: is required; add it"),
    ('kind = "rate"', 'kind = "script"', 'profiles.rate.kind: "script" needs a k6 script'),
    (
        'path = "/"',
        'path = "/"\nscript = "main.js"',
        'profiles.rate.kind: must be "script", because main.js sends the load',
    ),
    ('path = "/"', 'path = "/"\nscript = "../main.js"', "script: must be a path inside"),
]


def test_a_valid_framework_manifest_is_read(tmp_path: Path) -> None:
    manifest = parse_manifest(FrameworkManifest, write_framework(tmp_path, "node"))

    assert (manifest.slug, manifest.concurrency) == ("node", Concurrency.EVENT_LOOP)
    assert manifest.mode == "ootb"
    assert manifest.docker.memory_mb == 512
    assert manifest.process is not None
    assert manifest.process.run == ("{node}", "server.js")
    assert list(manifest.scenarios) == ["hello"]


def test_a_valid_topology_is_read(tmp_path: Path) -> None:
    lines = """\
program = "gateway"
backing_services = ["eureka"]
peers = [{ name = "hello", environment = { A = "1" } }, { name = "other", program = "gateway" }]

[programs.gateway.docker]
bases = ["java-run"]
"""
    path = write_framework(tmp_path, "node", HELLO, HELLO + lines)

    manifest = parse_manifest(FrameworkManifest, path)

    topology = manifest.scenarios["hello"]
    assert (topology.program, topology.backing_services) == ("gateway", ("eureka",))
    peers = [(peer.name, peer.program, peer.environment) for peer in topology.peers]
    assert peers == [("hello", None, {"A": "1"}), ("other", "gateway", {})]
    assert [program.docker.bases for program in manifest.all_programs] == [("node",), ("java-run",)]


def test_a_valid_scenario_and_its_backing_service_are_read(tmp_path: Path) -> None:
    scenario = parse_manifest(ScenarioManifest, write_scenario(tmp_path))
    backing_service = parse_manifest(BackingServiceManifest, write_backing_service(tmp_path))

    assert (backing_service.rpc_port, backing_service.url) == (None, "http://{address}")
    kinds = [profile.kind for profile in scenario.profiles.values()]
    assert kinds == [kind for kind in ProfileKind if kind is not ProfileKind.SCRIPT]
    assert scenario.profiles["rate"].quick.timeout_ms == 5000
    assert (backing_service.port, backing_service.url_variable) == (9000, "UPSTREAM_URL")


def check_refused(
    model: type[FrameworkManifest | ScenarioManifest | BackingServiceManifest],
    path: Path,
    expected: str,
) -> None:
    """Check that the error of a manifest names the file, the key and the fix."""
    with pytest.raises(ManifestInvalid) as caught:
        parse_manifest(model, path)

    assert caught.value.detail.startswith(f"{path}: ")
    assert expected in caught.value.detail
    assert caught.value.fields["file"] == str(path)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        *WRONG_FRAMEWORKS,
        *((HELLO, f"{HELLO}{lines}\n", expected) for lines, expected in WRONG_TOPOLOGIES),
    ],
)
def test_an_invalid_framework_manifest_is_reported(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    check_refused(FrameworkManifest, write_framework(tmp_path, "node", old, new), expected)


@pytest.mark.parametrize(("old", "new", "expected"), WRONG_SCENARIOS)
def test_an_invalid_scenario_is_reported(tmp_path: Path, old: str, new: str, expected: str) -> None:
    check_refused(ScenarioManifest, write_scenario(tmp_path, "hello", old, new), expected)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"UPSTREAM_URL"', '"UPSTREAM URL"', "url_variable: must match the pattern"),
        ("[docker]", 'url = "amqp://"\n[docker]', "url: must contain {address}"),
    ],
)
def test_an_invalid_backing_service_is_reported(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    path = write_backing_service(tmp_path, "upstream", old, new)
    check_refused(BackingServiceManifest, path, expected)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'slug = "node\n', "not valid TOML: .*line 1.*Fix the line it names"),
        (b"\xff\xfe", "not valid TOML"),
    ],
)
def test_invalid_toml_is_reported_with_its_line(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "node" / "service.toml"
    path.parent.mkdir()
    path.write_bytes(content)

    with pytest.raises(ManifestInvalid, match=expected) as caught:
        parse_manifest(FrameworkManifest, path)

    assert caught.value.detail.startswith(f"{path}: ")
