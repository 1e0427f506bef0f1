"""`row3 leaderboard`: models and prompt versions ranked over the same cases."""
