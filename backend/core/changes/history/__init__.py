"""History: the results of a framework in a scenario over time."""
