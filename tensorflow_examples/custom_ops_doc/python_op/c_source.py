"""The C++ source of a Python extension module for one op applied to one node.

The names that an op's C code may use, beside Python's and NumPy's C API, where `i` counts
inputs and outputs from 0:

| name                                     | what it is                                     |
|------------------------------------------|------------------------------------------------|
| `inputs[i]`, `INPUT_i`                   | a `PyArrayObject*`, borrowed, not to be changed |
| `outputs[i]`, `OUTPUT_i`                 | a `PyArrayObject*`: what the storage cell held, or NULL; to be left with a new reference |
| `dtype_X`                                | for a variable X: the C type of its elements, such as `npy_float64` |
| `DTYPE_INPUT_i`, `DTYPE_OUTPUT_i`        | the same, by place                             |
| `TYPENUM_INPUT_i`, `TYPENUM_OUTPUT_i`    | NumPy's number of the dtype, such as `NPY_FLOAT64` |
| `ITEMSIZE_INPUT_i`, `ITEMSIZE_OUTPUT_i`  | bytes an element                               |
| `sub["fail"]`, `FAIL`                    | ends the op; a Python exception is set before  |
| `sub["params"]`, `PARAMS`                | the `PyObject*` of `get_params(node)`, borrowed |
| `APPLY_SPECIFIC(X)`                      | X with the node's name added                   |

They are Theano's and PyTensor's. As there, `c_code_cleanup` sees what `c_code` declared, and runs
whether it failed or not: so `c_code` must not jump, by `fail`, over a declaration that has an
initialiser. An op without a `c_code_cleanup` may.
"""

import inspect
import pathlib
import re
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import numpy as np

# The module's name is that of its PyInit function: the same for all, the path tells them apart.
MODULE_NAME = "python_op_c_code"

_NODE = "node_0"
_FAIL_LABEL = "c_op_fail"
_HEADER = pathlib.Path(__file__).with_name("c_op.h")

# Numbers alone: their elements are C values, which plain pointers reach.
_DTYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
    *(f"complex{bits}" for bits in (64, 128)),
)

# Code that belongs to a struct for each node, which Theano generates and this module does not.
_UNSUPPORTED = (
    "c_cleanup_code_struct",
    "c_init_code_struct",
    "c_support_code_struct",
)


class CCodeUnsupportedError(Exception):
    """An op asks for C code of a kind that is not offered; the message says which."""


def op_method(op: Any, name: str) -> Callable[..., Any] | None:
    """Returns an op's method, or None where the op has none of that name."""
    method = getattr(op, name, None)
    return method if callable(method) else None


def call_optional(op: Any, name: str, *arguments: Any, default: Any) -> Any:
    """Returns what an optional method gives.

    Args:
      op: the op.
      name: the method's name.
      *arguments: what the method is called with.
      default: what is returned where the op lacks the method, or where it
        raises NotImplementedError, as the contract's abstract methods do, or
        gives None.
    """
    method = op_method(op, name)
    if method is None:
        return default
    try:
        result = method(*arguments)
    except NotImplementedError:
        return default
    return default if result is None else result


