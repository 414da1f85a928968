"""HTTP, apart from the nouns: errors, limits, headers, pages and the OpenAPI document."""
