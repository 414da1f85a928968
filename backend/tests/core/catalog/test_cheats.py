"""Reading the gallery of cheats, which the catalogue keeps apart from frameworks."""

from pathlib import Path

import pytest

from backend.core.catalog.cheats import CatchingCheck, read_gallery
from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.core.errors import ManifestInvalid
from backend.tests.catalogue import FRAMEWORK, write_services

_CHEAT = """\
name = "Wrong"
scenario = "hello"
description = "Answers wrong."
caught_by = ["wrong_answers"]
"""


def write_gallery(root: Path, cheat: str = _CHEAT) -> Path:
    """Write a gallery of the cheat `wrong` and return its folder."""
    folder = root / "reference" / "cheats"
    (folder / "manifests").mkdir(parents=True)
    peer = 'peers = [{ name = "second", environment = { A = "1" } }]'
    (folder / "cheats.toml").write_text(f"{FRAMEWORK.format(slug='cheats')}{peer}\n")
    (folder / "manifests" / "wrong.toml").write_text(cheat)
    return folder


def test_the_gallery_has_enough_cheats_of_every_scenario() -> None:
    gallery = Catalogue(ROOT / "services").gallery

    assert gallery is not None
    manifests = [cheat.manifest for cheat in gallery.cheats.values()]
    assert len(manifests) >= 24
    assert {manifest.scenario for manifest in manifests} == set(gallery.honest.scenarios)
    assert {check for manifest in manifests for check in manifest.caught_by} == set(CatchingCheck)


def test_service_and_peers_of_a_cheat_know_it(tmp_path: Path) -> None:
    gallery = read_gallery(write_gallery(tmp_path))

    scenario = gallery.cheats["wrong"].framework.scenarios["hello"]
    assert scenario.environment == {"CHEAT": "wrong"}
    assert scenario.peers[0].environment == {"A": "1", "CHEAT": "wrong"}
    assert gallery.honest.scenarios["hello"].environment == {}


def test_all_cheats_share_one_program(tmp_path: Path) -> None:
    write_services(tmp_path, "a")
    write_gallery(tmp_path)
    catalogue = Catalogue(tmp_path)

    honest, cheating = catalogue.get_framework("cheats"), catalogue.get_framework("wrong")
    assert honest[0].slug == cheating[0].slug == "cheats"
    assert honest[1] == cheating[1]
    assert list(catalogue.frameworks) == ["a"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('caught_by = ["wrong_answers"]', "", "caught_by"),
        ("wrong_answers", "luck", "caught_by"),
        ('scenario = "hello"', "", "scenario"),
        ('"hello"', '"chain"', "scenario: 'chain' is not a scenario of the program"),
    ],
)
def test_a_cheat_names_its_scenario_and_its_check(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    folder = write_gallery(tmp_path, _CHEAT.replace(old, new))

    with pytest.raises(ManifestInvalid, match=rf"wrong\.toml: {expected}"):
        read_gallery(folder)
