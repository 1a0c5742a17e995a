#!/usr/bin/env bash
# What memtend does in a minute, in a folder of its own that is removed afterwards. `make demo` runs it.
set -eu

memtend=${MEMTEND:-memtend}
examples=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp -R "$examples/notes" notes
export GIT_CEILING_DIRECTORIES=$folder/..
unset MEMTEND_VAULT

say() { printf '\n== %s\n\n' "$*"; }
run() {
    printf '$ memtend'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9_./=-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    status=0
    "$memtend" "$@" 2>&1 || status=$?
    [ "$status" -le 3 ] || exit "$status"
}

say 'A vault is a folder of Markdown files.'
run init

say 'Learn a folder of notes and code. --yes follows the recommendations.'
run learn notes --yes
run list

say 'What is known already is not stored again.'
run learn notes --yes

say 'Search in plain words.'
run search 'why are writes slow after an index failed?' -n 1

say 'What an agent is handed for its prompt; the use is counted.'
run recall 'the parcel API answers 429' --max 1
run index

say 'New material about something known: without a yes there is only a plan, with reasons.'
cp -R .memory/10-Memories before
cat >later.md <<'NOTE'
# Timeouts of the HTTP client

The report service is the exception: it may take 60 seconds to read, and runs on a session of its own.
NOTE
run learn later.md --topic http --plan plan.json

say 'A person, or an agent, decides: this belongs to the memory about timeouts.'
run apply plan.json --decisions '{"seg-001": {"action": "extend", "target": "MEM-http-timeouts-of-the"}}'
run show http-timeouts-of-the

say 'Whatever was done can be taken back.'
run log
run undo
diff -r before .memory/10-Memories
echo 'Every byte is as it was.'
