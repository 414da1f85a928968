"""`tacho init` detects the parts of small repositories."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from backend.core.catalog.own.detection import detect
from backend.core.catalog.own.service_file import parse_service_file
from cli.init import render_service_file

Files = Mapping[str, str]
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<artifactId>orders</artifactId><version>${revision}</version>
<properties><revision>1.2</revision><java.version>17</java.version></properties>
<dependencies><dependency><artifactId>DEPENDENCY</artifactId></dependency></dependencies>
</project>"""
PACKAGE = '{"name": "@a/My API", "scripts": {"start": "node server.js"}}'
TSC = '{"scripts": {"start": "A=1 node .", "build": "tsc"}, "engines": {"node": ">= 20.1 < 23"}}'
MODULE = "module example.org/shop/v2\n\ngo 1.23.1\n"
FASTAPI = '[project]\nname = "cars"\nrequires-python = "<4,>=3.12"\ndependencies = ["fastapi"]'
CARGO = '[package]\nname = "cars"\nrust-version = "1.85"\n[[bin]]\nname = "api"\n'
VENV = "{python} -m venv .venv; .venv/bin/python -m pip install --quiet"
UVICORN = 'sh -c exec .venv/bin/python -m uvicorn a.main:app --host "$HOST" --port "$PORT"'
FLASK = 'sh -c exec .venv/bin/python -m flask --app app:app run --host "$HOST" --port "$PORT"'
MAVEN = ("orders", "java>=17 mvn", "{mvn} -q -DskipTests package")
JAVA = 'sh -c exec "{java}"'
SPRING = '-jar target/orders-1.2.jar --server.address="$HOST" --server.port="$PORT"'
VARIABLES = '-Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT"'
QUARKUS = f"{VARIABLES} -jar target/quarkus-app/quarkus-run.jar"
COMPOSE = "services:\n  db:\n    ports: [1]\n  web:\n    build: .\n    ports:\n      - 80:9000\n"


