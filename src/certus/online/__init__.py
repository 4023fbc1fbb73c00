"""Online learning: experts, linear learners and bandits, each with a ledger of its regret."""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
