"""Laboratories of learning theory: experiments that make its theorems visible."""
