"""Own services: described by a `tacho.toml` in their repository."""
