"""Making a prompt version the current one, with its evidence, as one transaction."""
