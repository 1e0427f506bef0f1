"""Who answers a request. Each module talks to one outside thing and knows none of its siblings' insides."""
