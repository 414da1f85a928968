"""Scenarios that share files through symbolic links have the content, not the path."""

import json

from backend.core.config import ROOT

SCENARIOS = ROOT / "services" / "scenarios"


def test_every_data_file_is_json() -> None:
    paths = sorted(SCENARIOS.glob("*/data/*.json"))
    assert paths
    for path in paths:
        assert json.loads(path.read_text()), path


def test_no_script_is_only_the_path_of_another() -> None:
    texts = {path: path.read_text() for path in SCENARIOS.glob("*/*.js")}
    assert texts
    assert [path for path, text in texts.items() if text.startswith("../")] == []
