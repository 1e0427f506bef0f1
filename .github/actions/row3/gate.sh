#!/usr/bin/env bash
# The gate of one suite (SUITE) or of all: the log, the job's summary, the reports; ends with row3's exit code:
# 0 proceed or investigate, 1 blocked, 2 a file or a setting that cannot be used, 3 incomplete.
set -euo pipefail

scope=(--all)
if [ -n "${SUITE:-}" ]; then scope=(--suite "$SUITE"); fi
base=()
against=${AGAINST:-}
known() { git rev-parse --quiet --verify "$1^{commit}" > /dev/null 2>&1; }
# Of a branch that was pushed for the first time GitHub says that the commit before was forty zeros.
if [ -n "${against//0/}" ]; then
  # After a force push the commit before may be in no branch any more; GitHub still has it for a while.
  known "$against" || git fetch --quiet --no-tags -- origin "$against" 2> /dev/null || true
  if ! known "$against"; then
    # Else the base branch judges, unless it has the change already: that would be judged by itself, and row3 says
    # that the commit is missing.
    branch=origin/${BRANCH:-}
    if [ -n "${BRANCH:-}" ] && known "$branch" && ! git merge-base --is-ancestor HEAD "$branch"; then
      echo "::warning title=row3::$against is gone, as after a force push: $branch judges in its place"
      against=$branch
      echo "against=$against" >> "${GITHUB_OUTPUT:-/dev/null}"
    fi
  fi
  base=(--against "$against")
fi

code=0
row3 --compare "${scope[@]}" --mode "${MODE:-replay}" "${base[@]}" --format "${FORMAT:-github}" || code=$?

case "$code" in
  0) verdict=passed ;;
  1) verdict=blocked ;;
  3) verdict=incomplete ;;
  *) verdict=unusable ;;
esac
echo "verdict=$verdict" >> "${GITHUB_OUTPUT:-/dev/null}"

# Reports replay: what was recorded a moment ago is not asked for again. They judge nothing; the gate has.
if [ -n "${REPORTS:-}" ]; then
  mkdir -p "$REPORTS"
  look=(row3 --compare --mode replay "${base[@]}" --quiet)
  "${look[@]}" "${scope[@]}" --format junit --out "$REPORTS/row3-junit.xml" || true
  "${look[@]}" "${scope[@]}" --format markdown --out "$REPORTS/row3.md" || true
  suites=("${SUITE:-}")
  if [ -z "${SUITE:-}" ]; then
    names='import json, sys; print(*(each["suite"] for each in json.load(sys.stdin)["suites"]), sep="\n")'
    mapfile -t suites < <("${look[@]}" --all --format json | python -P -c "$names")
  fi
  for suite in "${suites[@]}"; do
    if [ -n "$suite" ]; then
      row3 report --suite "$suite" --mode replay "${base[@]}" --quiet --out "$REPORTS/$suite.html" || true
    fi
  done
  if [ ! -f "$REPORTS/row3-junit.xml" ]; then echo "::warning title=row3::no report could be written"; fi
fi
exit "$code"
