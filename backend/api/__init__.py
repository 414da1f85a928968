"""HTTP only: routes, schemas, and how errors are told."""
