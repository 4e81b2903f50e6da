"""A hash table that is spread over several machines."""

import socket
import time
from collections.abc import Callable
from collections.abc import Sequence
from concurrent import futures
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.eager import executor

from tensorflow_examples.custom_ops_doc.distributed_hash_table import (
    gen_distributed_hash_table_op,
)
from tensorflow_examples.custom_ops_doc.sharded_hash_table import (
    gen_sharded_hash_table_op,
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

    When a server is lost, what asks it raises `tf.errors.UnavailableError`, and
    the others serve on. When it is back, call `reconnect`, and restore a
    checkpoint.
    """

    def __init__(
        self,
        key_dtype: tf.DType | type | str,
        value_dtype: tf.DType | type | str,
        default_value: TensorLike,
        devices: Sequence[str],
        num_slots: int = 64,
        name: str = "DistributedHashTable",
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

        Raises:
          ValueError: If there is no device, or fewer slots than devices.
        """
        super().__init__()
        if not 1 <= len(devices) <= num_slots:
            raise ValueError(
                f"devices must be from 1 to num_slots, {num_slots}. There are: "
                f"{len(devices)}"
            )
        self._arguments = (key_dtype, value_dtype, default_value)
        self._name = name
        self._devices = tuple(devices)
        self._num_slots = num_slots
        self._client = tf.zeros([]).device
        # Each server's errors stay apart from those of the others.
        self._executors = [
            executor.new_executor(enable_async=False) for _ in devices
        ]
        self._tables = [self._make_table(i) for i in range(len(devices))]
        self._value_shape = self._tables[0].value_shape
        self._threads = futures.ThreadPoolExecutor(len(devices))

    def _make_table(self, server: int) -> sharded_hash_table.ShardedHashTable:
        with (
            context.executor_scope(self._executors[server]),
            tf.device(self._devices[server]),
        ):
            return sharded_hash_table.ShardedHashTable(
                *self._arguments, name=self._name
            )

    @property
    def key_dtype(self) -> tf.DType:
        """The type of the keys."""
        return self._tables[0].key_dtype

    @property
    def value_dtype(self) -> tf.DType:
        """The type of the values."""
        return self._tables[0].value_dtype

    @property
    def default_value(self) -> tf.Tensor:
        """What `lookup` returns for a key that is not in the table."""
        return self._tables[0].default_value

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the servers' devices."""
        return self._devices

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
        """
        servers = [
            i
            for i in range(len(self._devices))
            if not arguments or arguments[0][i] is not None
        ]
        of_server = {i: [each[i] for each in arguments] for i in servers}
        results = [None] * len(self._devices)
        if not tf.executing_eagerly():
            # A graph runs at one time what does not depend on each other.
            for i in servers:
                with tf.device(self._devices[i]):
                    results[i] = call(self._tables[i], *of_server[i])
            return results
        calls = {
            i: self._threads.submit(self._run, i, call, of_server[i], fetch)
            for i in servers[1:]
        }
        if servers:
            first = servers[0]
            try:
                results[first] = self._run(first, call, of_server[first], fetch)
            finally:
                # None is to be under way when this raises.
                futures.wait(calls.values())
        for i, under_way in calls.items():
            results[i] = under_way.result()
        return results

    def _run(
        self,
        server: int,
        call: Callable[..., Any],
        arguments: Sequence[Any] = (),
        fetch: bool = True,
    ) -> Any:
        """Calls a function in eager code and waits for what it does.

        A server is sent one operation after the other and tells of an error
        when it is asked for a result; where none is fetched, ask for another.
        """
        operations = self._executors[server]
        table = self._tables[server]
        with (
            context.executor_scope(operations),
            tf.device(self._devices[server]),
        ):
            try:
                results = call(table, *arguments)
                if fetch and results is not None:
                    return tf.nest.map_structure(self._fetch, results)
                table.size().numpy()
                return results
            except Exception:
                operations.clear_error()
                raise

    def _fetch(self, tensor: tf.Tensor) -> tf.Tensor:
        """Copies a tensor from a server to this process."""
        try:
            # An operation here would wait for ever for a server that is lost.
            return tensor._copy_nograd(context.context(), self._client)
        except RuntimeError:
            tensor.numpy()  # It raises what went wrong, as an OpError.
            raise

    def _partition(
        self, keys: tf.Tensor
    ) -> tuple[list[tf.Tensor | None], list[tf.Tensor]]:
        """Splits keys, a vector, by the servers that they belong to.

        Returns:
          For each server its keys, or None in eager code if it has none, and
          where they are in `keys`.
        """
        parts, positions = (
            gen_distributed_hash_table_op.examples_partition_by_hash(
                keys,
                num_partitions=len(self._devices),
                num_slots=self._num_slots,
            )
        )
        if tf.executing_eagerly():
            parts = [part if part.shape[0] else None for part in parts]
        return parts, positions

    def _per_key(
        self, values: TensorLike, keys: tf.Tensor, name: str
    ) -> tf.Tensor:
        """Turns what is for keys of any shape to what is for a vector of them.

        Raises:
          ValueError: If there is not one value for each key.
          tf.errors.InvalidArgumentError: Likewise, if that is not known before
            a graph runs.
        """
        values = tf.convert_to_tensor(values, self.value_dtype, name=name)
        wrong = f"{name} must have the shape of keys followed by a value's"
        shape = keys.shape.concatenate(self._value_shape)
        if not values.shape.is_compatible_with(shape):
            raise ValueError(f"{wrong}: {shape}. {name} shape: {values.shape}")
        if not (values.shape.is_fully_defined() and shape.is_fully_defined()):
            expected = tf.concat([tf.shape(keys), self._value_shape], 0)
            with tf.control_dependencies(
                [tf.debugging.assert_equal(tf.shape(values), expected, wrong)]
            ):
                values = tf.identity(values)
        return tf.reshape(values, [-1, *self._value_shape])

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
          TypeError or ValueError: If a type or a shape does not fit.
        """
        with tf.name_scope(name or f"{self._name}_lookup"):
            keys = tf.convert_to_tensor(keys, self.key_dtype, name="keys")
            # If None, each server takes its own copy of the table's.
            defaults = [None] * len(self._devices)
            parts, positions = self._partition(tf.reshape(keys, [-1]))
            if dynamic_default_values is not None:
                given = tf.convert_to_tensor(
                    dynamic_default_values, self.value_dtype, name="defaults"
                )
                if given.shape.rank == self._value_shape.rank:
                    defaults = [given] * len(self._devices)
                else:
                    given = self._per_key(given, keys, "dynamic_default_values")
                    defaults = [tf.gather(given, where) for where in positions]
            found = self._on_servers(
                sharded_hash_table.ShardedHashTable.lookup, parts, defaults
            )
            asked = [i for i, part in enumerate(parts) if part is not None]
            if not asked:
                return tf.zeros(
                    keys.shape.concatenate(self._value_shape), self.value_dtype
                )
            values = tf.dynamic_stitch(
                [positions[i] for i in asked], [found[i] for i in asked]
            )
            shape = keys.shape.concatenate(self._value_shape)
            if not shape.is_fully_defined():
                shape = tf.concat([tf.shape(keys), self._value_shape], 0)
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
            parts, positions = self._partition(tf.reshape(keys, [-1]))
            values = [tf.gather(values, where) for where in positions]
            return _group(self._on_servers(call, parts, values))

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
          TypeError or ValueError: If `keys` is of another type.
        """
        with tf.name_scope(name or f"{self._name}_remove"):
            keys = tf.convert_to_tensor(keys, self.key_dtype, name="keys")
            parts, _ = self._partition(tf.reshape(keys, [-1]))
            return _group(
                self._on_servers(
                    sharded_hash_table.ShardedHashTable.remove, parts
                )
            )

    def clear(self, name: str | None = None) -> tf.Operation | None:
        """Removes all keys.

        Args:
          name: A name for the operation.

        Returns:
          The operation in a graph, None in eager code.

        Raises:
          tf.errors.UnavailableError: If a server is lost.
        """
        with tf.name_scope(name or f"{self._name}_clear"):
            return _group(
                self._on_servers(sharded_hash_table.ShardedHashTable.clear)
            )

    def size(self, name: str | None = None) -> tf.Tensor:
        """Counts the keys.

        Args:
          name: A name for the operation.

        Returns:
          A `tf.int64` scalar.

        Raises:
          tf.errors.UnavailableError: If a server is lost.
        """
        with tf.name_scope(name or f"{self._name}_size"):
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
        """
        with tf.name_scope(name or f"{self._name}_export"):
            pairs = self._on_servers(sharded_hash_table.ShardedHashTable.export)
            return (
                tf.concat([keys for keys, _ in pairs], 0),
                tf.concat([values for _, values in pairs], 0),
            )

    def reconnect(self, timeout: float = 60.0) -> list[int]:
        """Makes the parts anew that were on servers that have been restarted.

        They are empty: restore a checkpoint. A `tf.function` that was traced
        before still refers to what is lost; make it anew, too.

        Args:
          timeout: For how many seconds to wait for the servers to be back.

        Returns:
          The indices of the servers whose part was lost.

        Raises:
          TimeoutError: If a server is not back by then. It is named, and the
            table is as it was.
        """
        lost = [i for i in range(len(self._devices)) if self._is_lost(i)]
        if lost:
            until = time.monotonic() + timeout
            server_def = context.get_server_def()
            for i in lost:
                _wait_for(_address(self._devices[i], server_def), until)
            context.update_server_def(server_def)
        for i in lost:
            self._tables[i] = self._make_table(i)
        return lost

    def _is_lost(self, server: int) -> bool:
        try:
            self._run(server, sharded_hash_table.ShardedHashTable.size)
        except tf.errors.OpError:
            return True
        return False

    def _slots(self) -> list[list[int]]:
        """Returns each server's slots, as the op that splits keys has them."""
        slots = [[] for _ in self._devices]
        for slot in range(self._num_slots):
            slots[slot * len(self._devices) // self._num_slots].append(slot)
        return slots

    def _serialize_to_tensors(self) -> dict[str, tf.Tensor]:
        """Gives what a checkpoint stores. Called by `Trackable`."""

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
            return gen_sharded_hash_table_op.examples_sharded_hash_table_import_slices(
                table.resource_handle,
                [restored_tensors[f"slot-{slot}-keys"] for slot in slots],
                [restored_tensors[f"slot-{slot}-values"] for slot in slots],
            )

        return _group(self._on_servers(on_server, self._slots()))


def _group(
    operations: Sequence[tf.Operation | None],
) -> tf.Operation | None:
    return None if tf.executing_eagerly() else tf.group(*operations)


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


tf.no_gradient("Examples>PartitionByHash")
