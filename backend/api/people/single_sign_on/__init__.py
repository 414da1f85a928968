"""HTTP of signing in at an OpenID Connect provider."""
