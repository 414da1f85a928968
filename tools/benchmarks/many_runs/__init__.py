"""An installation after years of use, and its pages under load: `make bench-scale`."""
