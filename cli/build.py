"""`tacho build`: build the frontend and the load generator."""

from rich.console import Console

from backend.core.config import ASSETS
from backend.core.errors import TachoError
from backend.platform.frontend_build import ensure_frontend
from backend.platform.layout import Layout
from backend.platform.steps import ProgressSteps
from cli.console import fail, read_settings
from cli.load_generator import LoadGeneratorBuilder

# The name of the step.
FRONTEND = "Frontend"


def build_frontend(layout: Layout, steps: ProgressSteps) -> None:
    """Build the frontend if it has changed since the last build.

    Raises:
        TachoError: Node is missing, or the build failed; the detail shows its last lines.
    """
    with steps.step("Building the frontend", FRONTEND) as step:
        built = ensure_frontend(ASSETS / "frontend", layout.logs / "frontend.log", step.stage)
        step.note = "built" if built else "unchanged"


def run() -> None:
    """Build the frontend and the load generator, unless they are up to date."""
    layout, console = Layout(read_settings().data), Console(highlight=False)
    load_generator = LoadGeneratorBuilder(layout, console)
    try:
        layout.make()
        load_generator.start()
        build_frontend(layout, ProgressSteps(console))
        load_generator.wait()
    except TachoError as error:
        load_generator.stop()
        fail(error.detail)
