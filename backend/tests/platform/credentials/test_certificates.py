"""Certificates of an installation: clients that trust the CA accept the servers by their names."""

import socket
import ssl
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.platform.credentials.certificates import Certificates
from backend.platform.errors import PlatformError
from backend.platform.servers import check_redis
from backend.tests.waiting import LIMIT_S

NAMES = ("tacho.example", "127.0.0.1")


def connect(certificates: Certificates, name: str, ca: Path) -> str | None:
    """Connect with TLS to a server with the certificate, and return the protocol."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificates.server, certificates.folder / "server.key")
    trusting = ssl.create_default_context(cafile=str(ca))
    # As Python 3.13 does by default.
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    here, there = socket.socketpair()

    def serve() -> None:
        with serving.wrap_socket(there, server_side=True) as accepted:
            accepted.recv(1)

    with ThreadPoolExecutor(1) as pool, here, there:
        served = pool.submit(serve)
        try:
            with trusting.wrap_socket(here, server_hostname=name) as connected:
                protocol = connected.version()
                connected.send(b"x")
                return protocol
        finally:
            here.close()
            served.exception(timeout=LIMIT_S)


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    certificates = Certificates(tmp_path / "certificates")
    assert certificates.create(NAMES)
    return certificates


@pytest.mark.parametrize("name", NAMES)
def test_clients_accept_the_servers_under_each_name(certificates: Certificates, name: str) -> None:
    assert connect(certificates, name, certificates.ca) == "TLSv1.3"


def test_clients_refuse_other_names_and_other_authorities(
    certificates: Certificates, tmp_path: Path
) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        connect(certificates, "other.example", certificates.ca)
    other = Certificates(tmp_path / "other")
    other.create(NAMES)
    with pytest.raises(ssl.SSLCertVerificationError):
        connect(certificates, NAMES[0], other.ca)


def test_a_redis_that_is_not_trusted_is_reported_with_the_fix(
    certificates: Certificates, tmp_path: Path
) -> None:
    other = Certificates(tmp_path / "other")
    other.create(NAMES)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificates.server, certificates.folder / "server.key")
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        serving.wrap_socket(listening, server_side=True) as accepting,
        ThreadPoolExecutor(1) as pool,
    ):
        refused = pool.submit(accepting.accept)
        url = f"rediss://127.0.0.1:{accepting.getsockname()[1]}/0?ssl_ca_certs={other.ca}"
        with pytest.raises(PlatformError, match=r"is not trusted: .* ssl_ca_certs"):
            check_redis(url)
        assert isinstance(refused.exception(timeout=LIMIT_S), ssl.SSLError)


def test_only_new_names_change_the_certificate_and_the_ca_stays(certificates: Certificates) -> None:
    authority, server = certificates.ca.read_bytes(), certificates.server.read_bytes()

    assert not certificates.create(tuple(reversed(NAMES)))
    assert certificates.server.read_bytes() == server
    assert certificates.create((*NAMES, "db.example"))

    assert certificates.ca.read_bytes() == authority
    assert connect(certificates, "db.example", certificates.ca) == "TLSv1.3"


def test_only_their_owner_reads_the_keys(certificates: Certificates) -> None:
    modes = {stat.S_IMODE(path.stat().st_mode) for path in certificates.folder.glob("*.key")}
    assert modes == {0o600}


def test_damaged_files_are_reported_with_the_fix(certificates: Certificates) -> None:
    certificates.ca.write_text("no certificate")

    with pytest.raises(PlatformError, match="delete its files to create all of them again"):
        certificates.create(NAMES)
