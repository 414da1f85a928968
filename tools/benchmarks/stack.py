"""A separate, complete Tacho with its databases, for benchmarks and acceptance tests.

Its parts start like those of `tacho up`, but each can be killed and restarted separately.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pydantic import SecretStr

from backend.core.config import ROOT, Settings, get_settings
from backend.core.units import Purpose, RuntimeKind
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.layout import Layout
from backend.platform.network import find_free_port
from backend.platform.processes.parts import (
    api_part,
    dispatcher_part,
    part_environment,
    worker_command,
    worker_part,
)
from backend.platform.processes.programs import ProgramSpec, RunningProgram
from tools.benchmarks.api import ApiClient, Document
from tools.benchmarks.programs import find_k6


class Stack:
    """As a context manager it runs from entry to exit. Its files stay in `data`.

    With `is_serving_only` it has neither worker nor dispatcher, so nothing runs.
    """

    def __init__(
        self,
        data: Path,
        runtime: RuntimeKind,
        bench_host: str,
        environment: Mapping[str, str] | None = None,
        *,
        durable: bool = False,
        is_serving_only: bool = False,
    ) -> None:
        self._is_serving_only = is_serving_only
        self.layout = Layout(data)
        self.runtime = runtime
        # The installation is separate: it uses neither the token nor the addresses of this
        # machine's settings.
        self.settings = Settings(
            data=data,
            host="127.0.0.1",
            port=find_free_port(),
            bench_host=bench_host,
            token=SecretStr(""),
        )
        self._postgres = EmbeddedPostgres(self.layout, durable=durable)
        self._redis = EmbeddedRedis.choose(self.layout, self.settings.chosen_ports)
        self._environment = {
            **part_environment(self.settings, self._postgres.url, self._redis.url),
            "TACHO_TOKEN": "",
            "TACHO_TRUST_LOOPBACK": "true",
            "TACHO_BENCH_HOST": bench_host,
            "TACHO_RUNTIME": runtime.value,
            **(environment or {}),
        }
        self._programs: dict[str, RunningProgram] = {}
        self._exits = ExitStack()

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self.settings.port}"

    @property
    def database_url(self) -> str:
        """Its PostgreSQL, as the superuser, who may also disturb the parts."""
        return self._postgres.administrator_url

    @property
    def redis_url(self) -> str:
        """The URL of its Redis, with the password."""
        return self._redis.url

    def __enter__(self) -> Self:
        self.layout.make()
        if not self._is_serving_only:
            self._share_k6()
        with ExitStack() as exits:
            exits.enter_context(_ending_on_sigterm())
            exits.callback(self._stop_all)
            self.start_database()
            self._postgres.create_database()
            self._redis.prepare()
            self.start_redis()
            self._migrate()
            of_api = {**self._environment, "DATABASE_URL": self._postgres.api_url}
            self._start(api_part(self.settings, self.url, of_api))
            self.api = exits.enter_context(ApiClient(self.url))
            if not self._is_serving_only:
                self.start_worker()
                self.start_dispatcher()
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    def start_database(self) -> None:
        """Start PostgreSQL with its earlier data."""
        self._postgres.prepare()
        self._start(self._postgres.part())

    def start_redis(self) -> None:
        """Start Redis at its earlier address."""
        self._start(self._redis.part())

    def start_dispatcher(self) -> None:
        """Start the dispatcher, which repeats wake-up messages and sends webhooks."""
        environment = {**self._environment, "DATABASE_URL": self._postgres.dispatcher_url}
        self._start(dispatcher_part(self.settings, environment))

    def start_worker(self, environment: Mapping[str, str] | None = None) -> None:
        """Start the worker, with further settings if given, and wait until the API reports it."""
        told = {**self._environment, **(environment or {})}
        # The user of a bench host may not list the clients of Redis, as the check does.
        part = worker_part(self.settings, self.url, self._environment)
        self._start(replace(part, environment=told))

    def start_other_host(
        self,
        part: str = "other",
        launcher: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Start a worker of another bench host as a part of this name; return the host's name.

        Args:
            launcher: a command that runs the worker's command.
            environment: settings that differ from those of the stack.
        """
        name = f"{self.settings.bench_host}-{part}"
        settings = self.settings.model_copy(update={"bench_host": name})
        told = {**self._environment, **(environment or {}), "TACHO_BENCH_HOST": name}
        spec = worker_part(settings, self.url, told)
        self._start(replace(spec, name=part, argv=(*launcher, *spec.argv)))
        return name

    def start_second_worker(self) -> "subprocess.Popen[str]":
        """Start another worker with the same host name, which is not stopped at exit. Its output is
        piped."""
        return subprocess.Popen(
            worker_command(self.settings),
            env=os.environ | self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def use_here(self) -> None:
        """Make the settings of this process name these servers."""
        os.environ |= {"DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url}
        get_settings.cache_clear()

    def create_run(
        self,
        cells: Sequence[Mapping[str, Any]],
        *,
        trials: int | None = 1,
        purpose: Purpose = Purpose.COMPARISON,
        goal: Document | None = None,
        load_hosts: Sequence[str] = (),
    ) -> Document:
        """Queue a run on this stack's bench host; return it with its cells and trials.

        Args:
            goal: `until` and its limits, with `trials` None.
            load_hosts: hosts that send the load; by default the bench host sends it.
        """
        body = {
            "cells": list(cells),
            "trials": trials,
            "host": self.settings.bench_host,
            "purpose": purpose,
            "load_hosts": list(load_hosts),
        }
        return self.api.get_run(self.api.post("/runs", body | (goal or {})))

    def is_running(self, name: str) -> bool:
        """Whether a part (`worker`, `dispatcher`, `broker`, `database`, `api`) runs."""
        return name in self._programs and self._programs[name].exit_code() is None

    def get_pid(self, name: str) -> int:
        """Process id of a running part."""
        return self._programs[name].pid

    def stop(self, name: str, timeout_s: float = 15.0) -> float:
        """Stop a part, kill it after `timeout_s`, and return the seconds that it took."""
        program = self._programs.pop(name)
        asked = time.monotonic()
        program.ask_to_stop()
        program.finish(asked + timeout_s)
        return time.monotonic() - asked

    def kill(self, name: str) -> None:
        """End a part with SIGKILL, so that it cannot clean up."""
        # A deadline in the past kills immediately.
        self._programs.pop(name).finish(time.monotonic())

    def pause(self, name: str) -> None:
        """Suspend a part, as on a sleeping machine."""
        os.kill(self._programs[name].pid, signal.SIGSTOP)

    def resume(self, name: str) -> None:
        """Resume a suspended part."""
        os.kill(self._programs[name].pid, signal.SIGCONT)

    def _start(self, part: ProgramSpec) -> None:
        program = RunningProgram(part, self.layout)
        self._programs[part.name] = program
        program.wait_ready()

    def _stop_all(self) -> None:
        for name in reversed(list(self._programs)):
            self.stop(name)

    def _migrate(self) -> None:
        subprocess.run(
            [str(Path(sys.executable).with_name("tacho")), "migrate"],
            env=os.environ | self._environment,
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def _share_k6(self) -> None:
        """Use the load generator of this machine's installation, so that it is built only once."""
        shared = self.layout.data / "k6"
        shared.unlink(missing_ok=True)
        shared.symlink_to(find_k6().parent.parent)


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """Raise SystemExit at the first SIGTERM, so that all parts are stopped; ignore later ones."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread can handle signals.
        yield
        return

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(128 + signal.SIGTERM)

    earlier = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)
