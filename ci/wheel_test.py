"""Installs the wheel of //tools/wheel with pip, and runs every example from it.

./bazelw run //ci:wheel_test [-- TEST ...]

What is installed is the wheel with what it requires, from PyPI, in the versions of
the lock. The programs that run see that and nothing else: no runfiles, no compiler.
"""

import glob
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from auditwheel import wheel_abi
from auditwheel import wheeltools

_WHEEL = glob.glob("tools/wheel/wheel.dist/*.whl")[0]
_LOCKS = "tools/repositories/pypi"

# A release of TensorFlow for which the wheel was not built.
_OTHER_TENSORFLOW = "2.18.1" if "+tf2.17-" in _WHEEL else "2.17.1"

# TensorFlow and ai-edge-litert bring these.
_LIBRARIES_OF_OTHERS = frozenset(
    ["libtensorflow_framework.so.2", "libLiteRt.so"]
)

_MODULES = (
    "tensorflow_examples.custom_ops_doc.distributed_hash_table.distributed_hash_table",
    "tensorflow_examples.custom_ops_doc.keras_layers.hash_table_layer",
    "tensorflow_examples.custom_ops_doc.distributed_hash_table.table_server",
    "tensorflow_examples.custom_ops_doc.multiplex_2.multiplex_2_op",
    "tensorflow_examples.custom_ops_doc.multiplex_2.gen_multiplex_2_op",
    "tensorflow_examples.custom_ops_doc.sharded_hash_table.sharded_hash_table",
    "tensorflow_examples.custom_ops_doc.simple_hash_table.simple_hash_table",
    "tensorflow_examples.custom_ops_doc.simple_hash_table.gen_simple_hash_table_op",
    "tensorflow_examples.custom_ops_doc.variable_sparse_update.variable_sparse_update_op",
    "tensorflow_examples.custom_ops_doc.python_op.python_op",
)

_CONVERT = """
import sys
import tensorflow as tf
function = tf.function(tf.atan, input_signature=[tf.TensorSpec([3])])
converter = tf.lite.TFLiteConverter.from_concrete_functions(
    [function.get_concrete_function()], function)
converter.allow_custom_ops = True
open(sys.argv[1], "wb").write(converter.convert())
"""


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--no-compile",
            "--quiet",
            "--root-user-action=ignore",
            *arguments,
        ],
        capture_output=True,
        text=True,
    )


