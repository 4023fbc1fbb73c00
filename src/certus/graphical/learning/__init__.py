"""What hidden Markov models share: the contract, the rounds of learning, the chain."""