def write(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        path = folder / "My_Repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "My_Repository"


def with_dependency(name: str) -> Files:
    return {"pom.xml": POM.replace("DEPENDENCY", name)}


@pytest.mark.parametrize(
    ("files", "name", "requires", "build", "run"),
    [
        (
            {"package.json": PACKAGE, "package-lock.json": "{}"},
            *("my-api", "node npm", "{npm} ci", "{node} server.js"),
        ),
        (
            {"package.json": TSC},
            *("my-repository", "node>=20.1 npm", "{npm} install; {npm} run build", "{npm} start"),
        ),
        (
            {"go.mod": MODULE, "main.go": "package main\n"},
            *("shop", "go>=1.23.1", "{go} build -o service .", "./service"),
        ),
        (
            {"go.mod": "module shop\n", "cmd/api/x.go": "package main\n", "service/a.go": ""},
            *("shop", "go", "{go} build -o service.bin ./cmd/api", "./service.bin"),
        ),
        ({"pom.xml": POM}, *MAVEN, "{java} -jar target/orders-1.2.jar"),
        (with_dependency("spring-boot-starter-web"), *MAVEN, f"{JAVA} {SPRING}"),
        (with_dependency("quarkus-rest"), *MAVEN, f"{JAVA} {QUARKUS}"),
        (
            {"pyproject.toml": FASTAPI, "a/main.py": "app: FastAPI = FastAPI()\n"},
            *("cars", "python>=3.12", f"{VENV} .", UVICORN),
        ),
        (
            {"requirements.txt": "Flask==3.1\n", "app.py": "app = Flask(__name__)\n"},
            *("my-repository", "python", f"{VENV} -r requirements.txt", FLASK),
        ),
        (
            {"Cargo.toml": CARGO, "Cargo.lock": "", "package.json": "{}"},
            *("cars", "cargo>=1.85", "{cargo} build --release --locked", "target/release/api"),
        ),
    ],
)
def test_a_manifest_shows_how_the_service_is_built_and_started(
    tmp_path: Path, files: Files, name: str, requires: str, build: str, run: str
) -> None:
    detected = detect(write(tmp_path, files))

    assert (detected.name, detected.docker, detected.ready) == (name, False, None)
    assert (process := detected.process) is not None
    assert " ".join(process.requires) == requires
    assert "; ".join(" ".join(command) for command in process.build) == build
    assert " ".join(process.run) == run
    assert len(process.run) == (3 if run.startswith("sh -c ") else len(run.split()))
    assert ("$PORT" in run) != any("listen on the port PORT" in note for note in detected.notes)
    file = tmp_path / "tacho.toml"
    file.write_text(render_service_file(detected, name=name, port=80, ready="/", schema_url="a/"))
    assert file.read_text().startswith("#:schema a/tacho.schema.json\n")
    assert parse_service_file(file).process == process


@pytest.mark.parametrize(
    ("files", "port", "ready"),
    [
        ({"Dockerfile": "FROM a\nEXPOSE 1\nFROM b\nexpose 9000/tcp 9001\n"}, 9000, None),
        ({"Dockerfile": "FROM a\nENV PORT=3000\nEXPOSE $PORT\n"}, 3000, None),
        ({"Dockerfile.prod": "EXPOSE 1\n", "compose.yaml": COMPOSE}, 9000, None),
        ({"src/a.go": 'x.Handle("GET /healthz", y)', "src/b.js": "get('/ready')"}, None, "/ready"),
        ({"src/a.py": '"/healthy"', "node_modules/a.js": "'/health'"}, None, None),
        ({"a.py": "'/health'" + " " * 205_000}, None, None),
        (with_dependency("spring-boot-starter-actuator"), None, "/actuator/health"),
    ],
)
def test_files_name_the_port_and_the_path_for_readiness(
    tmp_path: Path, files: Files, port: int | None, ready: str | None
) -> None:
    detected = detect(write(tmp_path, files))

    assert (detected.port, detected.ready, detected.docker) == (port, ready, "Dockerfile" in files)


STACK = """\
services:
  db:
    image: pgvector/pgvector:pg17
  cache:
    image: valkey/valkey:8
  search:
    image: elasticsearch:9
  unused:
    image: postgres
  web:
    build: {context: ., dockerfile: Dockerfile.prod}
    ports: ["127.0.0.1:80:9000/tcp"]
    depends_on: [db, search]
    environment:
      DATABASE_URL: postgres://app:secret@db:5432/app
      CACHE: redis://cache:6379/0
      DB_HOST: db
      SEARCH_URL: http://search:9200
      LOG_LEVEL: ${LEVEL:-warn}
      KEY: ${KEY}
      PRICE: 5$$
      DEBUG: false
      PORT: 9000
"""


def test_a_compose_file_names_what_the_service_needs(tmp_path: Path) -> None:
    detected = detect(write(tmp_path, {"compose.yaml": STACK, "Dockerfile.prod": "FROM a\n"}))

    assert (detected.port, detected.docker) == (9000, True)
    assert (found := detected.compose) is not None
    assert (found.name, found.backing) == ("web", ("postgres", "redis"))
    assert found.environment == {
        "DATABASE_URL": "${POSTGRES_URL}",
        "CACHE": "${REDIS_URL}",
        "LOG_LEVEL": "warn",
        "PRICE": "5$$",
        "DEBUG": "false",
    }
    assert found.notes == (
        "The service is web of compose.yaml.",
        "Tacho's own postgres and redis stand for db and cache.",
        "Tacho does not start search of compose.yaml.",
        "DB_HOST is the host db. Take it from POSTGRES_URL instead.",
        "SEARCH_URL names a service that Tacho does not start.",
        "KEY has its value from the shell. Write it in tacho.toml.",
    )
    file = tmp_path / "tacho.toml"
    file.write_text(render_service_file(detected, name="web", port=9000, ready="/"))
    written = parse_service_file(file)
    assert written.service.backing == ("postgres", "redis")
    assert written.service.environment == found.environment
    assert written.docker is not None
    assert written.docker.dockerfile == "Dockerfile.prod"


def test_aliases_of_a_compose_file_do_not_fill_the_memory(tmp_path: Path) -> None:
    # The text of the last list would have 9 ** 20 items.
    lists = "".join(f"  a{at}: &a{at} [{f'*a{at - 1}, ' * 9}]\n" for at in range(1, 21))
    service = "services:\n  web:\n    build: .\n    ports: [*a20]\n    environment: {BOMB: *a20}\n"
    text = f"x:\n  a0: &a0 [1]\n{lists}{service}"

    found = detect(write(tmp_path, {"compose.yaml": text})).compose

    assert found is not None
    assert (found.port, found.environment["BOMB"]) == (None, "")


@pytest.mark.parametrize(
    "text",
    [
        "services: [1]",
        "services:\n  web:\n    image: a\n",
        "services:\n  web:\n    build: [.]\n",
        "a: b: c",
        "[" * 5_000,
        "- !!python/name:os",
    ],
)
def test_a_compose_file_that_builds_nothing_is_left_out(tmp_path: Path, text: str) -> None:
    detected = detect(write(tmp_path, {"compose.yaml": text}))

    assert (detected.compose, detected.port) == (None, None)


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": "[1]", "Cargo.toml": "=", "pom.xml": "<project>", "go.mod": ""},
        {"package.json": '{"scripts": [], "name": 1}', "Cargo.toml": "bin = 1"},
        {"pom.xml": f"<!DOCTYPE project>{POM}"},
        {"pom.xml": POM + " " * 1024 * 1024},
    ],
)
def test_manifests_that_cannot_be_used_start_nothing(tmp_path: Path, files: Files) -> None:
    detected = detect(write(tmp_path, files))

    assert (detected.name, detected.process) == ("my-repository", None)
