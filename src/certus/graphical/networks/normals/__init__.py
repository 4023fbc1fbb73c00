"""Continuous nodes: linear means with normal noise, given the states of discrete parents."""
