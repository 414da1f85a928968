"""An own service as a catalogue: its manifest, its loads, and faults with their lines."""

from pathlib import Path

import pytest

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import parse_service_file
from backend.core.config import ROOT
from backend.core.errors import ManifestInvalid
from backend.core.units import ProfileKind

DESCRIPTION = """\
[service]
name = "shop"
port = 3000
ready = "/ready"

[docker]

[process]
run = ["./shop"]

[loads.main]
http = "main.http"
kind = "rate"
rate_rps = 50

[loads.steps]
script = "scripts/steps.js"
"""


def open_catalogue(tmp_path: Path, text: str = DESCRIPTION) -> OwnCatalogue:
    folder = tmp_path / "service"
    (folder / "scripts").mkdir(parents=True)
    (folder / "tacho.toml").write_text(text)
    (folder / "main.http").write_text("GET /items\n")
    (folder / "scripts/steps.js").write_text("export default function () {}\n")
    (folder / "scripts/users.json").write_text("[]")
    file = parse_service_file(folder / "tacho.toml")
    return OwnCatalogue(ROOT / "services", file, folder, file, folder, tmp_path / "loads")


def test_a_service_has_its_port_and_all_files_of_its_repository(tmp_path: Path) -> None:
    catalogue = open_catalogue(tmp_path)
    (tmp_path / "service" / "build").mkdir()
    (tmp_path / "service" / "build" / "tracked.txt").write_text("")

    manifest, source = catalogue.get_framework(catalogue.slug)

    assert (manifest.listening_port, manifest.ready_path) == (3000, "/ready")
    assert list(manifest.scenarios) == ["main", "steps"]
    assert "build/tracked.txt" in map(str, source.list_files())


def test_loads_are_scenarios_with_their_scripts(tmp_path: Path) -> None:
    catalogue = open_catalogue(tmp_path)

    main, folder = catalogue.get_scenario("main")
    steps, scripts = catalogue.get_scenario("steps")

    assert (main.path, main.profiles["load"].kind) == ("/items", ProfileKind.RATE)
    assert {"load.js", "verify.js", "responses.js", "requests.js"} <= {
        path.name for path in folder.iterdir()
    }
    assert (steps.path, steps.script) == ("/ready", "script/steps.js")
    assert (scripts / "script/users.json").read_text() == "[]"
    assert (scripts / "../lib/http_file.js").is_file()


def test_equal_files_have_equal_digests_wherever_they_are(tmp_path: Path) -> None:
    first, second = (open_catalogue(tmp_path / name) for name in ("base", "head"))

    assert first.framework_digest("own-shop") == second.framework_digest("own-shop")


def test_a_named_image_is_the_base_of_an_empty_build(tmp_path: Path) -> None:
    text = DESCRIPTION.replace("[docker]\n", '[docker]\nimage = "example.org/shop:1.4"\n')

    _, source = open_catalogue(tmp_path, text).get_framework("own-shop")

    [(name, path)] = source.list_files().items()
    assert (str(name), path.read_text()) == ("Dockerfile", "FROM example.org/shop:1.4\n")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("port = 3000", 'backing = ["mysql"]', "3: service.backing: 'mysql' is not a backing"),
        ("rate_rps = 50", "rate_rps = 0", "14: loads.main.rate_rps: is 0; give 1 to"),
        ("rate_rps = 50", "users = 5", "11: loads.main.rate_rps: is required; add it"),
        ("steps.js", "none.js", "17: loads.steps.script: scripts/none.js does not exist"),
    ],
)
def test_a_fault_names_the_line(tmp_path: Path, before: str, after: str, message: str) -> None:
    catalogue = open_catalogue(tmp_path, DESCRIPTION.replace(before, after))

    with pytest.raises(ManifestInvalid) as raised:
        (catalogue.get_framework("own-shop"), catalogue.get_scenario("main"))

    assert f"tacho.toml:{message}" in raised.value.detail


def test_a_folder_with_too_many_files_is_no_folder_of_a_script(tmp_path: Path) -> None:
    catalogue = open_catalogue(tmp_path)
    for number in range(201):
        (tmp_path / "service" / "scripts" / f"{number}.txt").touch()

    with pytest.raises(ManifestInvalid, match="a folder of its own"):
        catalogue.get_scenario("steps")
