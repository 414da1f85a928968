# ruff: noqa: S608
"""The values that a bench host may write into each column, and the SQL that checks them; pure.

A policy for each column restricts the rows that a bench host writes. So a value that no page could
show never enters the database, and the error names the column. The conditions derive from the types
of the columns, and those of documents from the JSON schemas of their models, so a new column needs
no entry here. Other roles are not checked.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, get_origin

from pydantic import TypeAdapter
from sqlalchemy import BigInteger, Column, DateTime, Enum, Float, Integer, LargeBinary, String, Uuid
from sqlalchemy.types import TypeEngine

from backend.core.catalog.manifest import FrameworkManifest, ScenarioManifest
from backend.core.db import Base
from backend.core.models.document import ValidatedDocument
from backend.core.operations.bench_hosts.grants import HOST_GRANTS, HOST_ROLE
from backend.core.operations.bench_hosts.repository import CHECK_PREFIX

_MOST_DOCUMENT_BYTES = 2_000_000
# The first type of a column in this order counts.
_OF_TYPES: Mapping[type[TypeEngine[Any]], str] = {
    String: "char_length({name}) <= 10000",
    # Sums of several such numbers still fit into 64 bits.
    BigInteger: "{name} BETWEEN 0 AND 1000000000000000000",
    Integer: "{name} BETWEEN 0 AND 2147483647",
    # PostgreSQL treats NaN as larger than every number.
    Float: "{name} BETWEEN -1e15 AND 1e15",
    DateTime: "{name} BETWEEN '2000-01-01' AND now() + interval '1 day'",
    LargeBinary: "octet_length({name}) <= 200000",
    Uuid: "",
}
_ENDS = "('succeeded', 'failed', 'cancelled')"

_MOST_REPORT_BYTES = 500_000
_LEASE = "lease_until IS NULL OR lease_until BETWEEN '2000-01-01' AND now() + interval '10 minutes'"
# Limits that differ from those of the type.
_CONDITIONS: Mapping[tuple[str, str], str] = {
    ("trial_log", "name"): "char_length(name) <= 200",
    ("trial_log", "content"): "octet_length(content) <= 8000000",
    ("host_framework", "slug"): "slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND char_length(slug) <= 60",
    ("host_scenario", "slug"): "slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND char_length(slug) <= 60",
    ("sample", "in_flight"): "in_flight BETWEEN 0 AND 1e15",
    # A host that writes a later time would count as online after its end.
    ("host", "seen_at"): "seen_at BETWEEN '2000-01-01' AND now() + interval '1 minute'",
    # A trial is queued again after this time, and a guard too.
    ("trial", "lease_until"): _LEASE,
    ("guard_request", "lease_until"): _LEASE,
    # The dispatcher validates it before anybody reads it.
    (
        "guard_request",
        "report",
    ): f"report IS NULL OR pg_column_size(report) <= {_MOST_REPORT_BYTES}",
}
# The manifests whose columns have a wider type, because entries of older versions lack keys.
_MANIFESTS: Mapping[str, type[FrameworkManifest | ScenarioManifest]] = {
    "host_framework": FrameworkManifest,
    "host_scenario": ScenarioManifest,
}
# Conditions of several columns, by table and name.
_OF_ROWS: Mapping[tuple[str, str], str] = {
    ("trial", "end"): (
        f"(status IN {_ENDS}) = (finished_at IS NOT NULL) "
        "AND (finished_at IS NULL OR started_at IS NOT NULL)"
    ),
    ("trial", "success"): (
        "status <> 'succeeded' OR runtime IS NOT NULL AND image_digest IS NOT NULL "
        "AND environment ?& ARRAY['host', 'host_digest', 'harness', 'harness_digest', 'runtime', "
        "'cpus', 'resource_source', 'framework_digest', 'scenario_digest', 'builds'] "
        "AND has_measurements(id)"
    ),
    ("run", "end"): (
        f"(status IN {_ENDS}) = (finished_at IS NOT NULL) "
        "AND (finished_at IS NULL OR NOT has_unfinished_trials(id)) "
        "AND (status <> 'cancelled' OR cancel_requested_at IS NOT NULL)"
    ),
}

# The tables whose values are repaired, and which of their rows.
_REPAIRED: Mapping[str, str] = {
    "host": "true",
    "trial": (
        "id = ANY (ARRAY(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id "
        "WHERE run.finalized_at IS NULL))"
    ),
}

# The policies of a table must not read a table whose policies read the first one.
_DEFINER = "LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
_FUNCTIONS = (
    # The part of JSON Schema that the models of documents use. Numbers are not negative and strings
    # and arrays not longer than needed, unless the schema states a limit.
    """
