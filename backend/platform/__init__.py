"""What Tacho stands on: its Python environment, embedded servers, toolchains and the supervisor."""
