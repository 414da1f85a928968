"""The parts of an installation in containers have users of their own, none is a superuser."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import NoPermissionError
from redis.retry import Retry
from sqlalchemy import Engine, create_engine, func, make_url, select, text
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from backend.core.catalog.repository import find_host_of_queue
from backend.core.config import Settings
from backend.core.models import Host
from backend.core.operations.bench_hosts.credentials import (
    create_credentials,
    revoke_credentials,
    synchronize,
)
from backend.core.operations.bench_hosts.repository import end_long_transactions
from backend.core.operations.migration import migrate
from backend.core.runs.trials.repository import is_draining, take_host_lease
from backend.platform.bench_host.local_bench_host import provide_credentials
from backend.platform.credentials.part_users import (
    PartSettings,
    PartUsers,
    read_setting,
    write_settings,
)
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.processes.programs import running
from backend.tests.factories import add_host

FORBIDDEN = ("DROP TABLE slo", "CREATE ROLE r", "UPDATE alembic_version SET version_num = ''")

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def url(new_installation: Callable[[], str]) -> str:
    """A database of an earlier version, whose tables belong to the superuser."""
    return new_installation()


@pytest.fixture
def folder(url: str, tmp_path: Path) -> Path:
    """The settings of the parts, whose users exist."""
    PartUsers(url, "redis://redis:6379/0", tmp_path, os.geteuid()).create()
    return tmp_path


def read_url(folder: Path, part: str) -> str:
    found = read_setting(folder / part / "settings.env", "DATABASE_URL")
    assert found is not None
    return make_url(found).set(drivername="postgresql+psycopg").render_as_string(False)


@pytest.fixture
def open_part(folder: Path) -> Iterator[Callable[[str], Engine]]:
    """A function that signs in as a part."""
    with ExitStack() as exits:

        def act(part: str) -> Engine:
            engine = create_engine(read_url(folder, part), poolclass=NullPool)
            exits.callback(engine.dispose)
            return engine

        yield act


def test_every_part_signs_in_as_itself_and_only_the_owner_changes_the_schema(
    open_part: Callable[[str], Engine],
) -> None:
    for part in ("owner", "api", "dispatcher"):
        with open_part(part).begin() as connection:
            assert connection.scalar(text("SELECT current_user")) == f"tacho_{part}"
            assert connection.scalar(text("SELECT current_setting('is_superuser')")) == "off"
            connection.execute(select(Host.id))
    for part in ("api", "dispatcher"):
        for statement in FORBIDDEN:
            with open_part(part).begin() as connection, pytest.raises(ProgrammingError):
                connection.execute(text(statement))


def test_the_owner_migrates_up_and_down(folder: Path, url: str) -> None:
    migrate(read_url(folder, "owner"))

    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        owners = set(
            connection.scalars(text("SELECT tableowner FROM pg_tables WHERE schemaname = 'public'"))
        )
    assert owners == {"tacho_owner"}


@pytest.mark.parametrize("part", ["owner", "api"])
def test_a_user_who_is_no_superuser_creates_and_revokes_credentials(
    part: str, open_part: Callable[[str], Engine]
) -> None:
    engine = open_part(part)
    with Session(engine) as session, session.begin():
        host = add_host(session)
        host_id = host.id
        credentials = create_credentials(session, host)
    own = engine.url.set(username=credentials.database_user, password=credentials.database_password)
    with create_engine(own, poolclass=NullPool).connect() as connection:
        assert connection.scalars(select(Host.id)).all() == [host_id]

        with Session(engine) as session, session.begin():
            revoke_credentials(session, session.get_one(Host, host_id))

        with pytest.raises(OperationalError):
            connection.execute(text("SELECT 1"))
    with engine.connect() as connection:
        query = text("SELECT count(*) FROM pg_roles WHERE rolname = :name")
        assert connection.scalar(query, {"name": credentials.database_user}) == 0


def test_the_dispatcher_drops_revoked_users(open_part: Callable[[str], Engine]) -> None:
    with Session(open_part("api")) as session, session.begin():
        host = add_host(session)
        name = create_credentials(session, host).database_user
    with open_part("owner").begin() as connection:
        connection.execute(text("UPDATE host_credential SET host_id = NULL"))

    with Session(open_part("dispatcher")) as session, session.begin():
        synchronize(session)

    with open_part("owner").connect() as connection:
        query = text("SELECT count(*) FROM pg_roles WHERE rolname = :name")
        assert connection.scalar(query, {"name": name}) == 0


def test_a_host_takes_its_own_lock_and_no_other_one(open_part: Callable[[str], Engine]) -> None:
    with Session(open_part("api")) as session, session.begin():
        session.execute(select(func.pg_advisory_xact_lock(1)))
        host = add_host(session)
        queue, credentials = host.queue, create_credentials(session, host)
    own = open_part("api").url.set(
        username=credentials.database_user, password=credentials.database_password
    )
    with create_engine(own, poolclass=NullPool).connect() as connection:
        assert take_host_lease(Session(connection), queue, UUID(int=1))
        assert not is_draining(Session(connection))
        connection.commit()
        for statement in ("SELECT pg_advisory_lock(1)", "SELECT lo_create(0)"):
            with pytest.raises(ProgrammingError, match="permission denied"):
                connection.execute(text(statement))
            connection.rollback()
        connection.execute(text("SELECT 1"))

        with Session(open_part("dispatcher")) as session, session.begin():
            assert end_long_transactions(session, 0) == 1
        with pytest.raises(OperationalError):
            connection.execute(text("SELECT 1"))


def test_a_second_start_keeps_the_passwords(folder: Path, url: str) -> None:
    def read_all() -> dict[str, str]:
        return {str(path): path.read_text() for path in folder.rglob("*.*") if path.is_file()}

    before = read_all()

    PartUsers(url, "redis://redis:6379/0", folder, os.geteuid()).create()

    assert read_all() == before
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("settings.env")}
    assert modes == {0o600}
    passwords = {make_url(read_url(folder, part)).password for part in ("owner", "api")}
    assert len(passwords) == 2
    users = (folder / "broker" / "users.acl").read_text()
    for user in ("tacho_owner", "tacho_api", "tacho_dispatcher"):
        assert f"user {user} on #" in users
    broker_users = {
        make_url(found).username: make_url(found).password
        for part in ("owner", "api", "dispatcher")
        if (found := read_setting(folder / part / "settings.env", "REDIS_URL"))
    }
    assert set(broker_users) == {"tacho_owner", "tacho_api", "tacho_dispatcher"}
    assert len(set(broker_users.values())) == 3
    assert not any(str(password) in users for password in passwords)


def test_redis_accepts_each_part_and_lets_none_stop_or_empty_it(
    folder: Path, tmp_path: Path
) -> None:
    broker = EmbeddedRedis.choose(Layout(tmp_path / "data"))
    broker.layout.make()
    broker.prepare()
    configuration = tmp_path / "redis.conf"
    users = folder / "broker" / "users.acl"
    # Where a file names the users, the configuration names none.
    configuration.write_text(f'port {broker.port}\nsave ""\naclfile "{users}"\n')
    part = broker.part()
    spec = replace(part, argv=(part.argv[0], str(configuration)), is_ready=lambda: True)
    with running(spec, broker.layout):
        for name in ("owner", "api", "dispatcher"):
            url = read_setting(folder / name / "settings.env", "REDIS_URL")
            assert url is not None
            url = url.replace("redis:6379", f"127.0.0.1:{broker.port}")
            with Redis.from_url(url, retry=Retry(ConstantBackoff(0.1), 50)) as client:
                client.set("key", name)
                assert client.get("key") == name.encode()
                # As the API removes the live events of a deleted run.
                assert client.unlink("key") == 1
                for command in ("FLUSHALL", "CONFIG GET requirepass", "SHUTDOWN", "CLIENT LIST"):
                    with pytest.raises(NoPermissionError):
                        client.execute_command(*command.split())


def test_the_bench_host_gets_a_user_of_its_own_once(folder: Path, database: Settings) -> None:
    settings = database.model_copy(
        update={"database_url": read_url(folder, "owner"), "bench_host": "bench-09"}
    )
    bench = folder / "bench"

    provide_credentials(settings, bench)
    first = (bench / "settings.env").read_text()
    provide_credentials(settings, bench)

    assert (bench / "settings.env").read_text() == first
    with create_engine(read_url(folder, "bench"), poolclass=NullPool).connect() as connection:
        assert connection.scalars(select(Host.name)).all() == ["bench-09"]
    moved = settings.model_copy(update={"redis_url": database.redis_url.replace("/0", "/1")})
    provide_credentials(moved, bench)
    redis_url = read_setting(bench / "settings.env", "REDIS_URL")
    assert redis_url is not None
    assert redis_url.endswith("/1")
    assert make_url(redis_url).password == make_url(read_url(folder, "bench")).password
    provide_credentials(settings, bench)
    assert (bench / "settings.env").read_text() == first
    engine = create_engine(settings.database_url, poolclass=NullPool)
    with Session(engine) as session, session.begin():
        host = find_host_of_queue(session, "bench-09")
        assert host is not None
        revoke_credentials(session, host)
    provide_credentials(settings, bench)
    assert (bench / "settings.env").read_text() != first


def test_users_for_servers_of_the_operator_are_found_by_their_database(
    url: str, tmp_path: Path
) -> None:
    users = PartUsers(url, None, tmp_path, os.geteuid())
    users.create()

    owner_url = users.read_url("owner")
    found = PartSettings(tmp_path, owner_url)
    assert make_url(found.find_url("api")).username == "tacho_api"
    assert make_url(found.find_url("dispatcher")).username == "tacho_dispatcher"
    assert "REDIS_URL" not in (tmp_path / "api" / "settings.env").read_text()
    other = make_url(owner_url).set(database="other").render_as_string(False)
    assert PartSettings(tmp_path, other).find_url("api") == other
    assert PartSettings(tmp_path / "none", owner_url).find_url("api") == owner_url


def test_passwords_of_another_installation_are_replaced_only_on_request(
    url: str, tmp_path: Path
) -> None:
    PartUsers(url, None, tmp_path / "first", os.geteuid()).create()
    second = PartUsers(url, None, tmp_path / "second", os.geteuid())

    with pytest.raises(PlatformError, match=r"tacho_api, tacho_dispatcher.*--replace"):
        second.create(replaces_passwords=False)
    assert not (tmp_path / "second" / "api").exists()
    second.create()
    second.create(replaces_passwords=False)


def test_links_in_the_folder_of_a_part_are_not_followed(tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "api"
    victim.write_text("DATABASE_URL=secret")
    folder.mkdir()
    for name in ("settings.env", "settings.env.part"):
        (folder / name).symlink_to(victim)
    assert read_setting(folder / "settings.env", "DATABASE_URL") is None
    write_settings(folder, "postgresql://api@/tacho", None, os.geteuid())
    assert victim.read_text() == "DATABASE_URL=secret"
    assert read_setting(folder / "settings.env", "DATABASE_URL") == "postgresql://api@/tacho"
