"""`tacho build`: build the frontend and the load generator."""

from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from rich.console import Console

from backend.core.config import ASSETS
from backend.core.errors import TachoError
from backend.platform.frontend_build import ensure_frontend
from backend.platform.layout import Layout
from backend.platform.steps import ProgressSteps
from backend.platform.tools import get_tool, module_go
from cli.console import fail, read_settings
from worker.loadgen.build import SOURCE, ensure_k6

_SHOWN_EVERY_S = 0.5


def build_all(layout: Layout, steps: ProgressSteps) -> Path:
    """Build what changed since the last build, and return the path of the load generator.

    Raises:
        TachoError: a toolchain is missing, or a build failed; the detail shows its last lines.
    """
    go = get_tool(module_go(SOURCE)).path
    progress = [""]
    # In parallel, because npm waits for the network while Go compiles.
    pool = ThreadPoolExecutor(1)
    try:
        load_generator = pool.submit(ensure_k6, layout.data, go, progress.append)
        with steps.step("Building the frontend", "Frontend") as step:
            built = ensure_frontend(ASSETS / "frontend", layout.logs / "frontend.log", step.stage)
            step.note = "built" if built else "unchanged"
        with steps.step("Building the load generator", "Load generator") as step:
            while not load_generator.done():
                step.stage(progress[-1])
                wait([load_generator], timeout=_SHOWN_EVERY_S)
            return load_generator.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run() -> None:
    """Build the frontend and the load generator, unless they are up to date."""
    layout = Layout(read_settings().data)
    try:
        layout.make()
        build_all(layout, ProgressSteps(Console(highlight=False)))
    except TachoError as error:
        fail(error.detail)
