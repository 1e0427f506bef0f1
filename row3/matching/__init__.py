"""Which extracted item is which expected one. Pure: same input, same answer."""
