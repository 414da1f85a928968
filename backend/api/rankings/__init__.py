"""Who stands where in a run."""
