"""Reads resource counters of control groups, process trees and containers."""
