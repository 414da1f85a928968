"""The HTTP interface: routes, schemas and error responses."""
