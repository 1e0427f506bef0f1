"""Live runs: estimate and cap the cost, ask a provider, and save each answer as it arrives."""
