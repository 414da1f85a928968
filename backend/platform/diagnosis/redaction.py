"""Remove secrets from text that leaves the installation."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, unquote, urlsplit

from pydantic import JsonValue

REMOVED = "[removed]"
# Shorter secrets are removed only as whole words: they could be part of any word.
_SHORT = 6

_SECRET_NAMES = re.compile(r"PASSWORD|PASSWD|SECRET|TOKEN|KEY|CREDENTIAL", re.IGNORECASE)
_URL_NAMES = re.compile(r"URL|ENDPOINT|PUBLIC_DATABASE|PUBLIC_REDIS|PROXY", re.IGNORECASE)
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.DOTALL),
        REMOVED,
    ),
    # User and password of a URL.
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/\s@\"']*@", re.IGNORECASE), rf"\1{REMOVED}@"),
    (re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]+", re.IGNORECASE), rf"\1 {REMOVED}"),
    # Tacho's own access tokens and the keys of webhooks.
    (re.compile(r"\btacho_[\w-]{30,}"), REMOVED),
    (re.compile(r"\bwhsec_[\w+/=-]+"), REMOVED),
    # Settings, JSON and headers: the value after a name.
    (
        re.compile(
            r"(?P<name>[\w-]*(?:password|passwd|requirepass|secret|token|api[_-]?key|cookie"
            r"|authorization|tacho_session)[\w-]*[\"']?(?:\s*[:=]\s*|\s+=\s+))"
            r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&]+)",
            re.IGNORECASE,
        ),
        rf"\g<name>{REMOVED}",
    ),
    # Random keys of links, sessions and codes: long, with small and capital letters and digits.
    (
        re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{32,}(?![\w-])"),
        REMOVED,
    ),
    (re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"), "[e-mail]"),
)


class Redaction:
    """Removes known secrets, and what looks like a secret or an e-mail address.

    Args:
        secrets: values that must not appear, also not as part of a URL, of JSON or of Python.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        spellings = {
            spelling
            for secret in secrets
            for spelling in _list_spellings(secret)
            if spelling.strip()
        }
        # Longer ones first: a secret may be part of another one.
        self._secrets = [
            re.compile(re.escape(secret) if len(secret) >= _SHORT else rf"\b{re.escape(secret)}\b")
            for secret in sorted(spellings, key=len, reverse=True)
        ]

    def clean(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            text = secret.sub(REMOVED, text)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return text

    def clean_document(self, document: JsonValue) -> JsonValue:
        """Return a JSON document without secrets in its names and texts."""
        if isinstance(document, str):
            return self.clean(document)
        if isinstance(document, list):
            return [self.clean_document(item) for item in document]
        if isinstance(document, dict):
            return {self.clean(name): self.clean_document(item) for name, item in document.items()}
        return document


def find_secrets(variables: Mapping[str, str | None]) -> set[str]:
    """Return the secrets among environment variables: by their names, and passwords in URLs."""
    found: set[str] = set()
    for name, value in variables.items():
        if not value:
            continue
        if _SECRET_NAMES.search(name):
            found.add(value)
        if _URL_NAMES.search(name):
            found |= _list_passwords(value)
    return found


def describe_url(url: str) -> str:
    """Return scheme, host and port of a URL; neither user, password, path nor parameters."""
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "(not a URL)"
    return f"{parts.scheme}://{parts.hostname or ''}{port}"


def _list_spellings(secret: str) -> Iterator[str]:
    """Yield a secret as it is, and as URLs, JSON and Python write it."""
    yield from (secret, quote(secret, safe=""), quote(secret), unquote(secret))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield repr(secret)[1:-1]


def _list_passwords(url: str) -> set[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return set()
    return {password, unquote(password)} if password else set()
