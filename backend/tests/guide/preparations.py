"""Preparations before some commands of the guide, and checks after them.

`plan.toml` names the methods.
"""

import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

import httpx

from backend.core.config import ROOT
from backend.platform.layout import Layout
from backend.tests.guide.dashboard import list_queries
from backend.tests.guide.installation import GuideFault, Installation
from backend.tests.guide.own_server import OwnServer

_PROMETHEUS_SECONDS = 60
_POLL_SECONDS = 0.2
_FILES = ROOT / "docs/operator-guide/monitoring"


class Preparations:
    """Prepares an installation for commands of the guide.

    Attributes:
        values: of the placeholders in `plan.toml`.
        shell: of the page that runs.
        output: of the last command.
    """

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.shell = installation.open_shell()
        self.output = ""
        self._scratch = installation.scratch
        self._runs: list[str] = []
        self._prometheus: subprocess.Popen[bytes] | None = None
        self._server = OwnServer(self._scratch / "own")
        large, prometheus = self._scratch / "large", self._scratch / "prometheus"
        for folder in (large, prometheus):
            folder.mkdir()
        self.values = {
            "url": installation.url,
            "token_setting": f"TACHO_TOKEN={installation.token}",
            "worker_metrics": installation.worker_metrics,
            "dispatcher_metrics": installation.dispatcher_metrics,
            "prometheus": installation.prometheus,
            "prometheus_folder": str(prometheus),
            "large_disk": str(large),
            "archive": str(self._server.archive),
            "base_backups": str(self._server.base_backups),
        }

    def close(self) -> None:
        """Stop all servers."""
        if self._prometheus is not None:
            self._prometheus.terminate()
            self._prometheus.wait()
        self._server.stop()
        self.installation.stop()

    def stop_tacho(self) -> None:
        """Stop Tacho, if it runs."""
        self.installation.stop()

    def create_ada(self) -> None:
        """Create the first operator with the link that `tacho operator` printed."""
        found = re.search(r"/join#(\S+)", self.output)
        key = found[1] if found else ""
        person = {"email": "ada@example.org", "name": "Ada", "password": "correct horse battery"}
        answer = httpx.post(
            f"{self.installation.url}/api/v1/links/use",
            json={"key": key, **person},
            headers={"Origin": self.installation.url},
            trust_env=False,
        )
        if answer.is_error:
            raise GuideFault(f"The link does not work: {answer.text}")

    def add_web_team_and_bench_02(self) -> None:
        """Create the workspace of the example, and let its host join."""
        self.installation.ask("POST", "/workspaces", {"name": "Web team", "slug": "web-team"})
        self._join(self.installation.ask("POST", "/host-keys", {"name": "bench-02"})["key"])

    def join_bench_02(self) -> None:
        """Let the host join with the key that `tacho host create` printed."""
        found = re.search(r"KEY=(\S+)", self.output)
        self._join(found[1] if found else "")

    def _join(self, key: str) -> None:
        machine = {
            "runtime": "process",
            "runtime_reason": "",
            "fingerprint": {},
            "fingerprint_digest": "0" * 16,
            "harness": {},
        }
        self.installation.ask("POST", "/joined-hosts", {"key": key, **machine})

    def check_certificate(self) -> None:
        """Check that the certificate is of the CA, and for the name of the example."""
        self.shell.run(
            "openssl verify -CAfile certificates/ca.crt -verify_hostname db.example.org "
            "certificates/server.crt"
        )

    def configure_prometheus(self) -> None:
        """Write the configuration of the guide, with the addresses of this installation."""
        folder = Path(self.values["prometheus_folder"])
        (folder / "tacho-token").write_text(self.installation.metrics_token)
        text = (_FILES / "prometheus.yml").read_text()
        for old, new in {
            "127.0.0.1:8000": self.installation.url.removeprefix("http://"),
            "127.0.0.1:9464": self.installation.worker_metrics,
            "127.0.0.1:9465": self.installation.dispatcher_metrics,
            "/etc/prometheus": str(folder),
            "scrape_interval: 15s": "scrape_interval: 1s\n  evaluation_interval: 1s",
        }.items():
            if old not in text:
                raise GuideFault(f"prometheus.yml does not contain {old!r}.")
            text = text.replace(old, new)
        (folder / "prometheus.yml").write_text(text)

    def start_prometheus(self) -> None:
        """Start a Prometheus server, and wait until it has evaluated all rules."""
        program = shutil.which("prometheus")
        if program is None:
            raise GuideFault("install prometheus")
        folder, address = Path(self.values["prometheus_folder"]), self.values["prometheus"]
        command = [program, f"--config.file={folder}/prometheus.yml"]
        command += [f"--storage.tsdb.path={folder}/data", f"--web.listen-address={address}"]
        with (folder / "server.log").open("wb") as log:
            self._prometheus = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + _PROMETHEUS_SECONDS
        while problems := self._find_prometheus_problems(address):
            if time.monotonic() > deadline:
                raise GuideFault("\n".join(problems))
            time.sleep(_POLL_SECONDS)

    def _find_prometheus_problems(self, address: str) -> list[str]:
        """Return the targets and rules that the Prometheus server has not read without a fault."""
        base = f"http://{address}/api/v1"
        try:
            targets = httpx.get(f"{base}/targets", trust_env=False).json()["data"]["activeTargets"]
            groups = httpx.get(f"{base}/rules", trust_env=False).json()["data"]["groups"]
        except (httpx.HTTPError, ValueError) as error:
            return [f"Prometheus does not answer: {error}"]
        rules = [rule for group in groups for rule in group["rules"]]
        problems = [
            f"{target['scrapeUrl']} is {target['health']}: {target['lastError']}"
            for target in targets
            if target["health"] != "up"
        ]
        problems += [
            f"{rule['name']} is {rule['health']}: {rule.get('lastError')}"
            for rule in rules
            if rule["health"] != "ok"
        ]
        return problems if targets and rules else ["Prometheus has no targets, or no rules."]

    def check_dashboard(self) -> None:
        """Check that the Prometheus server accepts every query of the dashboard."""
        address = self.values["prometheus"]
        for query in list_queries():
            answer = httpx.get(
                f"http://{address}/api/v1/query", params={"query": query}, trust_env=False
            )
            if answer.is_error:
                raise GuideFault(f"Prometheus refuses {query!r} of the dashboard: {answer.text}")

    def check_bundle(self) -> None:
        """Check that the bundle is whole and contains no secret."""
        with zipfile.ZipFile(self.shell.folder / "tacho-bundle.zip") as bundle:
            content = b"".join(bundle.read(name) for name in bundle.namelist())
        if b"doctor" not in content or self.installation.token.encode() in content:
            raise GuideFault("The bundle lacks parts, or contains the token.")

    def measure_run(self) -> None:
        """Measure a short run, and wait until it is finalized."""
        self.shell.run(
            "tacho run node --scenario hello --trials 1 --param warm_up_seconds=1 "
            "--param duration_seconds=5 --wait"
        )
        self.values["slug"] = self.installation.list_runs()[0]

    def start_on_large_disk(self) -> None:
        """Delete the old data folder, and start Tacho on its copy."""
        self.installation.move(Path(self.values["large_disk"]) / "tacho")
        self.installation.start("make up", "Tacho is ready")

    def lose_database(self) -> None:
        """Stop Tacho, and delete the folder of its database."""
        self._runs = self.installation.list_runs()
        self.installation.stop()
        shutil.rmtree(Layout(self.installation.data).database)

    def check_runs(self) -> None:
        """Check that the runs are those that were noted."""
        runs = self.installation.list_runs()
        if not self._runs or runs != self._runs:
            raise GuideFault(f"The runs are {runs} instead of {self._runs}.")

    def start_own_server(self) -> None:
        """Start a PostgreSQL server with the data of the backup, and use its shell."""
        self._server.start()
        restoring = self.installation.open_shell()
        restoring.variables["DATABASE_URL"] = self._server.url
        restoring.run("tacho restore tacho.backup")
        self.shell.variables |= self._server.variables
        self.shell.variables["PATH"] = f"{self._server.programs}:{self.shell.variables['PATH']}"
        self.shell.folder = self._server.folder
        self.shell.is_database_user = True

    def delete_runs_by_mistake(self) -> None:
        """Note the moment, and delete all runs afterwards."""
        (base_backup,) = self._server.base_backups.iterdir()
        self.values["base_backup"] = base_backup.name
        self.values["moment"] = self._server.delete_runs()

    def await_replay(self) -> None:
        """Wait until the server has replayed its log."""
        self._server.await_replay()

    def check_recovery(self) -> None:
        """Check that the runs are there again, and that the server accepts changes."""
        self._server.check_recovered()
