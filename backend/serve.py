"""Start the API server. `python -m backend.serve` takes the arguments of uvicorn's command.

Garbage collection is off until the app runs (see `backend.main`). Imported objects are never
garbage, and visiting them took a quarter of the start's CPU time. Pydantic's search for plugins is
off, because it reads the metadata of every installed package.
"""

import gc
import os
import runpy


def main() -> None:
    """Run uvicorn's command in this process."""
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    runpy.run_module("uvicorn", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
