"""A tf.data service, for tests."""

import tensorflow as tf


class DataService:
    """A dispatcher and a worker, which end with the object.

    By TensorFlow's default they find each other by the name "localhost", and wait
    for ever where a small container does not know it.

    Attributes:
      target: What `tf.data.experimental.service.distribute` takes.
    """

    def __init__(self) -> None:
        """Starts them in this process."""
        service = tf.data.experimental.service
        self._dispatcher = service.DispatchServer()
        port = self._dispatcher.target.rpartition(":")[2]
        self._worker = service.WorkerServer(
            service.WorkerConfig(
                dispatcher_address=f"127.0.0.1:{port}",
                worker_address="127.0.0.1:%port%",
            )
        )
        self.target = f"grpc://127.0.0.1:{port}"
