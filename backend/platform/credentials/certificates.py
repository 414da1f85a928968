"""The certificates of an installation whose servers other machines reach over the network.

A certificate authority (CA) of the installation signs one certificate for PostgreSQL and Redis. The
bench hosts get the certificate of the CA when they join.
"""

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from backend.platform.errors import PlatformError

_CA_LIFETIME = timedelta(days=3650)
_SERVER_LIFETIME = timedelta(days=365)
# A certificate is replaced at a start within this time before its end.
_RENEWED_BEFORE = timedelta(days=90)
# Clocks of other machines may be late.
_EARLIER = timedelta(hours=1)


@dataclass(frozen=True)
class Certificates:
    """The files in a folder: `ca.crt`, `ca.key`, `server.crt` and `server.key`."""

    folder: Path

    @property
    def ca(self) -> Path:
        """The certificate of the CA, which bench hosts need."""
        return self.folder / "ca.crt"

    @property
    def server(self) -> Path:
        """The certificate of the servers."""
        return self.folder / "server.crt"

    def create(self, names: Sequence[str]) -> bool:
        """Create what is missing, and return whether the servers have a new certificate.

        A certificate is replaced when it ends soon or other names are given. The CA stays, so that
        bench hosts need nothing new.

        Args:
            names: host names and IP addresses under which bench hosts reach the servers.

        Raises:
            PlatformError: there is no name, or a file cannot be read or written.
        """
        if not names:
            raise PlatformError("Name the host names or IP addresses of the servers.")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            authority, key = self._read_ca() or self._create_ca()
            if self._is_current(authority, names):
                return False
            self._create_server(authority, key, names)
        except (OSError, ValueError) as error:
            raise PlatformError(
                f"The certificates in {self.folder} cannot be used: {error}. Make the folder "
                "writable, or delete its files to create all of them again."
            ) from error
        return True

    def _read_ca(self) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None:
        if not self.ca.exists():
            return None
        key = load_pem_private_key((self.folder / "ca.key").read_bytes(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return x509.load_pem_x509_certificate(self.ca.read_bytes()), key

    def _create_ca(self) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("Tacho installation")
        certificate = (
            _begin(name, name, key, _CA_LIFETIME)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(_identify(key), critical=False)
            .sign(key, hashes.SHA256())
        )
        self._write_key("ca.key", key)
        self.ca.write_bytes(certificate.public_bytes(Encoding.PEM))
        return certificate, key

    def _create_server(
        self,
        authority: x509.Certificate,
        authority_key: ec.EllipticCurvePrivateKey,
        names: Sequence[str],
    ) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _begin(_name("Tacho servers"), authority.subject, key, _SERVER_LIFETIME)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(_identify(key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
                critical=False,
            )
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(map(_read_name, names)), critical=False)
            .sign(authority_key, hashes.SHA256())
        )
        self._write_key("server.key", key)
        self.server.write_bytes(certificate.public_bytes(Encoding.PEM))

    def _is_current(self, authority: x509.Certificate, names: Sequence[str]) -> bool:
        if not self.server.exists():
            return False
        known = x509.load_pem_x509_certificate(self.server.read_bytes())
        alternatives = known.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        return (
            known.issuer == authority.subject
            and set(alternatives.value) == set(map(_read_name, names))
            and known.not_valid_after_utc - datetime.now(UTC) > _RENEWED_BEFORE
        )

    def _write_key(self, name: str, key: ec.EllipticCurvePrivateKey) -> None:
        path = self.folder / name
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def _begin(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    lifetime: timedelta,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + lifetime)
    )


def _identify(key: ec.EllipticCurvePrivateKey) -> x509.SubjectKeyIdentifier:
    """Return the name of a key. Python 3.13 and later refuse certificates without it."""
    return x509.SubjectKeyIdentifier.from_public_key(key.public_key())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _read_name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