def substitute(what: str, code: str, names: dict[str, str]) -> str:
    """Returns C code with its `%(name)s` replaced.

    Code without any is returned as it is: the op did its own substitution. In
    code with some, `%%` stands for `%`, as in a Python format, and any other `%`
    for itself.

    Args:
      what: what the code is, for the error: `Double: c_code`.
      code: C code.
      names: what the names stand for.

    Raises:
      ValueError: a `%(name)s` that is not in `names`.
    """
    if not re.search(r"%\(\w+\)s", code):
        return code

    def replacement(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if match[1] not in names:
            raise ValueError(
                f"{what} leaves {match[0]} to be substituted: "
                f"the name must be one of {', '.join(sorted(names))}"
            )
        return names[match[1]]

    return re.sub(r"%%|%\((\w+)\)s", replacement, code)


def _takes_name(op: Any) -> bool:
    """Whether c_code is (node, name, inputs, outputs, sub) and not without `name`."""
    parameters = inspect.signature(op.c_code).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    count = sum(
        p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        for p in parameters
    )
    if count not in (4, 5):
        raise TypeError(
            f"{op}: c_code must take (node, inputs, outputs, sub) or "
            f"(node, name, inputs, outputs, sub): it takes {count} arguments"
        )
    return count == 5


class _Variable:
    """An input or output of a node as C code sees it."""

    def __init__(self, kind: str, index: int, name: str, variable: Any) -> None:
        dtype = str(variable.type.dtype)
        if dtype not in _DTYPES:
            raise CCodeUnsupportedError(
                f"{kind} {index} has dtype {dtype}: c_code is for {', '.join(_DTYPES)}"
            )
        self.index = index
        self.name = name
        self.place = f"{kind.upper()}_{index}"
        self.c_type = f"npy_{dtype}"
        self.type_num = f"NPY_{dtype.upper()}"
        self.itemsize = np.dtype(dtype).itemsize
        self.tensor_type = (
            f'{{{self.type_num}, "{dtype}", {int(variable.type.ndim)}}}'
        )

    def definitions(self) -> list[str]:
        """Returns the lines, at the top of the source, that name the type."""
        return [
            f"typedef {self.c_type} dtype_{self.name};",
            f"#define DTYPE_{self.place} {self.c_type}",
            f"#define TYPENUM_{self.place} {self.type_num}",
            f"#define ITEMSIZE_{self.place} {self.itemsize}",
            f"#define {self.place} {self.name}",
            f"static const c_op::TensorType type_{self.name} = {self.tensor_type};",
        ]


def _variables(
    kind: str, names: Sequence[str], variables: Sequence[Any]
) -> list[_Variable]:
    return [
        _Variable(kind, index, name, variable)
        for index, (name, variable) in enumerate(
            zip(names, variables, strict=True)
        )
    ]


def _piece(name: str, code: str) -> list[str]:
    """Returns an op's code so that the compiler's messages say `name:line`."""
    if not code.strip():
        return []
    return [f'#line 1 "{name}"', code, '#line 1 "python_op"']


def _include(header: str) -> str:
    return "#include " + (header if header[0] in '<"' else f'"{header}"')


def c_source(op: Any, node: Any) -> str | None:
    """Returns the source of an extension module that runs `op` on `node`'s types.

    The module is `MODULE_NAME` and has one function, `bind(op_name, params)`,
    which returns the implementation: a callable of `(inputs, output_storage)`.
    The source holds neither the op's name nor its address, so that ops with the
    same code share what is compiled.

    Args:
      op: has `c_code`, and may have `c_support_code`, `c_support_code_apply`,
        `c_init_code`, `c_init_code_apply`, `c_headers`, `c_code_cleanup`,
        `check_input`.
      node: an Apply: its inputs' and outputs' `type` have `dtype` and `ndim`.

    Returns:
      C++17, or None where the op has no `c_code` or one that raises
      NotImplementedError, which says that there is none for this node.

    Raises:
      CCodeUnsupportedError: a dtype or method that is not offered.
      TypeError: `c_code` has other parameters than the contract's, or gives no
        string.
      ValueError: `c_code` leaves a `%(name)s` that stands for nothing.
    """
    method = op_method(op, "c_code")
    if method is None:
        return None
    sub = {
        "fail": f"{{ goto {_FAIL_LABEL}; }}",
        "id": "0",
        "params": "PARAMS",
    }
    count = len(node.inputs)
    input_names = [f"V{i + 1}" for i in range(count)]
    output_names = [f"V{count + i + 1}" for i in range(len(node.outputs))]
    name = [_NODE] if _takes_name(op) else []
    try:
        code = method(node, *name, input_names, output_names, dict(sub))
    except NotImplementedError:
        return None
    if not isinstance(code, str):
        raise TypeError(f"{op}: c_code must return a string: got {code!r}")
    inputs = _variables("input", input_names, node.inputs)
    outputs = _variables("output", output_names, node.outputs)
    cleanup = call_optional(
        op,
        "c_code_cleanup",
        node,
        _NODE,
        input_names,
        output_names,
        dict(sub),
        default="",
    )
    for unsupported in _UNSUPPORTED:
        if call_optional(op, unsupported, node, _NODE, default=""):
            raise CCodeUnsupportedError(
                f"{unsupported} is not offered: c_support_code_apply and c_init_code are"
            )
    names = {
        **sub,
        "name": _NODE,
        **{f"i{variable.index}": variable.name for variable in inputs},
        **{f"o{variable.index}": variable.name for variable in outputs},
    }
    return "\n".join(
        [
            _HEADER.read_text(),
            *(
                _include(header)
                for header in call_optional(op, "c_headers", default=())
                if header
            ),
            *(
                line
                for variable in (*inputs, *outputs)
                for line in variable.definitions()
            ),
            f"#define APPLY_SPECIFIC(name) name##_{_NODE}",
            f"#define FAIL {sub['fail']}",
            *_support_code(op, node),
            *_run(
                op,
                inputs,
                outputs,
                _piece("c_code", substitute(f"{op}: c_code", code, names)),
                _piece(
                    "c_code_cleanup",
                    substitute(f"{op}: c_code_cleanup", cleanup, names),
                ),
            ),
            *_module(op, node),
            "",
        ]
    )


def _support_code(op: Any, node: Any) -> list[str]:
    return [
        *_piece(
            "c_support_code", call_optional(op, "c_support_code", default="")
        ),
        *_piece(
            "c_support_code_apply",
            call_optional(op, "c_support_code_apply", node, _NODE, default=""),
        ),
    ]


def _run(
    op: Any,
    inputs: Sequence[_Variable],
    outputs: Sequence[_Variable],
    code: list[str],
    cleanup: list[str],
) -> list[str]:
    """Returns the function that is called for each evaluation."""
    checks = []
    if getattr(op, "check_input", True):
        checks = [
            f"  if (!c_op::CheckInput(c_op_name, {v.index}, "
            f"PySequence_Fast_GET_ITEM(arguments[0], {v.index}), type_{v.name})) return nullptr;"
            for v in inputs
        ]
    # An op without c_code_cleanup may jump over declarations, since the label is outside their block. A cleanup
    # must see what c_code declared, as in Theano.
    label = f"[[maybe_unused]] {_FAIL_LABEL}:;"
    body = (
        ["{", *code, "c_op_failed = false;", label, *cleanup, "}"]
        if cleanup
        else ["{", *code, "}", "c_op_failed = false;", label]
    )
    return [
        "static PyObject* c_op_run(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {",
        "  PyObject* c_op_name = PyTuple_GET_ITEM(self, 0);",
        "  [[maybe_unused]] PyObject* PARAMS = PyTuple_GET_ITEM(self, 1);",
        f"  if (!c_op::CheckArguments(c_op_name, arguments, count, {len(inputs)}, {len(outputs)})) return nullptr;",
        *checks,
        *(
            f"  PyArrayObject* {v.name} = reinterpret_cast<PyArrayObject*>("
            f"PySequence_Fast_GET_ITEM(arguments[0], {v.index}));"
            for v in inputs
        ),
        # Held, for c_code may let go of the GIL and another thread change the lists.
        *(f"  Py_INCREF({v.name});" for v in inputs),
        *(
            f"  PyObject* cell_{v.name} = PySequence_Fast_GET_ITEM(arguments[1], {v.index});\n"
            f"  Py_INCREF(cell_{v.name});\n"
            f"  PyArrayObject* {v.name} = c_op::Reusable(cell_{v.name}, type_{v.name});"
            for v in outputs
        ),
        "  bool c_op_failed = true;",
        "  try {",
        *body,
        "  } catch (...) {",
        "    c_op_failed = true;",
        "    c_op::SetErrorFromException(c_op_name);",
        "  }",
        "  if (PyErr_Occurred()) {",
        "    c_op_failed = true;",
        "  } else if (c_op_failed) {",
        '    PyErr_Format(PyExc_RuntimeError, "%U: c_code failed and set no Python exception", c_op_name);',
        "  }",
        *(
            f"  c_op_failed = c_op_failed || !c_op::CheckOutput(c_op_name, {v.index}, {v.name}, type_{v.name});"
            for v in outputs
        ),
        *(
            line
            for v in outputs
            for line in (
                "  if (c_op_failed) {",
                f"    Py_XDECREF({v.name});",
                "  } else {",
                f"    PyList_SetItem(cell_{v.name}, 0, reinterpret_cast<PyObject*>({v.name}));",
                "  }",
                f"  Py_DECREF(cell_{v.name});",
            )
        ),
        *(f"  Py_DECREF({v.name});" for v in inputs),
        "  if (c_op_failed) return nullptr;",
        "  Py_RETURN_NONE;",
        "}",
    ]


def _module(op: Any, node: Any) -> list[str]:
    """Returns the module's own functions and its table."""
    init = [
        *call_optional(op, "c_init_code", default=()),
        call_optional(op, "c_init_code_apply", node, _NODE, default=""),
    ]
    return [
        "static PyMethodDef c_op_run_method = {",
        '    "c_implementation", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)(void)>(c_op_run)),',
        '    METH_FASTCALL, "c_implementation(inputs, output_storage)"};',
        "static PyObject* c_op_bind(PyObject*, PyObject* name_and_params) {",
        "  PyObject *name, *params;",
        '  if (!PyArg_ParseTuple(name_and_params, "UO", &name, &params)) return nullptr;',
        "  return PyCFunction_New(&c_op_run_method, name_and_params);",
        "}",
        "static PyMethodDef c_op_methods[] = {",
        '    {"bind", c_op_bind, METH_VARARGS, "bind(op_name, params)"}, {nullptr, nullptr, 0, nullptr}};',
        "static int c_op_exec(PyObject*) {",
        "  import_array1(-1);",
        *_piece("c_init_code", "\n".join(init)),
        "  return PyErr_Occurred() ? -1 : 0;",
        "}",
        "static PyModuleDef_Slot c_op_slots[] = {",
        "    {Py_mod_exec, reinterpret_cast<void*>(c_op_exec)}, {0, nullptr}};",
        "static PyModuleDef c_op_module = {",
        f'    PyModuleDef_HEAD_INIT, "{MODULE_NAME}", nullptr, 0, c_op_methods, c_op_slots, nullptr, nullptr, nullptr}};',
        f"PyMODINIT_FUNC PyInit_{MODULE_NAME}() {{ return PyModuleDef_Init(&c_op_module); }}",
    ]
