"""The HTTP status of each class of errors."""

import importlib
import pkgutil
from collections.abc import Iterator
from http import HTTPStatus

import backend.core
import backend.platform
from backend.api.http.problems import STATUSES, find_status
from backend.core.errors import Conflict, IdempotencyMismatch, TachoError


def walk_subclasses(base: type[TachoError]) -> Iterator[type[TachoError]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from walk_subclasses(subclass)


def test_every_error_of_core_and_platform_has_a_status() -> None:
    for package in (backend.core, backend.platform):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    reachable = [
        error
        for error in walk_subclasses(TachoError)
        if error.__module__.startswith(("backend.core.", "backend.platform."))
    ]
    assert len(reachable) > len(STATUSES)
    assert [error.__name__ for error in reachable if find_status(error) is None] == []


def test_an_error_has_the_status_of_its_nearest_base_class() -> None:
    assert find_status(IdempotencyMismatch) == STATUSES[Conflict] == HTTPStatus.CONFLICT


def test_an_error_without_a_listed_base_class_has_no_status() -> None:
    class Unforeseen(TachoError):
        """An error that is not in the table."""

    assert find_status(Unforeseen) is None
