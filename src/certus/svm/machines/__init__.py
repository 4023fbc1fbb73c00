"""What the machines share: parameters, reading of input, the kernel expansion and its predictions."""
