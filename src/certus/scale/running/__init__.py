"""Who computes on blocks besides the serial runner of `certus.base.blocks`."""
