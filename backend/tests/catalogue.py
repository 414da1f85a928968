"""A small catalogue for tests. It is valid until a test changes it."""

from pathlib import Path

FRAMEWORK = """\
slug = "{slug}"
name = "Framework {slug}"
language = "JavaScript"
description = "One of the tests."
concurrency = "event_loop"
licence = "MIT"

[versions]
language = "ES2024"
runtime = "Node.js 24"
framework = "node:http"

[links]
website = "https://example.org"

[docker]
bases = ["node"]

[process]
requires = ["node>=20"]
run = ["{{node}}", "server.js"]

[scenarios.hello]
"""
SCENARIO = """\
slug = "{slug}"
name = "Scenario {slug}"
description = "One of the tests."
path = "/"
backing_services = ["upstream"]

[parameters.delay_ms]
type = "integer"
minimum = 0
maximum = 10000
default = 1000
description = "How long the upstream takes."

[profiles.rate]
kind = "rate"
description = "So many a second."

[profiles.rate.quick]
rate_rps = 200
warm_up_seconds = 3
duration_seconds = 10

[profiles.rate.full]
rate_rps = 400
warm_up_seconds = 30
duration_seconds = 180

[profiles.users]
kind = "users"
description = "So many users."

[profiles.users.quick]
users = 10
pause_ms = 100
warm_up_seconds = 0
duration_seconds = 10

[profiles.users.full]
users = 100
pause_ms = 500
warm_up_seconds = 30
duration_seconds = 180

[profiles.saturate]
kind = "saturate"
description = "As much as goes."

[profiles.saturate.quick]
connections = 50
warm_up_seconds = 3
duration_seconds = 10

[profiles.saturate.full]
connections = 100
warm_up_seconds = 30
duration_seconds = 60

[profiles.steps]
kind = "steps"
description = "More and more."

[profiles.steps.quick]
first_rps = 100
step_rps = 100
steps = 5
step_seconds = 1
success_percent = 90
warm_up_seconds = 3

[profiles.steps.full]
first_rps = 100
step_rps = 100
steps = 20
step_seconds = 180
success_percent = 90
warm_up_seconds = 30

[profiles.count]
kind = "count"
description = "So many."

[profiles.count.quick]
connections = 1
requests = 100
warm_up_seconds = 3
duration_seconds = 10

[profiles.count.full]
connections = 1
requests = 1000
warm_up_seconds = 30
duration_seconds = 60
"""
BACKING_SERVICE = """\
slug = "{slug}"
name = "Backing service {slug}"
description = "One of the tests."
port = 9000
url_variable = "UPSTREAM_URL"

[docker]
bases = ["go"]
"""


def write_framework(root: Path, slug: str, old: str = "", new: str = "") -> Path:
    """Write a framework's manifest with `old` replaced by `new`, and return its path."""
    return _write(root / "frameworks" / "javascript" / slug / "service.toml", FRAMEWORK, old, new)


def write_scenario(root: Path, slug: str = "hello", old: str = "", new: str = "") -> Path:
    """Write a scenario's manifest with `old` replaced by `new`, and return its path."""
    return _write(root / "scenarios" / slug / "scenario.toml", SCENARIO, old, new)


def write_backing_service(root: Path, slug: str = "upstream", old: str = "", new: str = "") -> Path:
    """Write a backing service's manifest with `old` replaced by `new`, and return its path."""
    return _write(root / "backing" / slug / "backing.toml", BACKING_SERVICE, old, new)


def write_services(root: Path, *frameworks: str) -> Path:
    """Write a catalogue with these frameworks, the scenario `hello` and the backing service
    `upstream`."""
    for slug in frameworks:
        write_framework(root, slug)
    write_scenario(root)
    write_backing_service(root)
    (root / "scenarios" / "lib").mkdir(exist_ok=True)
    return root


def _write(path: Path, template: str, old: str, new: str) -> Path:
    text = template.format(slug=path.parent.name)
    assert old in text, f"{old!r} is not in the template"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(old, new, 1) if old else text)
    return path