CREATE OR REPLACE FUNCTION json_fits(
    item jsonb, schema jsonb, root jsonb, depth integer DEFAULT 0
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    kind text := jsonb_typeof(item);
    wanted text;
    part jsonb;
    name text;
    of_name jsonb;
    of_others jsonb;
    number numeric;
BEGIN
    IF item IS NULL OR schema IS NULL OR depth > 24 OR schema = 'false' THEN
        RETURN false;
    END IF;
    IF schema ? '$ref' THEN
        name := substr(schema ->> '$ref', 9);
        RETURN public.json_fits(item, root -> '$defs' -> name, root, depth + 1);
    END IF;
    of_others := coalesce(schema -> 'anyOf', schema -> 'oneOf');
    IF of_others IS NOT NULL THEN
        FOR part IN SELECT jsonb_array_elements(of_others) LOOP
            IF public.json_fits(item, part, root, depth + 1) THEN
                RETURN true;
            END IF;
        END LOOP;
        RETURN false;
    END IF;
    wanted := schema ->> 'type';
    IF wanted <> kind AND NOT (wanted = 'integer' AND kind = 'number')
    OR schema ? 'const' AND item <> schema -> 'const'
    OR schema ? 'enum' AND NOT schema -> 'enum' @> jsonb_build_array(item) THEN
        RETURN false;
    END IF;
    IF kind = 'string' THEN
        RETURN char_length(item #>> '{}') BETWEEN coalesce((schema -> 'minLength')::integer, 0)
            AND coalesce((schema -> 'maxLength')::integer, 100000)
            AND ((schema ->> 'pattern') IS NULL OR (item #>> '{}') ~ (schema ->> 'pattern'));
    ELSIF kind = 'number' THEN
        number := item::numeric;
        RETURN number BETWEEN coalesce((schema -> 'minimum')::numeric, 0)
            AND coalesce((schema -> 'maximum')::numeric, 1e15)
            AND (wanted IS DISTINCT FROM 'integer' OR scale(number) = 0)
            AND number > coalesce((schema -> 'exclusiveMinimum')::numeric, -1)
            AND number < coalesce((schema -> 'exclusiveMaximum')::numeric, 1e19);
    ELSIF kind = 'array' THEN
        IF jsonb_array_length(item) NOT BETWEEN coalesce((schema -> 'minItems')::integer, 0)
            AND coalesce((schema -> 'maxItems')::integer, 10000) THEN
            RETURN false;
        END IF;
        of_others := coalesce(schema -> 'items', '{}');
        FOR part IN SELECT jsonb_array_elements(item) LOOP
            IF NOT public.json_fits(part, of_others, root, depth + 1) THEN
                RETURN false;
            END IF;
        END LOOP;
    ELSIF kind = 'object' THEN
        IF NOT item ?& ARRAY(SELECT jsonb_array_elements_text(schema -> 'required')) THEN
            RETURN false;
        END IF;
        of_others := coalesce(
            schema -> 'additionalProperties',
            (SELECT value FROM jsonb_each(schema -> 'patternProperties')),
            CASE WHEN schema ? 'properties' THEN 'false'::jsonb ELSE '{}' END
        );
        of_name := coalesce(schema -> 'propertyNames', '{}')
            || coalesce((SELECT jsonb_build_object('pattern', key)
                FROM jsonb_each(schema -> 'patternProperties')), '{}');
        wanted := schema ->> 'minProperties';
        FOR name, part IN SELECT key, value FROM jsonb_each(item) LOOP
            IF schema -> 'properties' ? name THEN
                IF NOT public.json_fits(part, schema -> 'properties' -> name, root, depth + 1) THEN
                    RETURN false;
                END IF;
            ELSIF char_length(name) > 500 OR NOT public.json_fits(part, of_others, root, depth + 1)
            OR NOT public.json_fits(to_jsonb(name), of_name, root, depth + 1) THEN
                RETURN false;
            END IF;
        END LOOP;
        RETURN wanted IS NULL
            OR (SELECT count(*) FROM jsonb_object_keys(item)) >= wanted::integer;
    END IF;
    RETURN true;
END $$""",
    f"""
CREATE OR REPLACE FUNCTION has_measurements(of_trial uuid) RETURNS boolean {_DEFINER} AS $$
    SELECT EXISTS (SELECT FROM public.metric_value WHERE trial_id = of_trial)
    AND EXISTS (SELECT FROM public.histogram WHERE trial_id = of_trial)
$$""",
    f"""
CREATE OR REPLACE FUNCTION has_unfinished_trials(of_run uuid) RETURNS boolean {_DEFINER} AS $$
    SELECT EXISTS (SELECT FROM public.trial WHERE run_id = of_run AND status NOT IN {_ENDS})
$$""",
)
_FUNCTION_NAMES = (
    "json_fits(jsonb, jsonb, jsonb, integer)",
    "has_measurements(uuid)",
    "has_unfinished_trials(uuid)",
)


def list_checks() -> list[str]:
    """Return the statements that let the database check what bench hosts write."""
    statements = list(_FUNCTIONS)
    names = ", ".join(_FUNCTION_NAMES)
    statements.append(f"REVOKE EXECUTE ON FUNCTION {names} FROM PUBLIC")
    statements.append(f"GRANT EXECUTE ON FUNCTION {names} TO {HOST_ROLE}")
    for table in HOST_GRANTS:
        for name, condition in list_conditions(table).items():
            policy = f"{CHECK_PREFIX}{name}"
            statements.append(f'DROP POLICY IF EXISTS {policy} ON "{table}"')
            statements.append(
                f'CREATE POLICY {policy} ON "{table}" AS RESTRICTIVE TO {HOST_ROLE} '
                f"USING (true) WITH CHECK ({condition})"
            )
    return statements


def list_conditions(table: str) -> dict[str, str]:
    """Return the condition of each column that a bench host writes, and those of rows, by name."""
    columns = Base.metadata.tables[table].columns
    conditions = {
        name: condition
        for name in list_written(table)
        if (condition := _check_column(table, columns[name]))
    }
    of_rows = {name: found for (owner, name), found in _OF_ROWS.items() if owner == table}
    return {**conditions, **of_rows}


def list_written(table: str) -> list[str]:
    """Return the columns of a table that a bench host may write."""
    privileges = HOST_GRANTS[table].privileges
    names = list(Base.metadata.tables[table].columns.keys())
    written: set[str] = set()
    for privilege in privileges:
        command, _, listed = privilege.partition(" ")
        if command in {"INSERT", "UPDATE"}:
            written |= set(re.findall(r"\w+", listed)) or set(names)
    return [name for name in names if name in written]


def list_repairs() -> list[str]:
    """Return statements that replace values that a host wrote before they were checked.

    Trials of finalized runs stay as they are: they have been read without a fault.
    """
    repairs = [
        f"UPDATE {table} SET {name} = {_find_neutral(table, name)} "
        f"WHERE {rows} AND NOT ({condition})"
        for table, rows in _REPAIRED.items()
        for name in list_written(table)
        if (condition := _check_column(table, Base.metadata.tables[table].columns[name]))
    ]
    found = " AND ".join(f"({condition})" for condition in list_conditions("build_source").values())
    return [*repairs, f"DELETE FROM build_source WHERE NOT ({found})"]


def _find_neutral(table: str, name: str) -> str:
    """Return the value that replaces a wrong one."""
    column = Base.metadata.tables[table].columns[name]
    kind = column.type
    if column.nullable:
        return "NULL"
    if isinstance(kind, ValidatedDocument):
        return "'[]'" if get_origin(kind.kind) is list else "'{}'"
    if isinstance(kind, DateTime):
        return "'2000-01-01'"
    return f"left({name}, 1000)" if isinstance(kind, String) else "0"


def _check_column(table: str, column: Column[object]) -> str:
    """Return the condition of a column; empty if its type leaves nothing to check."""
    name = column.name
    if (table, name) in _CONDITIONS:
        return _CONDITIONS[table, name]
    if name == "manifest":
        schema = _MANIFESTS[table].model_json_schema(mode="serialization")
        return _check_document(name, schema)
    condition = _check_type(name, column.type)
    return f"{name} IS NULL OR {condition}" if condition and column.nullable else condition


def _check_type(name: str, kind: TypeEngine[object]) -> str:
    if isinstance(kind, ValidatedDocument):
        schema = TypeAdapter(kind.kind).json_schema(mode="serialization")
        return _check_document(name, schema)
    if isinstance(kind, Enum):
        return f"{name} IN ({', '.join(map(_quote, kind.enums))})"
    for of_kind, condition in _OF_TYPES.items():
        if isinstance(kind, of_kind):
            return condition.format(name=name)
    raise TypeError(f"There is no check for the column {name} of the type {kind!r}.")


def _check_document(name: str, schema: Mapping[str, object]) -> str:
    text = _quote(json.dumps(_strip(schema), sort_keys=True))
    # Most documents of seconds are empty.
    empty = f"{name} = '{{}}' OR " if schema.get("type") == "object" and not _needs(schema) else ""
    return (
        f"{empty}pg_column_size({name}) <= {_MOST_DOCUMENT_BYTES} "
        f"AND json_fits({name}, {text}::jsonb, {text}::jsonb)"
    )


def _needs(schema: Mapping[str, object]) -> bool:
    return bool(schema.get("required") or schema.get("minProperties"))


def _strip(schema: object) -> object:
    """Return a schema without texts for people."""
    if isinstance(schema, list):
        return [_strip(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _strip(part) for name, part in value.items()}
        if key in {"properties", "$defs", "patternProperties"}
        else _strip(value)
        for key, value in schema.items()
        if key not in {"description", "title", "examples", "default", "discriminator"}
    }


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
