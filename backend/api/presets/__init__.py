"""HTTP of presets."""
