"""Modules of torch from which the architectures are built."""
