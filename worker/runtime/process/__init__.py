"""The process runtime: services as plain processes on loopback ports, without an engine."""

from worker.runtime.process.runtime import ProcessRuntime

__all__ = ["ProcessRuntime"]
