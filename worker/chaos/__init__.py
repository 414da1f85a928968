"""The chaos suite: seeded faults against a running Tacho, and what must hold after each."""
