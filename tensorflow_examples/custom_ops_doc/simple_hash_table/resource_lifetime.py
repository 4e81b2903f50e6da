"""A test case that counts the resources that are alive."""

import gc

import tensorflow as tf

from tensorflow_examples.custom_ops_doc.simple_hash_table import (
    gen_resource_probe_op,
)


class ResourceLifetimeTestCase(tf.test.TestCase):
    """Counts, in each test, those that `testing_watch_resource` was told of."""

    def setUp(self):
        super().setUp()
        gc.collect()
        self._live_before = self._live_ever()

    def _live_ever(self):
        return int(gen_resource_probe_op.testing_live_resource_count())

    def _assert_live(self, count):
        gc.collect()
        self.assertEqual(self._live_ever() - self._live_before, count)
