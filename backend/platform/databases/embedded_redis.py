"""Redis from a Python package: on a free loopback port, with passwords that only this user reads.

API, dispatcher and the worker of this machine have users of their own. The default user is the
administrator, with whom `tacho up` starts and checks the others.

The server is Valkey, the open-source fork of Redis. Unlike the packages of Redis, its package
supports every Python version and both processor families.
"""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import redis

from backend.core.operations.bench_hosts.broker import list_rules
from backend.platform.credentials.broker_users import (
    BROKER_USERS,
    describe_part,
    describe_user,
    digest_password,
)
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.network import find_free_port
from backend.platform.packaged_servers import find_valkey
from backend.platform.processes.programs import ProgramSpec


@dataclass(frozen=True)
class EmbeddedRedis:
    """The server below `layout.broker`; `port` and the passwords change with every start."""

    layout: Layout
    port: int
    password: str
    part_passwords: Mapping[str, str] = field(
        default_factory=lambda: {part: secrets.token_hex(16) for part in BROKER_USERS}
    )

    @classmethod
    def choose(cls, layout: Layout, taken: Collection[int] = ()) -> "EmbeddedRedis":
        """Return a server on a port that is free now.

        Args:
            taken: ports of programs that start later.
        """
        return cls(layout, find_free_port(taken), secrets.token_hex(16))

    @property
    def url(self) -> str:
        """Return the URL of the administrator for redis-py and Celery."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def part_url(self, part: str) -> str:
        """Return the URL for a part: `api` or `dispatcher`."""
        signed_in = f"{BROKER_USERS[part]}:{self.part_passwords[part]}"
        return f"redis://{signed_in}@127.0.0.1:{self.port}/0"

    @property
    def _configuration(self) -> Path:
        return self.layout.broker / "redis.conf"

    def prepare(self) -> None:
        """Write the configuration. Only this user can read it, because it contains the password."""
        self.layout.broker.mkdir(mode=0o700, exist_ok=True)
        self._configuration.touch(mode=0o600)
        self._configuration.write_text(
            f"bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\n"
            f'dir "{self.layout.broker}"\nsave 900 1\nappendonly no\n'
            "daemonize no\nprotected-mode yes\nmaxmemory-policy noeviction\n"
            + "".join(describe_part(part, text) for part, text in self.part_passwords.items())
        )

    def keep_bench_host(self, username: str, password: str, queue: str) -> None:
        """Add the user of this machine's worker to the configuration, for a restart of the server.

        The running server has the user already.
        """
        rules = list_rules(digest_password(password), queue)
        with self._configuration.open("a") as configuration:
            configuration.write(describe_user(username, rules))

    def part(self) -> ProgramSpec:
        """How to run the server; call `prepare` first. After SIGTERM the server saves and exits."""
        return ProgramSpec(
            name="broker",
            argv=(_binary(), str(self._configuration)),
            is_ready=self._answers,
            grace_s=3.0,
        )

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_connect_timeout=1) as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError):
            return False


def _binary() -> str:
    server = find_valkey()
    if server is None:
        raise PlatformError(
            "The package with Redis is not installed. Run `make env`, or set REDIS_URL."
        )
    return str(server)
