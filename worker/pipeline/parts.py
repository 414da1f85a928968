"""Names of what runs in a trial's pod; peers and backing services have names of their own."""

SERVICE = "service"
