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

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
    printf '$ memtend %s\n' "$*"
    "$memtend" "$@"
}

say '1. A vault is a folder of Markdown files.'
run init

say '2. Learn a folder of notes and code; --yes follows the recommendations.'
run learn notes --yes

say '3. Each memory is a file that any editor can open.'
run list

say '4. Search in plain words.'
run search 'why are writes slow after an index failed?' -n 1

say '5. What an agent is handed before it starts.'
run recall 'add retries to the parcel client' --max 1

say '6. Learning the same folder again adds nothing.'
run learn notes --yes || true

say '7. A new fact about something known is no new memory.'
cp -R .memory/10-Memories before
cat >later.md <<'NOTE'
# Timeouts

Every call has two timeouts: 2 seconds to connect and 10 seconds to read, set on the client.
The report service is the exception: it may take 60 seconds to read.
NOTE
run learn later.md --dry-run

say '8. Whatever was done can be taken back, to the byte.'
run learn later.md --yes || true
run log
run undo
diff -r before .memory/10-Memories && echo 'Every byte is back.'
