"""Secrets are removed from text, in every spelling in which logs and documents can hold them."""

import json
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from backend.core.changes.webhooks.signature import new_secret
from backend.core.people.access.keys import make_token
from backend.platform.diagnosis.redaction import REMOVED, Redaction, describe_url, find_secrets

PASSWORD = 'p/ä"ss word@1'


@pytest.mark.parametrize(
    "text",
    [
        f"the password is {PASSWORD}.",
        "postgresql://tacho:p%2F%C3%A4%22ss%20word%401@db/tacho",
        json.dumps({"detail": f"{PASSWORD} is wrong"}),
        json.dumps({"detail": f"{PASSWORD} is wrong"}, ensure_ascii=False),
        repr({"detail": f"it's {PASSWORD}"}),
    ],
)
def test_a_known_secret_is_removed_in_every_spelling(text: str) -> None:
    cleaned = Redaction([PASSWORD]).clean(text)

    assert REMOVED in cleaned
    assert "ss" not in cleaned.replace("postgresql", "").replace("password is", "")


def test_a_short_secret_is_removed_as_a_word() -> None:
    assert Redaction(["abc"]).clean("abc, abcdef and abc") == f"{REMOVED}, abcdef and {REMOVED}"


@pytest.mark.parametrize(
    "text",
    [
        "redis://:s3cret@127.0.0.1:6379/0",
        "smtps://ann:s3cret@mail.example",
        "Authorization: Bearer s3cret",
        "authorization: basic s3cret",
        '{"password": "s3cret"}',
        "TACHO_TOKEN=s3cret",
        "requirepass: s3cret",
        "Cookie: tacho_session=s3cret",
        "-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----",
    ],
)
def test_unknown_secrets_are_found_by_their_surroundings(text: str) -> None:
    cleaned = Redaction([]).clean(text)

    assert "s3cret" not in cleaned
    assert REMOVED in cleaned


@pytest.mark.parametrize("make", [make_token, new_secret, lambda: "aB3" * 14])
def test_keys_are_found_by_their_form(make: Callable[[], str]) -> None:
    secret = make()

    assert Redaction([]).clean(f"used {secret} twice") == f"used {REMOVED} twice"


def test_people_are_not_named() -> None:
    assert Redaction([]).clean("ann.b@example.org signed in") == "[e-mail] signed in"


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-25 04:00:00,000 INFO worker.bench_host.app: bench host bench-01, runtime process",
        "run k3v9q2mx4d finalized",
        "urn:uuid:6f1c6f0e-3d0c-4b0a-9a55-3c1f6f2f9a10",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        'File "/opt/tacho/worker/runtime/process/disk_watch.py", line 44, in check',
        "GET http://127.0.0.1:8000/api/v1/health",
    ],
)
def test_harmless_text_stays(text: str) -> None:
    assert Redaction(["hunter2"]).clean(text) == text


def test_documents_keep_their_form() -> None:
    document: JsonValue = {
        "hosts": [{"name": "bench-01", "n": 3}],
        "at": None,
        "url": "redis://:a1@h/0",
    }

    assert Redaction([]).clean_document(document) == {
        "hosts": [{"name": "bench-01", "n": 3}],
        "at": None,
        "url": f"redis://{REMOVED}@h/0",
    }


def test_secrets_of_variables_are_found_by_their_names() -> None:
    found = find_secrets(
        {
            "TACHO_TOKEN": "t0ken",
            "DATABASE_URL": "postgresql://u:p%40ss@h/d",
            "TACHO_PORT": "8000",
            "POSTGRES_PASSWORD": "",
            "TACHO_SMTP_URL": None,
        }
    )

    assert found == {"t0ken", "p%40ss", "p@ss"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", ""),
        ("postgresql+psycopg://u:p@db:5432/n?sslpassword=x", "postgresql+psycopg://db:5432"),
        ("redis://:p@h/0", "redis://h"),
        ("postgresql://u:p@h:port/d", "(not a URL)"),
    ],
)
def test_a_url_shows_only_its_server(url: str, shown: str) -> None:
    assert describe_url(url) == shown