class WheelTest(unittest.TestCase):
    """The wheel in a Python that has neither Bazel nor a compiler."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.site = cls.folder / "site-packages"
        installed = _pip(
            f"--target={cls.site}",
            f"--constraint={cls.constraints()}",
            f"{_WHEEL}[litert]",
        )
        if installed.returncode:
            raise AssertionError(installed.stderr)
        [cls.distribution] = importlib.metadata.distributions(
            name="tensorflow-custom-ops", path=[str(cls.site)]
        )

    @classmethod
    def constraints(cls) -> Path:
        """Writes the lock of the wheel's TensorFlow as pip takes it without hashes."""
        release = re.search(r"\+tf([\d.]+)-", _WHEEL)[1]
        [lock] = glob.glob(f"{_LOCKS}/tensorflow-{release}.*.txt")
        path = cls.folder / "constraints.txt"
        path.write_text(re.sub(r" --hash=\S+", "", Path(lock).read_text()))
        return path

    def python(self, code: str, *arguments: str, before: str = "") -> str:
        """Runs a program with what was installed; returns what it printed."""
        path = [before] if before else []
        process = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *arguments],
            cwd=self.folder,
            env={
                "PATH": "/nonexistent",
                "PYTHONPATH": ":".join([*path, str(self.site)]),
                "TF_CPP_MIN_LOG_LEVEL": "3",
            },
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout

    def test_auditwheel_gives_the_same_platform(self):
        name = os.path.basename(_WHEEL)
        architecture = wheeltools.get_wheel_architecture(name)
        found = wheel_abi.analyze_wheel_abi(
            wheeltools.get_wheel_libc(name),
            architecture,
            Path(_WHEEL),
            _LIBRARIES_OF_OTHERS,
            disable_isa_ext_check=False,
            allow_graft=False,
        )
        print(f"auditwheel: {name} is {found.overall_policy.name}")
        self.assertIn(f"-{found.overall_policy.name}.whl", name)
        self.assertTrue(found.overall_policy.name.startswith("manylinux"))

    def test_metadata_pins_the_release_of_tensorflow(self):
        installed = importlib.metadata.distributions(
            name="tensorflow", path=[str(self.site)]
        )
        release = ".".join(next(iter(installed)).version.split(".")[:2])
        self.assertEqual(
            self.distribution.requires[:2],
            [f"tensorflow=={release}.*", "numpy"],
        )
        self.assertEqual(
            self.distribution.metadata["Requires-Python"], ">=3.11"
        )
        self.assertEqual(self.distribution.version, f"0.1.0+tf{release}")

    def test_pip_refuses_another_tensorflow(self):
        result = _pip(
            "--dry-run",
            f"--target={self.folder / 'unused'}",
            _WHEEL,
            f"tensorflow=={_OTHER_TENSORFLOW}",
        )
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("ResolutionImpossible", result.stderr)

    def test_multiplex_2(self):
        output = self.python("""
            from tensorflow_examples.custom_ops_doc.multiplex_2.multiplex_2_op import multiplex

            print(multiplex([True, False, True], [1, 2, 3], [10, 20, 30]).numpy())
        """)
        self.assertEqual(output, "[ 1 20  3]\n")

    def test_simple_hash_table(self):
        output = self.python("""
            from tensorflow_examples.custom_ops_doc.simple_hash_table.simple_hash_table import SimpleHashTable

            table = SimpleHashTable("string", float, default_value=-1.0)
            table.insert("a", 2.0)
            print(table.find("a").numpy(), table.find("b").numpy())
        """)
        self.assertEqual(output, "2.0 -1.0\n")

    def test_sharded_hash_table(self):
        output = self.python("""
            from tensorflow_examples.custom_ops_doc.sharded_hash_table.sharded_hash_table import ShardedHashTable

            table = ShardedHashTable("string", float, default_value=-1.0)
            table.insert(["a", "b"], [2.0, 3.0])
            print(table.lookup(["a", "c"]).numpy(), int(table.size()))
        """)
        self.assertEqual(output, "[ 2. -1.] 2\n")

    def test_keras_layers(self):
        output = self.python("""
            import os, tempfile
            import tensorflow as tf
            from tensorflow_examples.custom_ops_doc.keras_layers.hash_table_layer import HashTableLayer
            from tensorflow_examples.custom_ops_doc.multiplex_2.multiplex_2_op import multiplex

            ids = HashTableLayer("string", "int64", default_value=5)
            ids.table.insert(["a", "b"], [-1, 2])
            words = tf.keras.Input((None,), dtype="string")
            found = ids(words)
            model = tf.keras.Model(words, multiplex(found > 0, found, -found))
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.keras")
                model.save(path)
                model = tf.keras.models.load_model(path)
            print(model(tf.constant([["a", "b", "c"]])).numpy())
        """)
        self.assertEqual(output, "[[1 2 5]]\n")

    def test_distributed_hash_table(self):
        output = self.python("""
            import socket
            import subprocess
            import sys
            from tensorflow_examples.custom_ops_doc.distributed_hash_table.distributed_hash_table import (
                DistributedHashTable, connect)

            with socket.create_server(("127.0.0.1", 0)) as free:
                address = "127.0.0.1:%d" % free.getsockname()[1]
            server = subprocess.Popen(
                [sys.executable, "-m", "tensorflow_examples.custom_ops_doc.distributed_hash_table.table_server",
                 f"--cluster={address}", "--task_index=0"], stdout=subprocess.PIPE, text=True)
            assert server.stdout.readline() == f"serving at {address}\\n"
            try:
                table = DistributedHashTable("string", float, -1.0, connect([address]))
                table.insert(["a", "b"], [2.0, 3.0])
                print(table.lookup(["a", "c"]).numpy())
            finally:
                server.kill()
        """)
        self.assertEqual(output, "[ 2. -1.]\n")

    def test_simple_hash_table_by_its_typed_ops(self):
        output = self.python("""
            import tensorflow as tf
            from tensorflow_examples.custom_ops_doc.simple_hash_table import gen_simple_hash_table_op as ops

            table = ops.examples_simple_hash_table_create(key_dtype=tf.string, value_dtype=tf.float32)
            print(table.dtype)
        """)
        self.assertEqual(output, "<dtype: 'resource'>\n")

    def test_variable_sparse_update(self):
        output = self.python("""
            import tensorflow as tf
            from tensorflow_examples.custom_ops_doc.variable_sparse_update.variable_sparse_update_op import (
                variable_sparse_update,
            )

            v = tf.Variable([1, 2, 3, 4])
            variable_sparse_update(v, [[1], [3]], 10, "multiply")
            print(v.numpy())
        """)
        self.assertEqual(output, "[ 1 20  3 40]\n")

    def test_python_op(self):
        output = self.python("""
            import tensorflow as tf
            from tensorflow_examples.custom_ops_doc.python_op.python_op import Apply, Op, tensor

            class Double(Op):
                def make_node(self, x):
                    x = tensor.as_tensor_variable(x)
                    return Apply(self, [x], [x.type()])

                def perform(self, node, inputs, output_storage):
                    output_storage[0][0] = inputs[0] * 2

                def grad(self, inputs, output_grads):
                    return [output_grads[0] * 2]

            x = tf.constant([1.0, 2.0])
            print(Double()(x).numpy(), tf.function(Double())(x).numpy())
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = Double()(x)
            print(tape.gradient(y, x).numpy())
        """)
        self.assertEqual(output, "[2. 4.] [2. 4.]\n[2. 2.]\n")

    def test_tflite_kernels_in_every_runtime(self):
        self.python(_CONVERT, "atan.tflite")
        for runtime in ("tflite", "ai_edge_litert", "litert"):
            with self.subTest(runtime):
                output = self.python(
                    """
                    import sys
                    import numpy as np
                    from tflite.custom.python.interpreter import Interpreter

                    (y,) = Interpreter("atan.tflite", runtime=sys.argv[1]).run(np.float32([0, 1, -1]))
                    print(y, "tensorflow" in sys.modules)
                    """,
                    runtime,
                )
                self.assertEqual(
                    output, "[ 0.         0.7853982 -0.7853982] False\n"
                )
        with self.subTest("tf.lite"):
            output = self.python("""
                import numpy as np
                from tensorflow.lite.python.interpreter import InterpreterWithCustomOps
                from tflite.custom.python.registerers import custom_op_registerers

                interpreter = InterpreterWithCustomOps(
                    model_path="atan.tflite", custom_op_registerers=custom_op_registerers())
                interpreter.allocate_tensors()
                interpreter.set_tensor(0, np.float32([0, 1, -1]))
                interpreter.invoke()
                print(interpreter.get_tensor(1))
            """)
            self.assertEqual(output, "[ 0.         0.7853982 -0.7853982]\n")

    def test_beside_another_tensorflow_the_import_names_both_versions(self):
        other = self.folder / "other"
        (other / "tensorflow").mkdir(parents=True)
        (other / "tensorflow" / "__init__.py").write_text(
            f'__version__ = "{_OTHER_TENSORFLOW}"\n'
        )
        built = self.distribution.requires[0].removesuffix(".*").split("==")[1]
        other_release = re.escape(_OTHER_TENSORFLOW)
        for module in _MODULES:
            with self.subTest(module):
                output = self.python(
                    """
                    import importlib
                    import sys

                    try:
                        importlib.import_module(sys.argv[1])
                    except ImportError as error:
                        print(error)
                    print("_kernel.so" in open("/proc/self/maps").read())
                    """,
                    module,
                    before=str(other),
                )
                package = module.rpartition(".")[0]
                self.assertRegex(
                    output,
                    rf"^{package} was built for TensorFlow {built}\.\d+, and this is "
                    rf"TensorFlow {other_release}: its ops cannot be loaded\. Install "
                    rf"'tensorflow=={built}\.\*', or a tensorflow-custom-ops that "
                    r"was built for the one here\.\nFalse\n$",
                )


if __name__ == "__main__":
    unittest.main(verbosity=2)
