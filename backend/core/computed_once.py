"""Values that follow from data which never changes, so that each process computes them once."""

from collections.abc import Callable, Collection, Hashable, Mapping
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ComputedOnce(Generic[K, V]):
    """The values that were used last, by key. Threads can share it.

    Args:
        most: number of values that it holds.
    """

    def __init__(self, most: int) -> None:
        self._values: LRUCache[K, V] = LRUCache(most)
        self._lock = Lock()

    def read(
        self, keys: Collection[K], compute: Callable[[Collection[K]], Mapping[K, V]]
    ) -> dict[K, V]:
        """Return the values of keys. `compute` is called with the keys that it does not hold.

        Two threads that need a value at the same time may both compute it.
        """
        with self._lock:
            found = {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            computed = compute(missing)
            with self._lock:
                self._values.update(computed)
            found.update(computed)
        return found

    def read_one(self, key: K, compute: Callable[[], V]) -> V:
        """Return the value of a key. `compute` is called if it does not hold the value."""
        return self.read([key], lambda _: {key: compute()})[key]
