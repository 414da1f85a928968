"""The rules of Docker Compose for PostgreSQL: only bench hosts may use an address.

The rules name no address of a client, so a forwarded connection gains nothing by its source. The
embedded PostgreSQL has no TLS; `.ci/check-bench-host-access` checks the rules with it.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
import yaml  # type: ignore[import-untyped]
from psycopg import sql

from backend.core.config import ROOT
from backend.core.operations.bench_hosts.grants import HOST_ROLE
from backend.platform.credentials.part_roles import PART_ROLES, create_part_roles
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.platform.network import find_free_port
from backend.platform.processes.programs import running
from backend.tests.waiting import wait_for

ADMINISTRATOR = "tacho"
ROLES = (ADMINISTRATOR, *(role for role, _ in PART_ROLES.values()))
HOST = "tacho_host_5f2c"
PASSWORD = "a password that every role has"


def read_rules(file: str) -> str:
    """Return the rules that the container of the database writes, as if all clients used TLS."""
    services = yaml.safe_load((ROOT / file).read_text())["services"]
    script = services["database"]["command"][-1]
    written = script.partition("printf")[2].partition("> /tmp/pg_hba.conf")[0]
    rules = [line.strip(" '\\") for line in written.splitlines()[1:]]
    assert all(rule.startswith(("local ", "host ", "hostssl ")) for rule in rules)
    return "\n".join(rules).replace("hostssl ", "host ") + "\n"


@dataclass(frozen=True)
class Server:
    """A PostgreSQL on a socket and on an address. All of its roles have a password."""

    socket: str
    rules: Path

    def use_rules(self, rules: str) -> None:
        """Replace the rules, for each later connection."""
        # The server has read the rules when the one for this name applies.
        marker = f"marker_{uuid4().hex}"
        with self.connect(ADMINISTRATOR, host=self.socket) as connection:
            self.rules.write_text(f"{rules}local all {marker} scram-sha-256\n")
            connection.execute("SELECT pg_reload_conf()")
        wait_for(lambda: "no pg_hba.conf entry" not in self.refuse(marker, host=self.socket))

    def connect(self, role: str, **settings: str) -> psycopg.Connection:
        given = {"dbname": "tacho", "user": role, "password": PASSWORD} | settings
        return psycopg.connect(**given)  # type: ignore[arg-type]

    def refuse(self, role: str, **settings: str) -> str:
        """Return the message with which the server refuses a role; empty if it may connect."""
        try:
            self.connect(role, **settings).close()
        except psycopg.OperationalError as error:
            return str(error)
        return ""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    layout = Layout(tmp_path_factory.mktemp("compose"))
    layout.make()
    postgres = EmbeddedPostgres(layout, durable=False)
    postgres.prepare()
    part = postgres.part()
    listening = ("-c", "listen_addresses=127.0.0.1")
    with pytest.MonkeyPatch.context() as patch:
        # For server and clients alike.
        patch.setenv("PGPORT", str(find_free_port()))
        with running(replace(part, argv=(*part.argv, *listening)), layout):
            postgres.create_database()
            socket, rules = str(layout.socket_folder()), layout.database / "pg_hba.conf"
            found = Server(socket, rules)
            with found.connect(ADMINISTRATOR, host=socket) as connection:
                connection.autocommit = True
                create_part_roles(connection, dict.fromkeys(PART_ROLES, PASSWORD))
                connection.execute(
                    sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                        sql.Identifier(ADMINISTRATOR), sql.Literal(PASSWORD)
                    )
                )
                connection.execute(
                    sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE {}").format(
                        sql.Identifier(HOST), sql.Literal(PASSWORD), sql.Identifier(HOST_ROLE)
                    )
                )
            yield found
    shutil.rmtree(layout.socket_folder(), ignore_errors=True)


@pytest.mark.parametrize("file", ["docker-compose.yml", "docker-compose.hosts.yml"])
def test_parts_sign_in_only_through_the_socket_and_with_a_password(
    server: Server, file: str
) -> None:
    server.use_rules(read_rules(file))
    for role in (*ROLES, HOST):
        assert server.refuse(role, host=server.socket) == ""
        assert "password" in server.refuse(role, host=server.socket, password="wrong")
    for role in ROLES:
        refused = server.refuse(role, host="127.0.0.1")
        assert "rejects connection" in refused or "no pg_hba.conf entry" in refused


def test_bench_hosts_use_an_address_only_with_the_second_file(server: Server) -> None:
    server.use_rules(read_rules("docker-compose.hosts.yml"))
    assert server.refuse(HOST, host="127.0.0.1") == ""
    assert "no pg_hba.conf entry" in server.refuse(HOST, host="127.0.0.1", dbname="postgres")

    server.use_rules(read_rules("docker-compose.yml"))
    assert "no pg_hba.conf entry" in server.refuse(HOST, host="127.0.0.1")


@pytest.mark.parametrize("file", ["docker-compose.yml", "docker-compose.hosts.yml"])
def test_the_rules_name_no_source_of_a_part(file: str) -> None:
    """The published port may change the source of a connection, so no rule may trust one."""
    rules = [line.split() for line in read_rules(file).splitlines()]
    accepting = [rule for rule in rules if rule[-1] != "reject" and rule[0] != "local"]
    named = {role for rule in accepting for role in rule[2].split(",")}
    assert named <= {"health_check", f"+{HOST_ROLE}"}
