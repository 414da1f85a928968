"""HTTP of the members of a workspace."""
