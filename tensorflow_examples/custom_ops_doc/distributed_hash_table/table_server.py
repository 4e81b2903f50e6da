"""A process that holds a part of the tables of others.

It listens on all interfaces, whatever address --cluster gives it, and asks nobody
for credentials: whoever reaches its port can run any operation of TensorFlow's
here, which read and write files, too. Run it in a network of its own.
"""

import tensorflow as tf
from absl import app
from absl import flags

# A server has to know the ops that it is to run.
from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    distributed_hash_table,  # noqa: F401
)

_CLUSTER = flags.DEFINE_list(
    "cluster", None, "The addresses of all servers, HOST:PORT, in their order."
)
_TASK_INDEX = flags.DEFINE_integer(
    "task_index", None, "Which of them this one is, from 0.", lower_bound=0
)
_JOB_NAME = flags.DEFINE_string("job_name", "tables", "Their common name.")


def main(argv: list[str]) -> None:
    """Serves until the process is ended."""
    if argv[1:]:
        raise app.UsageError(f"unknown argument: {argv[1]}")
    addresses = _CLUSTER.value
    if _TASK_INDEX.value >= len(addresses):
        raise app.UsageError(
            f"--task_index must be less than the {len(addresses)} addresses of "
            f"--cluster. It is: {_TASK_INDEX.value}"
        )
    server = tf.distribute.Server(
        tf.train.ClusterSpec({_JOB_NAME.value: addresses}),
        job_name=_JOB_NAME.value,
        task_index=_TASK_INDEX.value,
        # A thread that waits for work in a loop takes a core from whoever else
        # is on the machine, such as the client.
        config=tf.compat.v1.ConfigProto(
            experimental=tf.compat.v1.ConfigProto.Experimental(
                disable_thread_spinning=True
            )
        ),
    )
    print(f"serving at {addresses[_TASK_INDEX.value]}", flush=True)
    server.join()


if __name__ == "__main__":
    flags.mark_flags_as_required(["cluster", "task_index"])
    app.run(main)
