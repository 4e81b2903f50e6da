"""Tests of the ways to measure."""

import contextlib
import json
import time

from absl.testing import absltest

from benchmarks import measure
from benchmarks import row


def run_of(**changes) -> row.Run:
    return row.Run(
        **{
            "items": 10,
            "rounds": 4,
            "turn_seconds": 0.0,
            "threads": 1,
            "cleanup": contextlib.ExitStack(),
            **changes,
        }
    )


def hold_bytes(items: int) -> bytes:
    # The pages are resident because each is written to.
    return b"x" * items


def hold_twice(items: int) -> list[bytes]:
    return [hold_bytes(items), hold_bytes(items)]


def raise_error(items: int) -> None:
    raise ValueError(f"no room for {items}")


def end_process(items: int) -> None:
    raise SystemExit(3)


class InterleavedTest(absltest.TestCase):
    def test_sides_take_turns_in_one_order_and_then_in_the_other(self):
        turns = []
        costs = measure.interleaved(
            lambda run: {
                "a": lambda: turns.append("a"),
                "b": lambda: turns.append("b"),
            }
        )(run_of())
        # A call of each to warm up.
        self.assertEqual("".join(turns[2:]), "abbaabba")
        self.assertEqual(
            {k: len(v) for k, v in costs.items()}, {"a": 4, "b": 4}
        )

    def test_costs_are_nanoseconds_an_item(self):
        costs = measure.interleaved(
            lambda run: {"a": lambda: time.sleep(0.02)}
        )(run_of(items=1000))
        for cost in costs["a"]:
            self.assertBetween(cost, 20_000, 200_000)

    def test_a_turn_has_as_many_calls_as_fill_it(self):
        calls = []

        def call():
            calls.append(1)
            time.sleep(0.001)

        measure.interleaved(lambda run: {"a": call})(
            run_of(rounds=1, turn_seconds=0.05)
        )
        # 50 a turn, if a sleep were never longer than asked for.
        self.assertBetween(len(calls), 15, 150)

    def test_what_is_prepared_is_fresh_for_each_call_and_not_timed(self):
        made, used = [], []

        def prepare():
            time.sleep(0.05)
            made.append(object())
            return made[-1]

        costs = measure.interleaved(
            lambda run: {"a": measure.Prepared(prepare, used.append)}
        )(run_of(items=1))
        self.assertEqual(used, made)
        self.assertLess(min(costs["a"]), 0.05e9)


class GoogleBenchmarkTest(absltest.TestCase):
    def _entry(self, name, index, rate, **changes):
        return {
            "name": f"{name}/real_time/threads:2",
            "run_type": "iteration",
            "repetition_index": index,
            "items_per_second": rate,
            **changes,
        }

    def _costs(self, *entries):
        return measure.costs_of_report(
            json.dumps({"benchmarks": entries}), {"ours": "f"}
        )

    def test_report_gives_costs_in_the_order_of_repetitions(self):
        costs = self._costs(
            self._entry("f", 1, 1e9),
            self._entry("g", 0, 3e9),
            self._entry("f", 0, 2e9),
            self._entry("f", 0, 9e9, run_type="aggregate"),
        )
        self.assertEqual(costs, {"ours": [0.5, 1.0]})

    def test_report_without_the_benchmark_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no benchmark of the name f"):
            self._costs(self._entry("ff", 0, 1e9))

    def test_report_without_items_or_with_an_error_is_refused(self):
        entry = self._entry("f", 0, 1e9)
        del entry["items_per_second"]
        with self.assertRaisesRegex(ValueError, "f does not tell SetItems"):
            self._costs(entry)
        with self.assertRaisesRegex(ValueError, "f failed: too small"):
            self._costs(
                self._entry(
                    "f", 0, 1, error_occurred=True, error_message="too small"
                )
            )


class ResidentTest(absltest.TestCase):
    def test_costs_are_what_the_process_grows_by(self):
        costs = measure.resident({"a": hold_bytes, "b": hold_twice})(
            run_of(items=50_000_000, rounds=2)
        )
        for one, two in zip(costs["a"], costs["b"], strict=True):
            self.assertBetween(one, 0.99, 1.1)
            self.assertBetween(two, 1.99, 2.2)

    def test_an_error_in_the_process_is_told(self):
        with self.assertRaisesRegex(RuntimeError, "ValueError: no room for 1"):
            measure.resident({"a": raise_error})(run_of())

    def test_a_process_that_ends_is_told(self):
        with self.assertRaisesRegex(RuntimeError, "with status 3"):
            measure.resident({"a": end_process})(run_of())


if __name__ == "__main__":
    absltest.main()
