"""Settings, addresses and the service of a machine that becomes a bench host."""
