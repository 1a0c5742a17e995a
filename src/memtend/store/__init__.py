"""The only code that writes memory files, and how it keeps its word that nothing is lost.

    apply      Store: lock, recover, compare, plan, write, commit; log and undo
    plan       a change set turned into bytes and checked, before anything is written
    guard      how much may go at once
    undo       which receipts stand, and what taking one back means
    snapshot   the store as it is under the lock: what a plan is made on
    write      planned edits become files, all or none
    recover    an interrupted write is taken back
    journal    what was done, with the bytes before and after (docs/internals/journal.md)
    record     one record of the journal, as a value and as JSON
    receipt    what a caller gets back
    atomic     a file is the old one or the new one, never half
    files      paths that stay inside; folders that are read or named, never taken for empty
    lock       one writer at a time, whichever process it is
    git        one commit of what was written, and of nothing else
    pending    files that wait for a commit
    check      what is wrong with a store

Import from the modules: `from memtend.store.apply import Store`. Nothing is loaded that was not asked for.
"""
