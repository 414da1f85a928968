"""Settings: their values, and their explanations in `.env.example`."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import AliasChoices, ValidationError

from backend.core.config import ROOT, Settings, explain_faults

# Read by the files of Docker Compose alone.
COMPOSE_ONLY = {
    "POSTGRES_PASSWORD",
    "TACHO_DATABASE_PORT",
    "TACHO_REDIS_PORT",
    "TACHO_SERVER_NAME",
}

# Docker Compose sets them itself, or they concern only processes and the embedded servers.
NOT_OF_COMPOSE = {
    "DATABASE_URL",
    "REDIS_URL",
    "TACHO_ALLOW_UNISOLATED",
    "TACHO_CGROUP_ROOT",
    "TACHO_DATA",
    "TACHO_DATABASE_FOLDER",
    "TACHO_RUNTIME",
    "TACHO_SERVICES_DIR",
    "TACHO_SERVICE_ADDRESS",
    "TACHO_TRUST_LOOPBACK",
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use neither the environment of this machine nor a developer's .env."""
    for key in setting_keys():
        monkeypatch.delenv(key, raising=False)
    monkeypatch.chdir(tmp_path)


def setting_keys() -> set[str]:
    """Return the environment variables that Settings reads."""
    keys = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            keys.add(str(alias.choices[0]))
        else:
            keys.add(f"TACHO_{name.upper()}")
    return keys


def example_lines() -> list[str]:
    return (ROOT / ".env.example").read_text().splitlines()


def example_keys() -> set[str]:
    matches = (re.match(r"#?([A-Z][A-Z0-9_]*)=", line) for line in example_lines())
    return {match[1] for match in matches if match}


def test_the_example_file_explains_exactly_the_settings() -> None:
    assert example_keys() - COMPOSE_ONLY == setting_keys()


def test_every_variable_of_the_example_file_has_an_explanation() -> None:
    lines = example_lines()
    for above, line in pairwise(lines):
        if re.match(r"#?[A-Z][A-Z0-9_]*=", line):
            assert re.match(r"# \S", above), f"{line} is not explained"


def test_the_example_file_shows_the_defaults() -> None:
    shown = Settings(_env_file=ROOT / ".env.example", bench_host="here")

    assert shown == Settings(bench_host="here")


def test_docker_compose_passes_every_setting_with_its_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    passed = dict(re.findall(r"\$\{([A-Z0-9_]+):-([^{}]*)\}", text))
    shown = dict(line.split("=", 1) for line in example_lines() if re.match(r"[A-Z0-9_]+=", line))
    settings = example_keys() - COMPOSE_ONLY - NOT_OF_COMPOSE

    # Its default contains another setting.
    assert settings - passed.keys() == {"TACHO_PUBLIC_URL"}
    different = {
        key: (passed[key], shown[key].strip('"'))
        for key in settings & passed.keys() & shown.keys()
        if shown[key] and passed[key] != shown[key].strip('"')
    }
    assert different == {}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("postgres://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        (
            "postgresql://u:p@h:5433/d?sslmode=require",
            "postgresql+psycopg://u:p@h:5433/d?sslmode=require",
        ),
        ("postgresql+psycopg://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("", ""),
    ],
)
def test_a_database_url_has_its_driver(
    monkeypatch: pytest.MonkeyPatch, given: str, read: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", given)

    assert Settings().database_url == read


def test_the_environment_has_precedence_over_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("TACHO_PORT=9001\nTACHO_BENCH_HOST=file\nOTHER=1\n")
    monkeypatch.setenv("TACHO_PORT", "9002")

    settings = Settings()

    assert (settings.port, settings.bench_host) == (9002, "file")


def test_the_data_folder_is_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Settings().data == tmp_path / ".tacho"
    monkeypatch.setenv("TACHO_DATA", "~/tacho")
    assert Settings().data == Path.home() / "tacho"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("TACHO_PORT", "0"),
        ("TACHO_PORT", "65536"),
        ("TACHO_RUNTIME", "podman"),
        ("TACHO_BASES", "alpine"),
        ("TACHO_LOG_LEVEL", "LOUD"),
        ("TACHO_K6_SUMMARY", "perhaps"),
    ],
)
def test_an_invalid_value_is_rejected(
    monkeypatch: pytest.MonkeyPatch, key: str, value: str
) -> None:
    monkeypatch.setenv(key, value)

    with pytest.raises(ValidationError):
        Settings()


