"""The users of the parts in Redis, and how its configuration names users."""

import hashlib
import re
from collections.abc import Iterable

# Part -> its user.
BROKER_USERS = {"owner": "tacho_owner", "api": "tacho_api", "dispatcher": "tacho_dispatcher"}
# Printable ASCII without spaces, double quotes and backslashes.
_PLAIN = re.compile(r"[!#-\[\]-~]+")
# A part may use all data, and manage the users of bench hosts. It may not stop, empty, configure or
# watch the server.
_RULES = ("~*", "&*", "+@all", "-@admin", "-@dangerous", "+info", "+acl|setuser", "+acl|deluser")


def describe_part(part: str, password: str) -> str:
    """Return the line of the configuration for the user of a part."""
    return describe_user(BROKER_USERS[part], ("on", f"#{digest_password(password)}", *_RULES))


def describe_user(name: str, rules: Iterable[str]) -> str:
    """Return the line of the configuration for a user, as in a file of users."""
    return " ".join(["user", name, *(_quote(rule) for rule in rules)]) + "\n"


def digest_password(password: str) -> str:
    """Return what Redis stores of a password."""
    return hashlib.sha256(password.encode()).hexdigest()


def _quote(rule: str) -> str:
    """Return a rule as one word of a configuration.

    Only rules with other bytes than plain text are quoted, because a file of users has no quotes.
    """
    if _PLAIN.fullmatch(rule):
        return rule
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\x{byte:02x}"
        for byte in rule.encode()
    )
    return f'"{escaped}"'
