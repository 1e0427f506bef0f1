"""git: what a project was, what is about to be committed, and the hooks that watch over it; comments on its host.

    process     starts git, and turns its refusals into row3's errors
    discovery   which repository a folder belongs to, also where git exported another one to a hook
    trees       files of a commit or of the index, written to a folder
    refs        names of commits, and the branch that work forks from
    repository  the questions row3 asks about history, and its few writes
    hooks       install, uninstall and status of the three hooks
    hook_script the text of those hooks
    hook_files  whose the files in a hooks folder are, and how they are written
    pushes      what git tells a pre-push hook
    github_comments  comments on a pull request, over GitHub's REST API; knows nothing of git

The only user of gitpython, for finding the repository of a linked worktree in a hook; git itself is run as a process.
"""
