"""The releases of TensorFlow that the workspace is built and tested against."""

TENSORFLOW_VERSIONS = [
    "2.16.2",
    "2.17.1",
    "2.18.1",
    "2.19.1",
    "2.20.0",
    "2.21.0",
]

# What `--repo_env=TF_VERSION=...` is where it is not given.
DEFAULT_TENSORFLOW_VERSION = "2.21.0"
