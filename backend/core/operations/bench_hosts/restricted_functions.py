"""Functions of PostgreSQL that every role may call by default, and bench hosts must not; pure.

With an advisory lock, a host could stop all other hosts and upgrades. Large objects and messages in
the write-ahead log belong to no table, so grants on tables do not limit them.
"""

from collections.abc import Sequence

# Regular expression of their names. The first ones are locks, which API and dispatcher use.
RESTRICTED = "^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)"

# The functions are in `pg_catalog`, where only a superuser may change rights. A function that is
# restricted already is left alone, so that starts at the same time do not disturb each other.
_RESTRICT = """
DO $$ DECLARE found record; role text; BEGIN
    FOR found IN SELECT oid::regprocedure AS name, proname ~ 'advisory' AS is_lock FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '{pattern}'
    AND (has_function_privilege('public', oid, 'EXECUTE') OR proname ~ 'advisory' AND NOT (
        SELECT bool_and(has_function_privilege(name, oid, 'EXECUTE')) FROM unnest({names}) AS name
    )) LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', found.name);
        IF found.is_lock THEN
            FOREACH role IN ARRAY {names} LOOP
                EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', found.name, role);
            END LOOP;
        END IF;
    END LOOP;
END $$
"""


def restrict_functions(roles: Sequence[str]) -> str:
    """Return a statement for a superuser. After it, only these roles may take advisory locks.

    No role but a superuser may use large objects or write messages into the log then.

    Args:
        roles: they exist.
    """
    names = ", ".join("'" + role.replace("'", "''") + "'" for role in roles)
    return _RESTRICT.format(names=f"ARRAY[{names}]", pattern=RESTRICTED).strip()
