"""benchmark_model's --model_explorer, read by Model Explorer itself."""

import copy
import json
import os
import subprocess

import flatbuffers
from absl.testing import absltest
from ai_edge_litert import schema_py_generated as schema
from model_explorer import builtin_tflite_flatbuffer_adapter
from model_explorer import node_data_builder

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_ATAN_MODEL = os.path.join(_FOLDER, "atan.tflite")


def _with_graphs(*names: str | None) -> bytes:
    """Returns the trained model with a graph and a signature by each name."""
    with open(_ATAN_MODEL, "rb") as file:
        model = schema.ModelT.InitFromPackedBuf(file.read(), 0)
    (graph,), (signature,) = model.subgraphs, model.signatureDefs
    model.subgraphs, model.signatureDefs = [], []
    for i, name in enumerate(names):
        graph.name = name
        signature.signatureKey = f"key_{i}"
        signature.subgraphIndex = i
        model.subgraphs.append(copy.deepcopy(graph))
        model.signatureDefs.append(copy.deepcopy(signature))
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


class ModelExplorerTest(absltest.TestCase):
    """Its nodes are those that the times are of."""

    def _check(self, model: str, *flags: str) -> set[str]:
        """Holds the node data against the converted model; returns its graphs."""
        folder = self.create_tempdir().full_path
        path = os.path.join(folder, "node_data.json")
        report = os.path.join(folder, "report.json")
        subprocess.run(
            [
                os.path.join(_FOLDER, "benchmark_model"),
                model,
                "--use_xnnpack=false",
                "--num_runs=20",
                "--min_secs=0",
                "--warmup_min_secs=0",
                f"--model_explorer={path}",
                f"--json={report}",
                *flags,
            ],
            check=True,
            env={},
            stdout=subprocess.DEVNULL,
            timeout=60,
        )
        with open(path, encoding="utf-8") as file:
            written = json.load(file)
        data = node_data_builder.ModelNodeData(
            {
                graph: node_data_builder.GraphNodeData(
                    results={
                        node: node_data_builder.NodeDataResult(**result)
                        for node, result in of["results"].items()
                    },
                    gradient=[
                        node_data_builder.GradientItem(**item)
                        for item in of["gradient"]
                    ],
                )
                for graph, of in written.items()
            }
        )
        # What its own builder writes has all of it, and defaults.
        for graph, of in json.loads(data.to_json_string()).items():
            for field, value in written[graph].items():
                self.assertEqual(of[field], value)

        adapter = builtin_tflite_flatbuffer_adapter
        (collection,) = adapter.BuiltinTfliteFlatbufferAdapter().convert(
            model, {}
        )["graphCollections"]
        graphs = {graph["id"]: graph for graph in collection.graphs}
        with open(report, encoding="utf-8") as file:
            ops = json.load(file)["model"]["ops"]
        seen = 0
        for graph, of in written.items():
            nodes = {node["id"]: node for node in graphs[graph]["nodes"]}
            for node, result in of["results"].items():
                seen += 1
                (op,) = [
                    op
                    for op in ops
                    if str(op["node"]) == node
                    and op["name"].startswith(f"[{self._output(nodes[node])}]:")
                ]
                self.assertEqual(
                    op["type"].lower(), nodes[node]["label"].lower()
                )
                self.assertAlmostEqual(result["value"], op["avg_us"], places=3)
        self.assertLen(ops, seen)
        return set(written)

    def _output(self, node: dict) -> str:
        (output,) = node["outputsMetadata"]
        return {a["key"]: a["value"] for a in output["attrs"]}["tensor_name"]

    def test_trained_model(self) -> None:
        self.assertEqual(self._check(_ATAN_MODEL), {"main"})

    def test_graphs_whose_names_are_equal_or_missing(self) -> None:
        for names in [("a", "a"), (None, "b"), ("a", None)]:
            model = self.create_tempfile(
                "m.tflite", content=_with_graphs(*names), mode="wb"
            ).full_path
            for key in ["key_0", "key_1"]:
                with self.subTest(f"{names} {key}"):
                    self.assertLen(
                        self._check(model, f"--signature_to_run_for={key}"), 1
                    )


if __name__ == "__main__":
    absltest.main()
