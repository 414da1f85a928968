"""The catalogue: manifests of frameworks, scenarios and backing services."""
