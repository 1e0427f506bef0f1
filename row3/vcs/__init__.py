"""git: what a project was, what is about to be committed, and the hooks that guard it.

process     starts git, and turns its refusals into row3's errors
trees       the files of a commit and of the index
refs        names of commits: safe ones, the branch that work forks from, what a push changes
repository  which repository a folder belongs to, the questions row3 asks about history, and its few writes
hooks       text, install, uninstall and status of the three hooks
"""
