"""A run is a directory: what was planned, a journal of every sample that ended, and from these the logs.

    <log directory>/runs/<UTC time>-<short id>/
        run.0.jsonl          the plan, each job with what its samples depend on, and where its log went
        <job>.0.jsonl        a job's journal: the header of its log, then a line a sample
        <job>.1.jsonl        more of it: a later command's, or another process's
        lock                 held by the command that works on the run

No file is ever opened again by another process, let alone rewritten: a command that resumes a run adds files of the
next number. So only the last line of a file can be cut short by a crash, and nothing that was whole can be damaged.
A line is a JSON object whose last field is a checksum (`lines`). No name ends in `.json` or `.eval`: under a log
directory these are logs.

What can be lost. `JournalWriter.append` hands each line to the operating system before it returns, so a process that
is killed loses no sample that was appended: only those whose requests were in flight, or answered and not yet scored.
A second thread makes lines durable (fsync) every 50 of them and at least every second: a power cut loses these at
most, and what is on the disk of a file is whole up to its last line.

Engines. An engine gets a `Recording`: it runs each job's samples but those in `done`, and for each job calls

    recording.begin(job_id, header)     with an EvalLog without samples, as inspect's
                                        eval(..., run_samples=False) returns it
    recording.ended(job_id, sample)     for each EvalSample that ended, in an error or not; False gives up the others
    recording.outcome(job_id)           for what it returns, if it makes no log of its own: `assemble` then does

inspect's engine does this through hooks (`openbench.run.journal.hooks`), and skips samples through its early stopping
(`openbench.run.journal.skipping`). Other processes run parts of a job with a recording that passes on to the run's own
what has ended (`openbench.run.shards`); on this machine, each of them writes a journal of its own.
"""

from openbench.run.journal.assemble import assemble
from openbench.run.journal.counting import Recording, Told
from openbench.run.journal.directory import RecordedJob, RunDirectory
from openbench.run.journal.journal import Journal, read_journal
from openbench.run.journal.recording import RunRecording, record
from openbench.run.journal.writer import JournalWriter

__all__ = [
    "Journal",
    "JournalWriter",
    "RecordedJob",
    "Recording",
    "RunDirectory",
    "RunRecording",
    "Told",
    "assemble",
    "read_journal",
    "record",
]
