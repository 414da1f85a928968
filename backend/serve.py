"""Start the API server. `python -m backend.serve` takes the arguments of uvicorn's command.

Garbage collection is off until the app runs (see `backend.main`). Imported objects are never
garbage, and visiting them took a quarter of the start's CPU time. Pydantic's search for plugins is
off, because it reads the metadata of every installed package. redis-py does not load the SDK of
OpenTelemetry, which takes 40 ms: `backend.core.tracing` imports it if traces are wanted.
"""

import gc
import os
import runpy
import sys

_SDK_METRICS = "opentelemetry.sdk.metrics"


def prepare() -> None:
    """Make the following imports of the API as cheap as possible."""
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # An import of a module that is None in this table fails, and redis-py then does without it.
    sys.modules[_SDK_METRICS] = None  # type: ignore[assignment]
    import redis  # noqa: F401, PLC0415

    del sys.modules[_SDK_METRICS]


def main() -> None:
    """Run uvicorn's command in this process."""
    prepare()
    runpy.run_module("uvicorn", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
