"""The catalogue: manifests of frameworks, scenarios and support services."""
