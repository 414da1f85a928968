"""A real identity provider for tests of single sign-on: Dex, built from its Go module."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import httpx

from backend.core.config import ROOT
from backend.platform.network import find_free_port
from backend.tests.go_programs import build_program

SOURCE = ROOT / "backend/tests/dex_server"
CLIENT_ID = "tacho"
CLIENT_SECRET = "secret-of-tacho-at-dex"
PASSWORD = "password at dex"
_START_SECONDS = 30


@dataclass(frozen=True)
class DexPerson:
    """A person with an account at Dex. Dex calls the address of the local accounts verified."""

    subject: str
    email: str
    name: str
    password: str = PASSWORD
    is_verified: bool = True


ADA = DexPerson("1-ada", "ada@example.org", "Ada of Dex")
BO = DexPerson("2-bo", "bo@example.org", "Bo of Dex")
CY = DexPerson("3-cy", "cy@example.org", "Cy of Dex", is_verified=False)


@contextmanager
def run_dex(
    folder: Path, redirect_urls: Sequence[str], people: Sequence[DexPerson]
) -> Iterator[str]:
    """Run Dex, and yield its issuer.

    Args:
        folder: for its settings and its log.
        redirect_urls: where it may send people back.
    """
    address = f"127.0.0.1:{find_free_port()}"
    issuer = f"http://{address}/dex"
    settings = folder / "dex.json"
    settings.write_text(
        json.dumps(
            {
                "issuer": issuer,
                "address": address,
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "redirect_uris": list(redirect_urls),
                "people": [asdict(person) for person in people],
            }
        )
    )
    log = folder / "dex.log"
    command = [build_program(SOURCE), settings]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output) as process,
    ):
        try:
            _wait_for(issuer, process, log)
            yield issuer
        finally:
            process.terminate()


def _wait_for(issuer: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{issuer}/.well-known/openid-configuration").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError(f"Dex did not start:\n{log.read_text()}")


def sign_in_at_dex(url: str, person: DexPerson, *, stop_before: str) -> str:
    """Fill in the form of Dex as a person, and return where Dex sends the browser.

    Args:
        stop_before: the beginning of the address that is not opened any more.
    """
    with httpx.Client() as browser:
        page = _follow(browser, browser.get(url), stop_before)
        connector = "local" if person.is_verified else "unverified"
        link = _find(rf'href="([^"]*/auth/{connector}[^"]*)"', page.text)
        page = _follow(browser, browser.get(urljoin(str(page.url), link)), stop_before)
        form = urljoin(str(page.url), _find(r'action="([^"]*)"', page.text))
        answer = browser.post(form, data={"login": person.email, "password": person.password})
        return _follow(browser, answer, stop_before).headers["location"]


def _follow(browser: httpx.Client, answer: httpx.Response, stop_before: str) -> httpx.Response:
    while answer.has_redirect_location:
        url = urljoin(str(answer.url), answer.headers["location"])
        if url.startswith(stop_before):
            break
        answer = browser.get(url)
    return answer


def _find(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, f"{pattern} is not in:\n{text}"
    return unescape(found[1])


def main() -> None:
    """`python -m backend.tests.dex COMMAND…` runs a command next to a Dex.

    The command gets the settings of a Tacho on a free port that uses Dex for single sign-on.
    """
    url = f"http://127.0.0.1:{(port := find_free_port())}"
    callback = f"{url}/api/v1/session/oidc/callback"
    with (
        tempfile.TemporaryDirectory(prefix="tacho-dex-") as folder,
        run_dex(Path(folder), [callback], [ADA, BO, CY]) as issuer,
    ):
        environment = os.environ | {
            "TACHO_PORT": str(port),
            "TACHO_PUBLIC_URL": url,
            "TACHO_OIDC_ISSUER": issuer,
            "TACHO_OIDC_CLIENT_ID": CLIENT_ID,
            "TACHO_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "TACHO_OIDC_NAME": "Dex",
        }
        code = subprocess.run(sys.argv[1:], env=environment, check=False).returncode
    raise SystemExit(code)


if __name__ == "__main__":
    main()