def test_cpus_are_lists_or_chosen_by_tacho(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACHO_SERVICE_CPUS", "0-2,5")
    monkeypatch.setenv("TACHO_LOAD_CPUS", "")

    settings = Settings()

    assert (settings.service_cpus, settings.load_cpus) == ((0, 1, 2, 5), None)


@pytest.mark.parametrize("value", [",", "one", "3-1"])
def test_an_invalid_list_of_cpus_is_reported_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TACHO_BACKING_CPUS", value)

    with pytest.raises(ValidationError) as caught:
        Settings()

    message = explain_faults(caught.value)
    assert message.count("TACHO_BACKING_CPUS") == 1
    assert "write a list like 0-2,5" in message


@pytest.mark.parametrize("days", [0, 30, 365])
def test_the_audit_log_is_kept_for_ever_or_for_at_least_30_days(days: int) -> None:
    assert Settings(audit_days=days).audit_days == days


@pytest.mark.parametrize("days", [-1, 1, 29])
def test_recent_entries_of_the_audit_log_cannot_be_deleted(days: int) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(audit_days=days)

    assert "TACHO_AUDIT_DAYS must be 0" in explain_faults(refused.value)


# Settings that are or contain a secret.
SECRETS = {
    "DATABASE_URL": "postgresql://tacho:planted@db/tacho",
    "REDIS_URL": "redis://:planted@broker/0",
    "TACHO_PUBLIC_DATABASE": "postgresql://tacho:planted@db/tacho",
    "TACHO_PUBLIC_REDIS": "redis://:planted@broker/0",
    "TACHO_TOKEN": "planted-for-people",
    "TACHO_METRICS_TOKEN": "planted-for-prometheus",
    "TACHO_BUILD_PROXY": "http://user:planted@10.1.2.3:3128",
    "TACHO_SMTP_URL": "smtp://user:planted@mail.example.org",
    "TACHO_MAIL_FROM": "tacho@example.org",
}


@pytest.mark.usefixtures("oidc")
def test_neither_a_representation_nor_a_fault_contains_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key, value in (SECRETS | {"TACHO_OIDC_CLIENT_SECRET": "planted-for-oidc"}).items():
        monkeypatch.setenv(key, value)

    settings = Settings()

    assert "planted" in settings.database_url
    assert "planted" not in repr(settings) + str(settings)
    monkeypatch.setenv("TACHO_METRICS_TOKEN", "planted-for-people")
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert "planted" not in f"{refused.value!r} {refused.value}"
    message = explain_faults(refused.value)
    assert "TACHO_METRICS_TOKEN must differ from TACHO_TOKEN" in message
    assert "planted" not in message


OIDC = {
    "TACHO_OIDC_ISSUER": "https://login.example.org",
    "TACHO_OIDC_CLIENT_ID": "tacho",
    "TACHO_OIDC_CLIENT_SECRET": "secret",
    "TACHO_PUBLIC_URL": "https://tacho.example.org",
}


@pytest.fixture
def oidc(monkeypatch: pytest.MonkeyPatch) -> None:
    """All settings of single sign-on."""
    for key, value in OIDC.items():
        monkeypatch.setenv(key, value)


@pytest.mark.usefixtures("oidc")
def test_single_sign_on_needs_no_name() -> None:
    assert Settings().oidc_name == "single sign-on"


@pytest.mark.usefixtures("oidc")
@pytest.mark.parametrize("missing", list(OIDC))
def test_a_missing_setting_of_single_sign_on_is_named(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setenv(missing, "")

    with pytest.raises(ValidationError) as refused:
        Settings()

    assert f"{missing} must not be empty for single sign-on" in explain_faults(refused.value)


@pytest.mark.usefixtures("oidc")
def test_the_issuer_must_be_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACHO_OIDC_ISSUER", "login.example.org")

    with pytest.raises(ValidationError) as refused:
        Settings()

    assert "TACHO_OIDC_ISSUER must be a URL such as" in explain_faults(refused.value)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("", ""),
        ("https://tacho.example.org/", "https://tacho.example.org"),
        ("HTTPS://Tacho.Example.org:443", "https://tacho.example.org"),
        ("http://tacho.lan:8000", "http://tacho.lan:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
    ],
)
def test_the_public_url_is_written_as_browsers_write_an_origin(given: str, read: str) -> None:
    assert Settings(public_url=given).public_url == read


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("tacho.example.org", "is not a URL"),
        ("https://", "host name"),
        ("https://tächo.example", "ASCII"),
        ("https://example.org/tacho", "remove the rest"),
        ("https://user@example.org", "remove the rest"),
        ("https://example.org?a", "remove the rest"),
    ],
)
def test_a_public_url_that_is_more_than_an_origin_is_refused(url: str, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(public_url=url)

    message = explain_faults(refused.value)
    assert "TACHO_PUBLIC_URL" in message
    assert words in message


def test_trusted_proxies_are_addresses_and_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACHO_TRUSTED_PROXIES", "127.0.0.1, 10.1.0.0/16,::1,")

    assert Settings().trusted_proxies == ("127.0.0.1", "10.1.0.0/16", "::1")


@pytest.mark.parametrize("given", ["*", "proxy.lan", "10.1.2.3/16", "0.0.0.0/0", "::/0"])
def test_a_trusted_proxy_that_is_wrong_is_reported(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("TACHO_TRUSTED_PROXIES", given)

    with pytest.raises(ValidationError) as refused:
        Settings()

    message = explain_faults(refused.value)
    assert "TACHO_TRUSTED_PROXIES" in message
    assert given in message


def test_builds_may_be_allowed_addresses_networks_and_ports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TACHO_BUILD_ALLOW", "10.1.0.0/16, 10.2.0.7:8081,")

    assert Settings().build_allow == ("10.1.0.0/16", "10.2.0.7:8081")


@pytest.mark.parametrize("given", ["mirror.lan", "10.1.2.3/16", "10.1.2.3:0", "10.1.2.3:x", "::1"])
def test_what_builds_may_not_be_allowed_is_reported(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("TACHO_BUILD_ALLOW", given)

    with pytest.raises(ValidationError) as refused:
        Settings()

    message = explain_faults(refused.value)
    assert "TACHO_BUILD_ALLOW" in message
    assert "10.1.2.3" in message


@pytest.mark.parametrize("url", ["proxy.lan:3128", "https://10.1.2.3:3128", "http://10.1.2.3"])
def test_a_proxy_of_builds_is_an_http_url_with_a_port(url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(build_proxy=url)

    message = explain_faults(refused.value)
    assert "TACHO_BUILD_PROXY" in message
    assert "http://10.1.2.3:3128" in message
