"""Calls of PyTorch's libraries, the kernels they launch, and what these take (library_kernels.py)."""
