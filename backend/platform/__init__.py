"""The platform of Tacho: Python environment, embedded servers, toolchains and supervisor."""
