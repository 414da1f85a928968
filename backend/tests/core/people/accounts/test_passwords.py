"""Passwords: hashes differ by salt, wrong passwords fail, and old parameters are noticed."""

import pytest
from argon2 import PasswordHasher

from backend.core.people.accounts import passwords

PASSWORD = "correct horse battery"


def test_a_hash_is_argon2id_with_a_salt_and_does_not_contain_the_password() -> None:
    first, second = passwords.hash_password(PASSWORD), passwords.hash_password(PASSWORD)

    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert first != second
    assert PASSWORD not in first
    assert passwords.is_right(PASSWORD, first)
    assert passwords.is_right(PASSWORD, second)


@pytest.mark.parametrize("given", ["", "correct horse", f"{PASSWORD} ", PASSWORD.upper()])
def test_another_password_is_wrong(given: str) -> None:
    assert not passwords.is_right(given, passwords.hash_password(PASSWORD))


@pytest.mark.parametrize("stored", [None, "", "secret", "$argon2id$v=19$m=1"])
def test_nothing_is_right_without_a_valid_hash(stored: str | None) -> None:
    assert not passwords.is_right("", stored)
    assert not passwords.is_right(PASSWORD, stored)


def test_characters_that_keyboards_encode_differently_are_equal() -> None:
    composed, decomposed = "caf\u00e9 au lait", "cafe\u0301 au lait"

    assert passwords.is_right(decomposed, passwords.hash_password(composed))


def test_a_hash_with_other_parameters_is_right_but_outdated() -> None:
    old = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)

    assert passwords.is_right(PASSWORD, old)
    assert passwords.is_outdated(old)
    assert not passwords.is_outdated(passwords.hash_password(PASSWORD))
