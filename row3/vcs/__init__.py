"""git: what a project was, what is about to be committed, and the hooks that guard it; comments on its host.

process     starts git, and turns its refusals into row3's errors
trees       the files of a commit and of the index
refs        names of commits: safe ones, the branch that work forks from, what a push changes
repository  which repository a folder belongs to, the questions row3 asks about history, and its few writes
hooks       install, uninstall and status of the three hooks
hook_script the text of those hooks
github_comments  comments on a pull request, over GitHub's REST API; knows nothing of git
"""
