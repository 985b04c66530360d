"""One llama.cpp server, as a process: `serve.py WEIGHTS` with xllamacpp on the path.

It says its address on standard output once the model is loaded, and lives until its standard input ends, so it cannot
outlive the test run that started it.
"""

import sys

import xllamacpp


def main() -> None:
    wanted = xllamacpp.CommonParams()  # its host is 127.0.0.1 and its port a free one
    wanted.model.path = sys.argv[1]
    wanted.model_alias = {"smollm2"}
    wanted.n_ctx = 4096
    wanted.n_parallel = 1
    wanted.endpoint_metrics = True
    # The threads wait for each other at every layer: on a busy machine two are up to ten times slower than one.
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    # A prompt that is partly remembered is computed in other pieces and may round to another answer at temperature 0.
    wanted.cache_prompt = False
    server = xllamacpp.Server(wanted)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
