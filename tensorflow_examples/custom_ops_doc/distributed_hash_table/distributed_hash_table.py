"""A hash table that is spread over several machines."""

import queue
import socket
import threading
import time
import weakref
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from concurrent import futures
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.eager import executor

from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    gen_distributed_hash_table_op,
)
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    sharded_hash_table,
)

TensorLike = tf.types.experimental.TensorLike

# What TensorFlow calls it by default.
_CLIENT_JOB = "localhost"


def connect(
    addresses: Sequence[str],
    job_name: str = "tables",
    client_address: str | None = None,
) -> list[str]:
    """Connects this program to servers of tables.

    Call it once, at the start of the program: it forgets what TensorFlow held
    on servers that it was connected to before.

    This program then listens for the servers, as each of them does, and
    TensorFlow asks nobody for credentials and listens on all interfaces,
    whatever address is given: whoever reaches the port can run operations here.
    Keep both in a network of their own.

    Args:
      addresses: "HOST:PORT" of each `table_server`, in the order of its
        `--cluster`.
      job_name: The servers' `--job_name`.
      client_address: "HOST:PORT" at which the servers reach this program, as
        they do for a `tf.function`. If None, the address that it has on its way
        to the first of them, and a port that is free.

    Returns:
      The names of their devices, for `DistributedHashTable`.

    Raises:
      ValueError: If there is no address.
      OSError: If the first server's host is not known.
      tf.errors.UnavailableError or tf.errors.DeadlineExceededError: If one
        of them does not answer.
    """
    if not addresses:
        raise ValueError("addresses must name at least one server.")
    # Left to itself, TensorFlow tells the servers that this program is at
    # "localhost", which on another machine is that one.
    tf.config.experimental_connect_to_cluster(
        tf.train.ClusterSpec(
            {
                job_name: list(addresses),
                _CLIENT_JOB: [client_address or _own_address(addresses[0])],
            }
        ),
        job_name=_CLIENT_JOB,
        protocol="grpc",
    )
    return [
        f"/job:{job_name}/replica:0/task:{i}/device:CPU:0"
        for i in range(len(addresses))
    ]


class _Server:
    """A server's part of a table, and a thread that calls it.

    What waits inside of TensorFlow cannot be interrupted and may hold Python's
    lock. So a thread of its own waits, and whoever wants the answer waits for
    that thread for as long as is wanted. It makes one call after the other, as
    the runtime sends a server one operation after the other.
    """

    def __init__(self, device: str, client: str) -> None:
        self.device = device
        self._calls = queue.SimpleQueue()
        # A program may end while a server is silent: not a thread of `futures`.
        threading.Thread(
            target=_make_calls, args=(device, client, self._calls), daemon=True
        ).start()
        weakref.finalize(self, self._calls.put, None).atexit = False

    def submit(
        self, call: Callable[..., Any], *arguments: Any, fetch: bool = True
    ) -> futures.Future:
        """Has a function called with operations on the server.

        Args:
          call: It gets the server's part of the table and the arguments.
          *arguments: More arguments.
          fetch: Whether results are to be here, or else on the server.

        Returns:
          The future of what it returns.
        """
        future = futures.Future()
        self._calls.put((future, call, arguments, fetch))
        return future


def _make_calls(device: str, client: str, calls: queue.SimpleQueue) -> None:
    """Makes calls, one after the other, until there is None."""

    def own(argument: Any) -> Any:
        with tf.device(client):
            return tf.identity(argument) if tf.is_tensor(argument) else argument

    def fetch(tensor: tf.Tensor) -> tf.Tensor:
        # A copy would keep Python's lock; an operation here that reads what is
        # there would wait for ever for a server that is lost.
        array = tensor.numpy()
        with tf.device(client):
            return tf.constant(array, tensor.dtype)

    # Each server has an executor: an error of its own, and a queue of its own
    # of tensors to delete. TensorFlow may wait for the default one, as at the
    # end of `executor_scope`, and nothing is to be in it that waits for a
    # server. So what is or was sent there, the table too, belongs to this
    # thread, which deletes it.
    operations = executor.new_executor(enable_async=False)
    context.context().executor = operations
    table = None
    while (item := calls.get()) is not None:
        future, call, arguments, fetched = item
        results = None
        if future.set_running_or_notify_cancel():
            try:
                arguments = tf.nest.map_structure(own, arguments)
                with tf.device(device):
                    results = call(table, *arguments)
                    if call is _make:
                        table, results = results, None
                    if fetched and results is not None:
                        results = tf.nest.map_structure(fetch, results)
                    else:
                        # The server tells of an error when it is asked.
                        table.size().numpy()
                future.set_result(results)
            except BaseException as error:
                operations.clear_error()
                future.set_exception(error.with_traceback(None))
        del item, future, call, arguments, results
    del table  # Before `operations`.


