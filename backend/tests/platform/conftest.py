from pathlib import Path

import pytest

from backend.platform.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """The empty data folder of an installation."""
    layout = Layout(tmp_path / "data")
    layout.make()
    return layout
