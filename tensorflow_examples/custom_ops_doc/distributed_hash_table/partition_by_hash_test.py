"""Tests of the op that splits keys by their hash."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import errors

from tensorflow_examples.custom_ops_doc.distributed_hash_table.gen_distributed_hash_table_op import (
    examples_partition_by_hash,
)


def _slot_of_each(keys, num_slots):
    _, positions = examples_partition_by_hash(
        keys, num_partitions=num_slots, num_slots=num_slots
    )
    slots = np.full(len(keys), -1)
    for slot, where in enumerate(positions):
        slots[where.numpy()] = slot
    return slots.tolist()


class PartitionByHashTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.parameters(
        (tf.range(10_000, dtype=tf.int32),),
        (tf.range(10_000, dtype=tf.int64) * 2**40,),
        (tf.strings.as_string(tf.range(10_000)),),
        (tf.fill([10_000], "a string too long for its own header" * 2),),
        (tf.zeros([0], tf.int64),),
    )
    def test_dynamic_stitch_undoes_it_and_order_is_kept(self, keys):
        parts, positions = examples_partition_by_hash(
            keys, num_partitions=3, num_slots=64
        )
        self.assertLen(parts, 3)
        self.assertAllEqual(tf.dynamic_stitch(positions, parts), keys)
        for where in positions:
            self.assertAllEqual(where, np.sort(where))

    @parameterized.parameters(
        (tf.range(100_000, dtype=tf.int32),),
        (tf.range(100_000, dtype=tf.int64) * 2**40,),
        (tf.strings.as_string(tf.range(100_000)),),
    )
    def test_slots_are_of_like_size(self, keys):
        parts, _ = examples_partition_by_hash(
            keys, num_partitions=64, num_slots=64
        )
        # Six times the deviation of a random function from its mean.
        self.assertAllInRange(
            [part.shape[0] for part in parts], 1562 - 240, 1562 + 240
        )

    def test_partitions_are_runs_of_slots(self):
        keys = tf.range(1000, dtype=tf.int64)
        slots = np.array(_slot_of_each(keys, 10))
        _, positions = examples_partition_by_hash(
            keys, num_partitions=3, num_slots=10
        )
        for partition, where in enumerate(positions):
            self.assertAllEqual(
                slots[where] * 3 // 10, np.full(where.shape, partition)
            )

    def test_hash_is_what_it_always_was(self):
        # A checkpoint is laid out by it. That of numbers is SplitMix64's
        # finalizer, here in Python's integers; that of strings is FarmHash's,
        # which tf.fingerprint has.
        numbers = [0, 1, 2, 77, 2**62, -1]
        upper_bits = []
        for number in numbers:
            x = number % 2**64
            x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
            upper_bits.append((x ^ x >> 31) >> 58)
        self.assertEqual(
            _slot_of_each(tf.constant(numbers, tf.int64), 64), upper_bits
        )
        strings = ["", "a", "hello", "x" * 100]
        highest_bytes = tf.fingerprint(strings).numpy()[:, 7]
        self.assertEqual(
            _slot_of_each(strings, 64), (highest_bytes >> 2).tolist()
        )

    def test_wrong_arguments_are_refused(self):
        keys = tf.range(3)
        for num_partitions, num_slots in ((3, 2), (1, 2**21)):
            with self.assertRaisesRegex(
                errors.InvalidArgumentError,
                "num_slots must be from num_partitions, "
                rf"{num_partitions}, to 1048576\. It is: {num_slots}",
            ):
                examples_partition_by_hash(
                    keys, num_partitions=num_partitions, num_slots=num_slots
                )
        with self.assertRaisesRegex(
            errors.InvalidArgumentError, r"keys must be a vector.*\[1,3\]"
        ):
            examples_partition_by_hash([keys], num_partitions=1, num_slots=1)
        with self.assertRaises(errors.InvalidArgumentError):
            examples_partition_by_hash([1.0], num_partitions=1, num_slots=1)

    def test_shapes_in_a_graph_are_vectors(self):
        @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)])
        def split(keys):
            parts, positions = examples_partition_by_hash(
                keys, num_partitions=2, num_slots=2
            )
            for each in parts + positions:
                self.assertEqual(each.shape.as_list(), [None])
            return parts

        self.assertEqual(
            sum(p.shape[0] for p in split(tf.range(9, dtype=tf.int64))), 9
        )


if __name__ == "__main__":
    tf.test.main()
