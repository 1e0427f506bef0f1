"""git: a project's earlier states, what is about to be committed, and the hooks that check it.

process     runs git and turns its failures into row3's errors
trees       the files of a commit or the index
refs        commit names: validation, `REF...`, and the refs of a push
repository  finds a repository, answers questions about history, and commits
hooks       text, installation, removal and status of the three hooks
"""
