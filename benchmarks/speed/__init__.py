"""How fast crowd sizes are counted, against the peers: `python -m benchmarks.speed`.

The job is the same for all: group a table of strings by all its columns, then count how many
groups have each size. Each contestant is a whole process, imports included.

    generating    makes a table (a script, run as its own process)
    tables        which tables there are, and where they are kept
    jobs          what each peer does with a table (a script, run as its own process)
    contestants   who takes part, and the command line of each
    children      runs a process: wall time, CPU time, peak memory
    answers       an answer reduced to facts; all contestants must agree on them
    rounds        interleaved rounds, medians
    pairs         who takes part in counting all pair tables
    in_process    reidrisk after its imports, against ARX's earlier figure
    huge          100 million records under a memory limit
    targets       what was hoped for, and whether it was reached
    machine       the machine and the versions, without names
    markdown      the tables of the report

The process that measures imports none of the libraries it measures: on Linux a child's peak
memory is never reported lower than its parent's at the moment of starting it.
"""
