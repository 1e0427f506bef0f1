#!/bin/sh
# The main job of row3 in a scratch clone: compare, promote, edit, blocked. No API key: the answers are recorded.
# Called by `make demo` with the folder of the installed programs.
set -eu
bin=$1
here=$(cd "$(dirname "$0")/.." && pwd)
demo="$here/.row3/demo"

# A demo in CI is still a demo: it writes into its own scratch clone only.
unset CI GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE 2>/dev/null || true
PATH="$bin:$PATH"
export PATH

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m'); fi
say() { printf '\n%s\n' "$bold$*$plain"; }
# As it would be typed: a word with a space in it stands in quotes.
shown() {
  typed=
  for word; do case $word in *" "*) word="\"$word\"" ;; esac; typed="$typed $word"; done
  printf '\n%s\n' "$dim\$$plain$bold$typed$plain"
}
run() { shown "$@"; "$@"; }
blocked() {
  shown "$@"
  if "$@"; then echo "demo: this should have been blocked" >&2; exit 1; else echo "(exit $?)"; fi
}

rm -rf "$demo"
mkdir -p "$demo"
for part in row3.toml golden prompts recordings baselines metrics-history.json CHANGELOG.md .gitattributes; do
  cp -R "$here/$part" "$demo/"
done
cd "$demo"
git init -q -b main .
git config user.name "row3 demo"
git config user.email "demo@localhost"
git config commit.gpgsign false
printf '.row3/\n' > .gitignore
git add -A
git commit -q -m "fifteen golden cases, v1.0 promoted, v1.1 a candidate"

say "1. Two candidates, v1.1 of both prompts, against the baseline of v1.0 over fifteen golden cases."
run row3 --compare

say "2. They are better, so they become current: lock, baseline, changelog, history, charts."
run row3 promote decompose-concepts-v1.1 --prompt map-ontology-v1.1 --commit
run row3 hook install

say "3. Somebody tidies the prompt. It reads better."
run git checkout -q -b tidy-prompt
run row3 new-version decompose-concepts
run cp "$here/examples/worse-draft/prompts/decompose-concepts-v1.2.md" prompts/
run row3 recordings import "$here/examples/worse-draft/answers.jsonl"
git add -A

say "4. row3 says what it lost, case by case and concept by concept ..."
blocked row3 --compare

say "5. ... and git does not let it in: not as a commit, and not as a merge of a commit made elsewhere."
git add -A
blocked git commit -q -m "Tidier prompt"
run git commit -q --no-verify -m "Tidier prompt"
run git checkout -q main
blocked git merge --no-ff tidy-prompt
git merge --abort 2>/dev/null || true

say "The scratch project is in .row3/demo: look at CHANGELOG.md, charts/ and prompts/ there."
