"""`tacho.toml`: what it accepts, and the line, key and fix of every fault."""

from pathlib import Path

import pytest

from backend.core.catalog.own.service_file import ServiceFile, parse_service_file
from backend.core.errors import ManifestInvalid
from backend.core.units import Metric

LEAST = """\
[service]
name = "shop"

[docker]

[loads.main]
http = "loads/main.http"
kind = "rate"
rate_rps = 50
"""


def parse(tmp_path: Path, text: str) -> ServiceFile:
    path = tmp_path / "tacho.toml"
    path.write_text(text)
    return parse_service_file(path)


def test_the_least_file_has_defaults(tmp_path: Path) -> None:
    file = parse(tmp_path, LEAST)

    assert (file.service.port, file.service.ready) == (8080, "/health")
    assert file.guard.minutes == 15
    assert file.loads["main"].limits[Metric.CPU_US_PER_REQUEST] == pytest.approx(0.03)


def test_limits_replace_the_defaults_and_depend_on_the_load(tmp_path: Path) -> None:
    own = parse(tmp_path, LEAST + '[loads.main.worse]\nlatency_p99_ms = "7.5 %"\n')
    saturated = parse(tmp_path, LEAST.replace('"rate"', '"saturate"'))

    assert own.loads["main"].limits == {Metric.LATENCY_P99_MS: pytest.approx(0.075)}
    assert Metric.THROUGHPUT_RPS in saturated.loads["main"].limits


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("name =", "nmae =", "2: service.nmae: is not a known key; did you mean name?"),
        ('"shop"', '"Shop!"', "2: service.name: "),
        ("[docker]", "[dokcer]", "4: dokcer: is not a known key; did you mean docker?"),
        ("[docker]\n", "", "needs a table [docker] or [process]"),
        ("rate_rps", "rate_rp", "9: loads.main.rate_rp: is not a known key; did you mean"),
        ("http =", "description =", "6: loads.main: needs exactly one file of requests"),
        ('http = "loads/main.http"', 'script = "a.js"', "6: loads.main: kind: a script decides"),
        ('"loads/main.http"', '"../secret"', "7: loads.main.http: must be a path inside"),
        ('"rate"', '"fast"', "8: loads.main.kind: "),
        ("50\n", '50\nworse = { latency_p99_ms = "0%" }\n', "must be a percentage above 0"),
        ("50\n", '50\nworse = { latency_p9_ms = "5%" }\n', "did you mean latency_p99_ms?"),
        ("50\n", '50\nworse = { latency_p99_ms = "-5%" }\n', "must be a percentage above 0"),
        ("50\n", '50\nworse = { "script:wait" = "5%" }\n', "needs a load with a k6 script"),
        ("50\n", '50\nworse = { "script:a b" = "5%" }\n', "is not a metric"),
        ("50\n", '50\nworse = { "script:a\\n" = "5%" }\n', "is not a metric"),
        ('"shop"\n', '"shop"\nport = 0\n', "3: service.port: "),
        ('"shop"\n', '"shop"\nready = "health"\n', "3: service.ready: "),
        ('"shop"\n', '"shop"\nenvironment = { "a b" = "x" }\n', "3: service.environment.a b"),
        ("[service]", "[service", "not valid TOML: "),
    ],
)
def test_a_fault_names_line_key_and_fix(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    assert before in LEAST
    with pytest.raises(ManifestInvalid) as raised:
        parse(tmp_path, LEAST.replace(before, after, 1))

    assert message in raised.value.detail


def test_metrics_of_a_script_may_have_limits_in_both_directions(tmp_path: Path) -> None:
    text = LEAST.replace(
        'http = "loads/main.http"\nkind = "rate"\nrate_rps = 50', 'script = "a.js"'
    )
    worse = '[loads.main.worse]\n"script:wait.p95" = "5%"\n"script:orders" = "-10%"\n'

    load = parse(tmp_path, text + worse).loads["main"]

    assert load.limits == {"script:wait.p95": 0.05, "script:orders": 0.1}
    assert load.less_is_worse == {"script:orders"}


def test_a_missing_file_leads_to_the_command_that_writes_it(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="tacho init"):
        parse_service_file(tmp_path / "tacho.toml")


def test_a_file_of_unreasonable_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="shorten it"):
        parse(tmp_path, "#" * 300_000)
