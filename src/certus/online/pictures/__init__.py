"""How streams are looked at while they are learned."""
