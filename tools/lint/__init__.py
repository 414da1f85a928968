"""Rules about the code that no other tool can check."""
