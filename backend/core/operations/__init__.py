"""Running an installation: backups, retention, monitoring, bench hosts, example data."""
