"""What `row3 leaderboard` shows."""
