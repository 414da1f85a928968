"""Find faults of a machine or an installation."""
