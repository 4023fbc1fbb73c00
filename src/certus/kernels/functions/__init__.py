"""Kernels as objects: values, algebra, validity, feature maps."""
