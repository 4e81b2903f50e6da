"""Tests of what compile_commands makes of an action."""

import unittest

from tools.compile_commands import compile_commands

_FOLDERS = compile_commands.Folders(
    "/work", "/base", "/base/execroot/custom_ops"
)
_ACTION = {
    "arguments": [
        "external/debian_cc/bin/clang",
        "--gcc-install-dir=external/debian_cc/root/gcc/12",
        "-DPATH=a/external/b",
        "-MD",
        "-MF",
        "bazel-out/k8-opt/bin/x.d",
        "-iquote",
        ".",
        "-iquote",
        "bazel-out/k8-opt/bin",
        "-Iexternal/pypi/include",
        "--sysroot=external/debian_cc/root",
        "-c",
        "pkg/x.cc",
        "-o",
        "bazel-out/k8-opt/bin/x.o",
    ]
}


class CommandsTest(unittest.TestCase):
    def test_paths_lead_out_of_the_execution_root_and_outputs_are_gone(self):
        [entry] = compile_commands.commands([_ACTION], _FOLDERS)
        self.assertEqual(
            entry,
            {
                "directory": "/work",
                "file": "/work/pkg/x.cc",
                "arguments": [
                    "/base/external/debian_cc/bin/clang",
                    "--gcc-install-dir=/base/external/debian_cc/root/gcc/12",
                    "-DPATH=a/external/b",
                    "-iquote",
                    ".",
                    "-iquote",
                    "/base/execroot/custom_ops/bazel-out/k8-opt/bin",
                    "-I/base/external/pypi/include",
                    "--sysroot=/base/external/debian_cc/root",
                    "-c",
                    "pkg/x.cc",
                ],
            },
        )

    def test_a_source_that_two_actions_compile_is_there_once(self):
        entries = compile_commands.commands([_ACTION, _ACTION], _FOLDERS)
        self.assertEqual(len(list(entries)), 1)

    def test_a_generated_source_lies_in_bazel_out(self):
        source = "bazel-out/k8-opt/bin/gen.cc"
        action = {"arguments": ["clang", "-c", source]}
        [entry] = compile_commands.commands([action], _FOLDERS)
        self.assertEqual(entry["file"], f"/base/execroot/custom_ops/{source}")


if __name__ == "__main__":
    unittest.main()