def _make(
    _: sharded_hash_table.ShardedHashTable | None, *arguments: Any
) -> sharded_hash_table.ShardedHashTable:
    """Makes a server's part of a table, in place of what is there."""
    return sharded_hash_table.ShardedHashTable(*arguments)


class DistributedHashTable(tf.__internal__.tracking.Trackable):
    """A mutable hash table whose keys are spread over servers by their hash.

    Its methods are those of `ShardedHashTable`, of which it has one on each
    server. A batch of keys is split, each server is asked once for all of its
    keys, all at the same time, and the answers are put together again.

    >>> devices = connect(["localhost:2222", "localhost:2223"])
    >>> table = DistributedHashTable(tf.int64, tf.float32, -1.0, devices)
    >>> table.insert([1, 2, 3], [10.0, 20.0, 30.0])
    >>> table.lookup([3, 4]).numpy()
    array([30., -1.], dtype=float32)

    The servers are any of TensorFlow's, such as `tf.distribute.Server` or the
    parameter servers of `tf.distribute`, that have imported this module.

    What holds for a `ShardedHashTable` holds for each key. A batch is not one
    step, and if a server fails in the midst of it, the others have done their
    part.

    A checkpoint holds a fixed number of slots; a server writes those that it
    holds, to a folder that all servers see. A table with another number of
    servers restores it.

    All servers are asked at once, and other threads of Python run meanwhile. If
    a server has not answered after `timeout` seconds the call raises
    `tf.errors.DeadlineExceededError`, which names it. An answer that comes later
    is dropped. What was to be written there is then written or not: it is if it
    was on its way, and always before what is written later.

    When a server is lost, what asks it raises `tf.errors.UnavailableError`, and
    the others serve on. When it is back, call `reconnect`, and restore a
    checkpoint.

    A `tf.function`, a `tf.data.Dataset`, a Keras layer or a `tf.compat.v1` graph
    calls the methods through `tf.numpy_function`. So it runs in this program only,
    not compiled by XLA, and a SavedModel cannot hold it.
    """

    def __init__(
        self,
        key_dtype: tf.DType | type | str,
        value_dtype: tf.DType | type | str,
        default_value: TensorLike,
        devices: Sequence[str],
        num_slots: int = 64,
        name: str = "DistributedHashTable",
        timeout: float | None = 60.0,
    ) -> None:
        """Makes an empty table.

        Args:
          key_dtype: The type of the keys, as `ShardedHashTable` takes it.
          value_dtype: The type of the values, likewise.
          default_value: What `lookup` returns for a key that is not in the
            table. Its shape is that of each value.
          devices: The names of the servers' devices, as `connect` returns them.
          num_slots: How many slots a checkpoint has. A table that is to restore
            it must have as many, and no more servers than that.
          name: A name for the operations of the table.
          timeout: For how many seconds a call waits for the servers; None for
            as long as it takes. It may be changed later: `table.timeout`. What
            TensorFlow does itself when it writes or reads a checkpoint has no
            such limit, nor has an eager iterator over a `tf.data.Dataset`.

        Raises:
          ValueError: If there is no device, or fewer slots than devices.
          tf.errors.DeadlineExceededError: If a server is silent.
        """
        super().__init__()
        if not 1 <= len(devices) <= num_slots:
            raise ValueError(
                f"devices must be from 1 to num_slots, {num_slots}. There are: "
                f"{len(devices)}"
            )
        self.timeout = timeout
        self._name = name
        self._num_slots = num_slots
        self._client = tf.constant("").device  # Strings are never on a GPU.
        default_value = tf.convert_to_tensor(default_value, value_dtype)
        self._value_shape = default_value.shape
        self._arguments = (
            tf.as_dtype(key_dtype),
            tf.as_dtype(value_dtype),
            default_value,
            name,
        )
        self._servers = [_Server(device, self._client) for device in devices]
        self._make_tables(range(len(devices)))

    @property
    def key_dtype(self) -> tf.DType:
        """The type of the keys."""
        return self._arguments[0]

    @property
    def value_dtype(self) -> tf.DType:
        """The type of the values."""
        return self._arguments[1]

    @property
    def default_value(self) -> tf.Tensor:
        """What `lookup` returns for a key that is not in the table."""
        return self._arguments[2]

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the servers' devices."""
        return tuple(server.device for server in self._servers)

    def _make_tables(self, servers: Iterable[int]) -> None:
        """Makes some servers' parts of the table."""
        self._wait(
            {
                i: self._servers[i].submit(_make, *self._arguments)
                for i in servers
            }
        )

    def _on_servers(
        self,
        call: Callable[..., Any],
        *arguments: Sequence[Any],
        fetch: bool = True,
    ) -> list[Any]:
        """Calls a function for each server, and returns what it returned.

        Args:
          call: It gets the server's table and the server's of each argument,
            and runs with operations on the server.
          *arguments: Each a sequence of what is for each server. Where the
            first has None there is nothing to do.
          fetch: Whether results are to be here, or else on the server.

        Returns:
          What it returned for each server, None for where it was not called.

        Raises:
          tf.errors.OpError: What a server tells, or else a
            tf.errors.DeadlineExceededError with the servers that are silent.
        """
        return self._wait(
            {
                i: self._servers[i].submit(
                    call, *(each[i] for each in arguments), fetch=fetch
                )
                for i in range(len(self._servers))
                if not arguments or arguments[0][i] is not None
            }
        )

    def _wait(self, calls: dict[int, futures.Future]) -> list[Any]:
        """Waits for what servers answer, as long as `timeout` says."""
        try:
            futures.wait(calls.values(), self.timeout)
        finally:
            # A call that waits behind another is not to be sent any more.
            for call in calls.values():
                call.cancel()
        results = [None] * len(self._servers)
        silent = []
        for i, call in calls.items():
            if call.done() and not call.cancelled():
                results[i] = call.result()
            else:
                silent.append(self._server_name(i))
        if silent:
            raise tf.errors.DeadlineExceededError(
                None,
                None,
                f"no answer in {self.timeout} s from {', '.join(silent)}. What "
                "was to be written there may be written or not.",
            )
        return results

    def _server_name(self, server: int) -> str:
        device = self._servers[server].device
        return f"{device} at {_address(device, context.get_server_def())}"

    def _from_graph(
        self,
        method: Callable[..., Any],
        arguments: Sequence[tf.Tensor] = (),
        specs: Sequence[tf.TensorSpec] = (),
    ) -> Any:
        """Has a graph call a method as eager code does.

        The graph could run the servers' operations itself. It would wait for
        ever for a server that is silent, and keep handles of what is lost.

        Args:
          method: It takes `arguments`, and returns a tensor, some or None.
          arguments: What it gets when the graph runs.
          specs: Types and shapes of what it returns.

        Returns:
          What it returns; the operation if that is None.
        """

        def call(*arrays: Any) -> list[Any]:
            # An error would lose its class on its way through TensorFlow.
            code, message, results = 0, "", None
            with context.eager_mode():
                try:
                    results = method(*arrays)
                except tf.errors.OpError as error:
                    code, message = error.error_code, error.message
                    results = [tf.zeros([], spec.dtype) for spec in specs]
            results = [] if results is None else tf.nest.flatten(results)
            return [
                np.int32(code),
                message,
                *(each.numpy() for each in results),
            ]

        with tf.device(self._client):
            # To trace a `py_function` TensorFlow waits for its executor, which
            # may have to tell a silent server of a function.
            code, message, *results = tf.numpy_function(
                call,
                arguments,
                [tf.int32, tf.string, *(s.dtype for s in specs)],
            )
            for result, spec in zip(results, specs, strict=True):
                result.set_shape(spec.shape)
            results = gen_distributed_hash_table_op.examples_values_or_error(
                code, message, results
            )
        return results[0] if len(specs) == 1 else results

    def _partition(
        self, keys: tf.Tensor
    ) -> tuple[list[tf.Tensor | None], list[tf.Tensor]]:
        """Splits keys by the servers that they belong to.

        Returns:
          For each server its keys, or None if it has none, and where they are
          in `keys`, read as a vector.
        """
        parts, positions = (
            gen_distributed_hash_table_op.examples_partition_by_hash(
                tf.reshape(keys, [-1]),
                num_partitions=len(self._servers),
                num_slots=self._num_slots,
            )
        )
        return [part if part.shape[0] else None for part in parts], positions

    def _gather(
        self, values: tf.Tensor, positions: Sequence[tf.Tensor]
    ) -> list[tf.Tensor]:
        """Splits what is for each key as `_partition` splits the keys."""
        values = tf.reshape(values, [-1, *self._value_shape])
        return [tf.gather(values, where) for where in positions]

    def _per_key(
        self, values: TensorLike, keys: tf.Tensor, name: str
    ) -> tf.Tensor:
        """Converts what has to be one value for each key.

        Raises:
          ValueError: If it is not.
        """
        values = tf.convert_to_tensor(values, self.value_dtype, name=name)
        shape = keys.shape.concatenate(self._value_shape)
        if not values.shape.is_compatible_with(shape):
            raise ValueError(
                f"{name} must have the shape of keys followed by a value's: "
                f"{shape}. {name} shape: {values.shape}"
            )
        return values

    def lookup(
        self,
        keys: TensorLike,
        dynamic_default_values: TensorLike | None = None,
        name: str | None = None,
    ) -> tf.Tensor:
        """Returns the values of keys.

        Args:
          keys: Of type `key_dtype` and any shape.
          dynamic_default_values: What to return for keys that are not in the
            table, of type `value_dtype`: one value for all, or one for each of
            `keys`. If None, the table's `default_value`.
          name: A name for the operation.

        Returns:
          Of type `value_dtype`, and of the shape of `keys` followed by that of
          one value.

        Raises:
          tf.errors.UnavailableError: If a server is lost.
          tf.errors.DeadlineExceededError: If a server is silent.
          TypeError or ValueError: If a type or a shape does not fit.
        """
        with tf.name_scope(name or f"{self._name}_lookup"):
            keys = tf.convert_to_tensor(keys, self.key_dtype, name="keys")
            shape = keys.shape.concatenate(self._value_shape)
            # If None, each server takes the table's.
            given = dynamic_default_values
            if given is not None:
                given = tf.convert_to_tensor(given, self.value_dtype)
                if not given.shape.is_compatible_with(self._value_shape):
                    given = self._per_key(given, keys, "dynamic_default_values")
            if not tf.executing_eagerly():
                return self._from_graph(
                    self.lookup,
                    [keys] if given is None else [keys, given],
                    [tf.TensorSpec(shape, self.value_dtype)],
                )
            parts, positions = self._partition(keys)
            defaults = [given] * len(parts)
            if given is not None and given.shape != self._value_shape:
                defaults = self._gather(given, positions)
            found = self._on_servers(
                sharded_hash_table.ShardedHashTable.lookup, parts, defaults
            )
            asked = [i for i, part in enumerate(parts) if part is not None]
            if not asked:
                return tf.zeros(shape, self.value_dtype)
            values = tf.dynamic_stitch(
                [positions[i] for i in asked], [found[i] for i in asked]
            )
            return tf.reshape(values, shape)

    def insert(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Sets the values of keys, which may be in the table already.

        Args:
          keys: Of type `key_dtype` and any shape. Of a key that is there more
            than once, the last value counts.
          values: Of type `value_dtype`, and of the shape of `keys` followed by
            that of one value.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          tf.errors.UnavailableError: If a server is lost. The others have set
            what is theirs.
          tf.errors.DeadlineExceededError: If a server is silent, likewise; it
            may set what is its own.
          tf.errors.InvalidArgumentError: If a shape does not fit. The table
            stays as it was.
          TypeError or ValueError: If a type does not fit, or in a graph a shape.
        """
        return self._write(
            sharded_hash_table.ShardedHashTable.insert,
            keys,
            values,
            name or f"{self._name}_insert",
        )

    def accumulate(
        self, keys: TensorLike, deltas: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Adds to the values of keys; one that is new starts from zero.

        Args:
          keys: As for `insert`; all deltas of a key are added.
          deltas: As the values of `insert`.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          As `insert`.
        """
        return self._write(
            sharded_hash_table.ShardedHashTable.accumulate,
            keys,
            deltas,
            name or f"{self._name}_accumulate",
        )

    def _write(
        self,
        call: Callable[..., Any],
        keys: TensorLike,
        values: TensorLike,
        name: str,
    ) -> tf.Operation | None:
        with tf.name_scope(name):
            keys = tf.convert_to_tensor(keys, self.key_dtype, name="keys")
            values = self._per_key(values, keys, "values")
            if not tf.executing_eagerly():
                return self._from_graph(
                    lambda *arguments: self._write(call, *arguments, name),
                    [keys, values],
                )
            parts, positions = self._partition(keys)
            self._on_servers(call, parts, self._gather(values, positions))
            return None

    def remove(
        self, keys: TensorLike, name: str | None = None
    ) -> tf.Operation | None:
        """Removes keys and their values.

        Args:
          keys: Of type `key_dtype` and any shape. Those that are not in the
            table are ignored.
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          tf.errors.UnavailableError: If a server is lost. The others have
            removed what is theirs.
          tf.errors.DeadlineExceededError: If a server is silent, likewise; it
            may remove what is its own.
          TypeError or ValueError: If `keys` is of another type.
        """
        with tf.name_scope(name or f"{self._name}_remove"):
            keys = tf.convert_to_tensor(keys, self.key_dtype, name="keys")
            if not tf.executing_eagerly():
                return self._from_graph(self.remove, [keys])
            parts, _ = self._partition(keys)
            self._on_servers(sharded_hash_table.ShardedHashTable.remove, parts)
            return None

    def clear(self, name: str | None = None) -> tf.Operation | None:
        """Removes all keys.

        Args:
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          tf.errors.UnavailableError: If a server is lost.
          tf.errors.DeadlineExceededError: If a server is silent.
        """
        with tf.name_scope(name or f"{self._name}_clear"):
            if not tf.executing_eagerly():
                return self._from_graph(self.clear)
            self._on_servers(sharded_hash_table.ShardedHashTable.clear)
            return None

    def size(self, name: str | None = None) -> tf.Tensor:
        """Counts the keys.

        Args:
          name: A name for the operation.

        Returns:
          A `tf.int64` scalar.

        Raises:
          tf.errors.UnavailableError: If a server is lost.
          tf.errors.DeadlineExceededError: If a server is silent.
        """
        with tf.name_scope(name or f"{self._name}_size"):
            if not tf.executing_eagerly():
                return self._from_graph(
                    self.size, specs=[tf.TensorSpec([], tf.int64)]
                )
            return tf.add_n(
                self._on_servers(sharded_hash_table.ShardedHashTable.size)
            )

    def export(self, name: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns all keys and their values.

        Args:
          name: A name for the operation.

        Returns:
          A vector of the keys, in no particular order, and their values, a
          tensor whose first dimension is that of the keys. What is from one
          server is as of one moment.

        Raises:
          tf.errors.UnavailableError: If a server is lost.
          tf.errors.DeadlineExceededError: If a server is silent.
        """
        with tf.name_scope(name or f"{self._name}_export"):
            if not tf.executing_eagerly():
                shape = tf.TensorShape([None])
                keys, values = self._from_graph(
                    self.export,
                    specs=[
                        tf.TensorSpec(shape, self.key_dtype),
                        tf.TensorSpec(
                            shape.concatenate(self._value_shape),
                            self.value_dtype,
                        ),
                    ],
                )
                return keys, values
            pairs = self._on_servers(sharded_hash_table.ShardedHashTable.export)
            return (
                tf.concat([keys for keys, _ in pairs], 0),
                tf.concat([values for _, values in pairs], 0),
            )

    def reconnect(self, timeout: float = 60.0) -> list[int]:
        """Makes the parts anew that were on servers that have been restarted.

        They are empty: restore a checkpoint.

        Args:
          timeout: For how many seconds to wait for the servers to be back.

        Returns:
          The indices of the servers whose part was lost.

        Raises:
          TimeoutError: If a server is not back by then, or is silent. It is
            named, and the table is as it was.
        """
        until = time.monotonic() + timeout
        calls = [
            server.submit(sharded_hash_table.ShardedHashTable.size)
            for server in self._servers
        ]
        futures.wait(calls, timeout)
        lost = []
        for i, call in enumerate(calls):
            call.cancel()
            if call.cancelled() or not call.done():
                raise TimeoutError(f"no answer from {self._server_name(i)}")
            if call.exception() is not None:
                lost.append(i)
        if lost:
            server_def = context.get_server_def()
            for i in lost:
                _wait_for(_address(self.devices[i], server_def), until)
            context.update_server_def(server_def)
        self._make_tables(lost)
        return lost

    def _slots(self) -> list[list[int]]:
        """Returns each server's slots, as the op that splits keys has them."""
        slots = [[] for _ in self._servers]
        for slot in range(self._num_slots):
            slots[slot * len(self._servers) // self._num_slots].append(slot)
        return slots

    def _serialize_to_tensors(self) -> dict[str, tf.Tensor]:
        """Gives what a checkpoint stores. Called by `Trackable`.

        Raises:
          NotImplementedError: If it is for a SavedModel.
        """
        if not tf.executing_eagerly():
            raise NotImplementedError(
                "A DistributedHashTable cannot be in a SavedModel, which has no "
                "servers. Save a tf.train.Checkpoint."
            )

        def on_server(
            table: sharded_hash_table.ShardedHashTable, slots: list[int]
        ) -> dict[str, tf.Tensor]:
            keys, values = table.export()
            parts, positions = (
                gen_distributed_hash_table_op.examples_partition_by_hash(
                    keys,
                    num_partitions=self._num_slots,
                    num_slots=self._num_slots,
                )
            )
            tensors = {}
            for slot in slots:
                tensors[f"slot-{slot}-keys"] = parts[slot]
                tensors[f"slot-{slot}-values"] = tf.gather(
                    values, positions[slot]
                )
            return tensors

        tensors = {}
        for of_server in self._on_servers(
            on_server, self._slots(), fetch=False
        ):
            tensors.update(of_server)
        return tensors

    def _restore_from_tensors(
        self, restored_tensors: dict[str, tf.Tensor]
    ) -> tf.Operation | None:
        """Takes what a checkpoint stored. Called by `Trackable`."""

        def on_server(
            table: sharded_hash_table.ShardedHashTable, slots: list[int]
        ) -> tf.Operation | None:
            keys, values = (
                tf.concat(
                    [restored_tensors[f"slot-{slot}-{kind}"] for slot in slots],
                    0,
                )
                for kind in ("keys", "values")
            )
            return table.do_import(keys, values)

        if tf.executing_eagerly():
            self._on_servers(on_server, self._slots())
            return None
        # TensorFlow makes a function of what several machines read.
        tables = self._on_servers(lambda table: [table], fetch=False)
        operations = []
        for server, [table], slots in zip(
            self._servers, tables, self._slots(), strict=True
        ):
            with tf.device(server.device):
                operations.append(on_server(table, slots))
        return tf.group(*operations)


def _address(device: str, server_def: Any) -> str:
    """Returns the address of a device's server, of a `tensorflow.ServerDef`."""
    spec = tf.DeviceSpec.from_string(device)
    for job in server_def.cluster.job:
        if job.name == spec.job:
            return job.tasks[spec.task]
    raise ValueError(f"{device} is not of the cluster: {server_def.cluster}")


def _host_and_port(address: str) -> tuple[str, int]:
    """Takes "HOST:PORT" apart, of which HOST may be "[IPV6]"."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _own_address(server: str) -> str:
    """Returns a free address of this machine on its way to a server's."""
    host, port = _host_and_port(server)
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_DGRAM
    )[0]
    with socket.socket(family, kind) as route:
        route.connect(address)  # It sends nothing.
        own = route.getsockname()[0]
    with socket.socket(family) as free:
        free.bind((own, 0))
        port = free.getsockname()[1]
    return f"[{own}]:{port}" if ":" in own else f"{own}:{port}"


def _wait_for(address: str, until: float) -> None:
    """Waits for a server to take connections.

    Args:
      address: "HOST:PORT".
      until: When to give up, as `time.monotonic` has it.

    Raises:
      TimeoutError: If it still does not.
    """
    while True:
        try:
            with socket.create_connection(_host_and_port(address), 1.0):
                return
        except OSError as error:
            if time.monotonic() >= until:
                raise TimeoutError(
                    f"the server at {address} is not back: {error}"
                ) from error
        time.sleep(0.1)


for _op in ("PartitionByHash", "ValuesOrError"):
    tf.no_gradient(f"Examples>{_op}")
