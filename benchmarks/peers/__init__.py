"""The same jobs by other tools that pip installs: `python -m benchmarks.peers`, or `make peers`.

    tables        the tables, written once as Parquet files that everybody reads
    preparing     writes them (a script, run as its own process)
    measuring     what each tool does to measure a table (a script, run as its own process)
    contestants   who takes part, who can't and why
    agreement     figures beside each other, each difference explained and the explanation computed
    histograms    crowds by size of a file, counted by DuckDB: what everybody is held against
    generalising  what each tool does to reach k (a script, run as its own process)
    releases      releases beside each other: is k met, what is lost, how long it took
    __main__      runs it all and fills docs/peers.md

Times are of whole processes, imports included, in interleaved rounds of one run.
"""
