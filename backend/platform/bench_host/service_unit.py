"""The systemd unit of a bench host's worker."""

import getpass
import os
import subprocess
import sys
from pathlib import Path

from backend.platform.errors import PlatformError

NAME = "tacho-worker.service"
PROGRAM = Path(sys.executable).with_name("tacho")
_FOLDER = Path("/etc/systemd/system")
# systemd creates it when it is the init process.
_RUNNING = Path("/run/systemd/system")
_SECONDS = 60


def has_systemd() -> bool:
    """Return whether systemd runs on this machine."""
    return _RUNNING.is_dir()


def may_install() -> bool:
    """Return whether this user may install a unit."""
    return has_systemd() and os.geteuid() == 0


def write_unit(data: Path) -> Path:
    """Write the unit into the data folder, and return its path.

    The worker reads `.env` of the present folder.
    """
    path = data / NAME
    folder = _escape(str(Path.cwd()))
    path.write_text(
        f"""[Unit]
Description=Worker of Tacho
Wants=network-online.target
After=network-online.target docker.service

[Service]
User={getpass.getuser()}
WorkingDirectory={folder}
Environment={_quote(f"TACHO_DATA={data}")}
ExecStart={_quote(str(PROGRAM))} worker
Restart=always
RestartSec=5
TimeoutStopSec=30
KillMode=mixed

[Install]
WantedBy=multi-user.target
""",
        encoding="utf-8",
    )
    return path


def _escape(text: str) -> str:
    """Return a text without specifiers of systemd."""
    return text.replace("%", "%%")


def _quote(text: str) -> str:
    """Return a text as one word of a unit."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_escape(plain)}"'


def install(unit: Path) -> None:
    """Install a unit, start it, and start it at each boot. Raises PlatformError."""
    (_FOLDER / NAME).write_text(unit.read_text(encoding="utf-8"), encoding="utf-8")
    _systemctl("daemon-reload")
    _systemctl("enable", NAME)
    # A host that joins again gets other credentials.
    _systemctl("restart", NAME)


def uninstall() -> bool:
    """Stop and remove the unit, and return whether there was one. Raises PlatformError."""
    path = _FOLDER / NAME
    if not path.exists():
        return False
    if not may_install():
        raise PlatformError(
            f"Only root can remove the unit {NAME}. Run this command as root, such as with sudo."
        )
    _systemctl("disable", "--now", NAME)
    path.unlink()
    _systemctl("daemon-reload")
    return True


def _systemctl(*arguments: str) -> None:
    command = ("systemctl", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode != 0:
        raise PlatformError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")
