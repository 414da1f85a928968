"""Guards an own service: measures two versions of it in turn until a change is decided."""
