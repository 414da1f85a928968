"""The chaos suite: seeded faults in a running Tacho, and invariants after each fault."""
