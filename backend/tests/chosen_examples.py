"""Some of the example data. All of it takes half a minute to load, most of it for the schedule."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backend.core.config import ROOT, get_settings
from backend.core.operations.examples.service import FOLDER

SMALLEST = "communication-patterns"
WITH_STEPS = "jvm-backend-services"
STUDIES = (
    SMALLEST,
    WITH_STEPS,
    "nest-spring-micro",
    "streaming-example",
    "wrk-flavours",
)


@contextmanager
def choose_examples(folder: Path, *names: str) -> Iterator[None]:
    """Let the installation have only these examples. `folder` is empty."""
    (folder / FOLDER).mkdir(parents=True)
    for name in names:
        file = FOLDER / f"{name}.json.gz"
        (folder / file).symlink_to(ROOT / "services" / file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACHO_SERVICES_DIR", str(folder))
        get_settings.cache_clear()
        yield
    get_settings.cache_clear()
