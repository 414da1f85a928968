"""Hostile values for every column and every channel of Redis that a bench host may write."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import psycopg
import redis
from psycopg import sql
from pydantic import TypeAdapter
from sqlalchemy import Column, DateTime, Float, Integer, LargeBinary, Uuid

from backend.core.db import Base
from backend.core.models.document import ValidatedDocument
from backend.core.operations.bench_hosts.accepted_values import list_written
from backend.core.operations.bench_hosts.broker import list_rules
from backend.core.operations.bench_hosts.grants import HOST_GRANTS
from backend.core.units import Metric

TEXTS = (
    *("", " ", "x", "null", "0", "-1", "NaN", "a" * 9_999, "a" * 100_000, "../../etc/passwd"),
    *("<script>alert(1)</script>", "| a | b |\n| --- |", "=HYPERLINK(1)", "\x1b[31mred\x07\r\n"),
    *("\u202e\u2066\ufeff\ufffd", "é" * 500, "%s %(x)s {x} {0}", "'; DROP TABLE host; --", ":x"),
    *("succeeded", "running", "queued", "measuring", "1" * 400, "2026-11-28T00:00:00Z"),
)
NUMBERS = (0, -1, 1, 2**31 - 1, -(2**31), 2**31, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64)
REALS = (*NUMBERS, "NaN", "Infinity", "-Infinity", 1e300, -1e300, 5e-324, 0.1)
TIMES = (
    *("infinity", "-infinity", "0001-01-01", "4713-01-01 BC", "294276-12-31 23:59:59.999999+00"),
    *("1970-01-01", "2026-11-28 03:00:00+00", "9999-12-31", "10000-01-01"),
)
BYTES = (
    *(b"", b"\x00", b"\xff", b"\x80" * 64, b"\x01\x02\x03", b"\xff" * 8 + b"\x7f\x01"),
    *(b"\x7f\x7f", b"\x01" * 300_000, b"\x00" + b"\xff" * 8 + b"\x7f", b"\x00\x01" * 4_000),
)
# Documents as JSON, because some of them are not valid.
JSONS: tuple[str, ...] = (
    *("null", "true", "0", "-1", '"x"', "[]", "{}", "[[]]", "[{}]", "[null]", '{"":null}', "1e400"),
    *('{"name":"x"}', '"\\u0000"', '["a","b"]', '{"a":{"a":{"a":[]}}}', "NaN", "[1,2,3]", "1.5"),
    *("[" * 3_000 + "]" * 3_000, '{"a":' * 500 + "1" + "}" * 500, json.dumps("a" * 200_000)),
    json.dumps({str(number): number for number in range(20_000)}),
    json.dumps({metric.value: -1.5 for metric in Metric}),
)
# These values replace parts of valid documents.
PARTS: tuple[object, ...] = (None, True, -1, 2**63, 1e300, "", "<b>\u202e", [], {}, [[]], {"a": 1})


@dataclass
class Outcome:
    """The columns and channels that were tried, and the values that were accepted."""

    tried: set[str] = field(default_factory=set)
    accepted: dict[str, list[str]] = field(default_factory=dict)

    def note(self, place: str, value: object, *, is_accepted: bool) -> None:
        """Count a value."""
        self.tried.add(place)
        if is_accepted:
            self.accepted.setdefault(place, []).append(repr(value)[:100])


def list_places() -> set[str]:
    """Return every column that a bench host may write."""
    return {f"{table}.{name}" for table in HOST_GRANTS for name in list_written(table)}


def write_columns(
    connection: psycopg.Connection, host_id: UUID, trial_id: UUID, chance: random.Random
) -> Outcome:
    """Write hostile values into every column that a bench host may write.

    Args:
        connection: as the host's user, with autocommit.
        host_id: the host.
        trial_id: a trial that the host holds.
        chance: decides the order, and how documents are changed.
    """
    outcome = Outcome()
    tables = [*HOST_GRANTS]
    chance.shuffle(tables)
    for table in tables:
        for name in list_written(table):
            column = Base.metadata.tables[table].columns[name]
            for value in _list_values(connection, column, chance):
                is_accepted = _write(connection, table, name, value, (host_id, trial_id))
                outcome.note(f"{table}.{name}", value, is_accepted=is_accepted)
    return outcome


def _write(
    connection: psycopg.Connection, table: str, name: str, value: object, ids: tuple[UUID, UUID]
) -> bool:
    statements = []
    if any(part.startswith("UPDATE") for part in HOST_GRANTS[table].privileges):
        update = sql.SQL("UPDATE {} SET {} = %s").format(_name(table), _name(name))
        statements.append((update, [value]))
    if any(part.startswith("INSERT") for part in HOST_GRANTS[table].privileges):
        row = _make_row(table, *ids) | {name: value}
        insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            _name(table),
            sql.SQL(", ").join(map(_name, row)),
            sql.SQL(", ").join([sql.Placeholder()] * len(row)),
        )
        statements.append((insert, list(row.values())))
    is_accepted = False
    for statement, values in statements:
        try:
            is_accepted |= connection.execute(statement, values).rowcount > 0
        except (psycopg.Error, UnicodeEncodeError):
            continue
    return is_accepted


def _name(text: str) -> sql.Identifier:
    return sql.Identifier(text)


def _make_row(table: str, host_id: UUID, trial_id: UUID) -> dict[str, object]:
    """Return a valid row of a table, apart from its content. A new table needs an entry."""
    of_trial: dict[str, object] = {"trial_id": trial_id}
    source = {"id": uuid4(), "host_id": host_id, "slug": f"s-{uuid4().hex[:8]}", "digest": "d"}
    rows: Mapping[str, dict[str, object]] = {
        "sample": of_trial
        | {"phase": "measure", "second": random.randrange(10**6), "errors": "{}", "latency": b""}
        | dict.fromkeys(("requests", "failed", "bytes_sent", "bytes_received", "dropped"), 1)
        | {"vus": 1, "in_flight": 1.0},
        "histogram": of_trial
        | {"latency": b"", "latency_failed": b"", "latency_sum_ns": 1, "latency_max_ns": 1},
        "metric_value": of_trial | {"metric": random.choice(list(Metric)).value, "value": 1.0},
        "trial_log": of_trial | {"name": f"log-{uuid4().hex[:8]}", "content": ""},
        "host_framework": source | {"manifest": "{}", "position": 0},
        "host_scenario": source | {"manifest": "{}", "position": 0},
        "build_source": {"host_id": host_id, "digest": uuid4().hex, "program": "node"}
        | {"versions": "{}", "files": "[]"},
    }
    return rows[table]


def _list_values(
    connection: psycopg.Connection, column: Column[Any], chance: random.Random
) -> list[object]:
    kind = column.type
    values: list[object]
    if isinstance(kind, ValidatedDocument) or column.name == "manifest":
        values = [*JSONS, *_change_documents(connection, column, chance)]
    elif isinstance(kind, DateTime):
        values = [*TIMES]
    elif isinstance(kind, Float):
        values = [*REALS]
    elif isinstance(kind, Integer):
        values = [*NUMBERS]
    elif isinstance(kind, LargeBinary):
        values = [*BYTES]
    elif isinstance(kind, Uuid):
        values = [UUID(int=0), UUID(int=2**128 - 1)]
    else:
        values = [*TEXTS]
    chance.shuffle(values)
    return [*values, None]


def _change_documents(
    connection: psycopg.Connection, column: Column[Any], chance: random.Random
) -> Iterator[str]:
    """Yield changed copies of the documents that the host can read, and of an example."""
    examples: list[object] = []
    try:
        found = connection.execute(
            sql.SQL("SELECT {} FROM {}").format(_name(column.name), _name(column.table.name))
        )
        examples = [document for (document,) in found if document]
    except psycopg.Error:
        pass
    if isinstance(column.type, ValidatedDocument):
        schema = TypeAdapter(column.type.kind).json_schema(mode="serialization")
        examples.append(_make_example(schema, schema))
    chance.shuffle(examples)
    for example in examples[:2]:
        for _ in range(10):
            yield json.dumps(change_document(example, chance))


def _make_example(schema: Mapping[str, Any], root: Mapping[str, Any]) -> object:
    """Return a document that fits a schema, with all keys."""
    if "$ref" in schema:
        return _make_example(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return _make_example(schema["anyOf"][0], root)
    scalars = {"integer": 1, "number": 1, "boolean": True, "string": "0"}
    example: object = schema.get("enum", [scalars.get(schema.get("type", ""))])[0]
    if schema.get("type") == "array":
        return [_make_example(schema.get("items", {}), root)]
    if schema.get("type") == "object":
        named = schema.get("properties", {}).items()
        others = schema.get("additionalProperties")
        more = {"key": _make_example(others, root)} if isinstance(others, dict) else {}
        return {name: _make_example(part, root) for name, part in named} | more
    return example


def change_document(document: object, chance: random.Random) -> object:
    """Return a copy in which a part is replaced, removed or repeated."""
    if isinstance(document, dict) and document and chance.random() < 0.8:
        key = chance.choice(list(document))
        if chance.random() < 0.15:
            return {name: part for name, part in document.items() if name != key}
        return document | {key: change_document(document[key], chance)}
    if isinstance(document, list) and document and chance.random() < 0.8:
        index = chance.randrange(len(document))
        changed = change_document(document[index], chance)
        return [*document[:index], changed, *document[index:]]
    return chance.choice(PARTS)


def list_channels(queue: str, username: str) -> list[str]:
    """Return the patterns of all keys of Redis that a bench host may write."""
    rules = " ".join(list_rules(username, queue))
    return [
        re.sub(r"\\(.)", r"\1", pattern) for pattern in re.findall(r"(?:~|%W~)([^\s)]+)", rules)
    ]


def write_channels(client: redis.Redis, queue: str, run_id: UUID, load_id: str) -> Outcome:
    """Write hostile values into every key of Redis that a bench host may write."""
    outcome = Outcome()
    texts = [*(text.encode() for text in TEXTS), *BYTES, *(text.encode() for text in JSONS)]
    fields: list[dict[bytes, bytes]] = [{b"x": b""}]
    for text in texts:
        fields.append({b"name": b"sample", b"data": text})
        fields.append({b"name": text[:1_000], b"data": b"{}"})
        fields.extend({kind: text} for kind in (b"report", b"signal", b"order"))
    for pattern in list_channels(queue, "0" * 64):
        key = _fill(pattern, run_id, load_id)
        for text in texts:
            outcome.note(pattern, text, is_accepted=_send(client, "LPUSH", key, text))
        for entry in fields:
            parts = [part for pair in entry.items() for part in pair]
            outcome.note(pattern, entry, is_accepted=_send(client, "XADD", key, "*", *parts))
        outcome.note(pattern, "far", is_accepted=_send(client, "XADD", key, f"{2**63}-1", "a", "b"))
    return outcome


def _fill(pattern: str, run_id: UUID, load_id: str) -> str:
    if pattern.startswith("events:"):
        return pattern.replace("*", str(run_id))
    head, star, tail = pattern.rpartition(":*:")
    filled = f"{head}:{load_id}:{tail}" if star else pattern
    return filled.replace("*", "bench-02")


def _send(client: redis.Redis, *command: bytes | str) -> bool:
    try:
        client.execute_command(*command)  # type: ignore[no-untyped-call]
    except redis.RedisError:
        return False
    return True
