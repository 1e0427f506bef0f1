#!/bin/sh
# The main job of row3 in a scratch clone: compare, edit, blocked. No API key: the answers are recorded.
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
say() { printf '\n%s\n' "$bold$*$plain"; joined=1; }
# As it would be typed: a word with a space in it stands in quotes. An empty line parts it from the output of others.
joined=
shown() {
  typed=
  for word; do case $word in *" "*) word="\"$word\"" ;; esac; typed="$typed $word"; done
  [ -n "$joined" ] || echo
  joined=
  printf '%s\n' "$dim\$$plain$bold$typed$plain"
}
run() { shown "$@"; "$@"; }
# Without its output, which is kept in .row3/said.
quietly() { shown "$@"; "$@" >> .row3/said 2>&1; joined=1; }
blocked() {
  shown "$@"
  if "$@"; then echo "demo: this should have been blocked" >&2; exit 1; else echo "(exit $?)"; fi
}
# The same, of which only the first lines are shown.
blocked_briefly() {
  shown "$@"
  if "$@" > .row3/last 2>&1; then echo "demo: this should have been blocked" >&2; exit 1; else code=$?; fi
  cat .row3/last >> .row3/said
  sed -n 1,2p .row3/last
  grep -E "^✗ BLOCK|row3 stops|not promoted" .row3/last
  echo "... (exit $code)"
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
git commit -q -m "fifteen golden cases, v1.2 promoted"

say "1. Two prompts, promoted as v1.2: over fifteen golden cases they do what their baseline says."
run row3 --compare -q
run row3 history --action promotion --last 1
quietly row3 hook install

say "2. Somebody tidies the first prompt. It reads better."
quietly git checkout -q -b tidy-prompt
quietly row3 new-version decompose-concepts
quietly cp "$here/examples/worse-draft/prompts/decompose-concepts-v1.3.md" prompts/
quietly row3 recordings import "$here/examples/worse-draft/answers.jsonl"
git add -A

say "3. row3 says what it lost, case by case and concept by concept, and does not promote it."
blocked row3 --compare -q
blocked_briefly row3 promote v1.3

say "4. Git does not let it in: not as a commit, and not as a merge of a commit made elsewhere."
git add -A
blocked_briefly git commit -q -m "Tidier prompt"
quietly git commit -q --no-verify -m "Tidier prompt"
git checkout -q main
blocked_briefly git merge --no-ff tidy-prompt
git merge --abort 2>/dev/null || true

say "The scratch project is in .row3/demo: look at CHANGELOG.md, golden/ and prompts/ there."
