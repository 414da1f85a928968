"""NumPy and SciPy, imported when first used.

Their import takes more CPU time than the rest of the API's start. Import `np`, `special` and
`stats` from here, and the array types for annotations (with `from __future__ import annotations`,
so that `np.int64` in an annotation is not looked up).
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from scipy import special, stats
else:

    class _ImportedOnFirstUse(ModuleType):
        """A stand-in for a module, which it imports when an attribute is first read."""

        def __getattr__(self, name: str) -> object:
            found = getattr(import_module(self.__name__), name)
            # Next time, Python finds it without calling this method.
            self.__dict__[name] = found
            return found

    np = _ImportedOnFirstUse("numpy")
    special = _ImportedOnFirstUse("scipy.special")
    stats = _ImportedOnFirstUse("scipy.stats")

Floats: TypeAlias = "np.typing.NDArray[np.float64]"
Integers: TypeAlias = "np.typing.NDArray[np.int64]"
Indexes: TypeAlias = "np.typing.NDArray[np.intp]"

__all__ = ["Floats", "Indexes", "Integers", "np", "special", "stats"]
