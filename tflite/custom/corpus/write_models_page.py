"""Runs every model of the corpus in every way and writes MODELS.md.

./bazelw run //tflite/custom/corpus:write_models_page
"""

import os
import sys

import tensorflow as tf
from absl import app

from tflite.custom.corpus import runs

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PAGE = "tflite/custom/corpus/MODELS.md"


def main(argv: list[str]) -> None:
    """Writes the page into the workspace that the program is run from."""
    del argv
    program = os.path.join(os.path.dirname(_FOLDER), "benchmark_model")
    rows: dict[str, list[runs.Row]] = {}
    for origin, paths in runs.models(_FOLDER).items():
        rows[origin] = []
        for path in paths:
            row = runs.run(path, runs.name_of(path), program)
            print(row.line(), *row.reasons(), *row.disagreements, sep="\n")
            rows[origin].append(row)
    workspace = os.environ["BUILD_WORKSPACE_DIRECTORY"]
    with open(os.path.join(workspace, _PAGE), "w") as file:
        file.write(runs.page(rows, tf.__version__))
    if any(row.disagreements for each in rows.values() for row in each):
        sys.exit("runtimes disagree: see above")


if __name__ == "__main__":
    app.run(main)
