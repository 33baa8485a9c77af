"""Simulated attacks: what somebody who knows these attributes can do, computed and played."""
