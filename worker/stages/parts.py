"""Names of the parts in a trial's pod; peers and backing services have their own names."""

SERVICE = "service"
# Ends before the service starts.
PREPARATION = "prepare"
