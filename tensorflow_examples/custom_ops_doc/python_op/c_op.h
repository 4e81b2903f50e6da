// What the module of every compiled op shares. Its text goes into the module's
// source, before the op's own, so that a change of it is a change of what is
// compiled. The caller holds the GIL throughout.
#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_PYTHON_OP_C_OP_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_PYTHON_OP_C_OP_H_

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#ifndef NPY_NO_DEPRECATED_API
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#endif
#include <numpy/arrayobject.h>

#include <exception>
#include <new>

namespace c_op {

// The symbolic type of an input or output: what an array must be.
struct TensorType {
  int type_num;
  const char* dtype;
  int ndim;
};

// Sets a TypeError unless the call is (list of inputs, list of storage cells),
// each cell a list with a place in it.
inline bool CheckArguments(PyObject* op, PyObject* const* arguments,
                           Py_ssize_t count, Py_ssize_t inputs,
                           Py_ssize_t outputs) {
  if (count != 2) {
    PyErr_Format(PyExc_TypeError,
                 "%U: takes inputs and output_storage, 2 arguments: got %zd",
                 op, count);
    return false;
  }
  const struct {
    const char* name;
    Py_ssize_t length;
  } wanted[] = {{"inputs", inputs}, {"output_storage", outputs}};
  for (int i = 0; i < 2; ++i) {
    if (!PyList_Check(arguments[i]) && !PyTuple_Check(arguments[i])) {
      PyErr_Format(PyExc_TypeError, "%U: %s must be a list: got %s", op,
                   wanted[i].name, Py_TYPE(arguments[i])->tp_name);
      return false;
    }
    if (PySequence_Fast_GET_SIZE(arguments[i]) != wanted[i].length) {
      PyErr_Format(PyExc_TypeError, "%U: %s must have %zd elements: got %zd",
                   op, wanted[i].name, wanted[i].length,
                   PySequence_Fast_GET_SIZE(arguments[i]));
      return false;
    }
  }
  for (Py_ssize_t i = 0; i < outputs; ++i) {
    PyObject* cell = PySequence_Fast_GET_ITEM(arguments[1], i);
    if (!PyList_Check(cell) || PyList_GET_SIZE(cell) < 1) {
      PyErr_Format(
          PyExc_TypeError,
          "%U: output_storage[%zd] must be a list of one element: got %R", op,
          i, cell);
      return false;
    }
  }
  return true;
}

// Sets a TypeError unless `array` has the type's dtype and number of
// dimensions.
inline bool CheckType(PyObject* op, const char* kind, int index,
                      PyArrayObject* array, const TensorType& type) {
  if (!PyArray_EquivTypenums(PyArray_TYPE(array), type.type_num)) {
    PyErr_Format(PyExc_TypeError, "%U: %s %d must have dtype %s: got %S", op,
                 kind, index, type.dtype,
                 reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
    return false;
  }
  if (PyArray_NDIM(array) != type.ndim) {
    PyErr_Format(PyExc_TypeError, "%U: %s %d must have ndim %d: got %d", op,
                 kind, index, type.ndim, PyArray_NDIM(array));
    return false;
  }
  return true;
}

// Sets an error unless the value is an array of the type that C code can read
// through plain pointers.
inline bool CheckInput(PyObject* op, int index, PyObject* value,
                       const TensorType& type) {
  if (!PyArray_Check(value)) {
    PyErr_Format(PyExc_TypeError,
                 "%U: input %d must be a numpy.ndarray: got %s", op, index,
                 Py_TYPE(value)->tp_name);
    return false;
  }
  PyArrayObject* array = reinterpret_cast<PyArrayObject*>(value);
  if (!CheckType(op, "input", index, array, type)) return false;
  if (!PyArray_ISBEHAVED_RO(array)) {
    PyErr_Format(PyExc_ValueError,
                 "%U: input %d must be aligned and in the machine's byte "
                 "order: got dtype %S, aligned %s",
                 op, index, reinterpret_cast<PyObject*>(PyArray_DESCR(array)),
                 PyArray_ISALIGNED(array) ? "True" : "False");
    return false;
  }
  return true;
}

// A new reference to what the storage cell holds, or NULL where that is nothing
// that the op could write its output to.
inline PyArrayObject* Reusable(PyObject* cell, const TensorType& type) {
  PyObject* value = PyList_GET_ITEM(cell, 0);
  if (!PyArray_Check(value)) return nullptr;
  PyArrayObject* array = reinterpret_cast<PyArrayObject*>(value);
  if (!PyArray_EquivTypenums(PyArray_TYPE(array), type.type_num) ||
      PyArray_NDIM(array) != type.ndim || !PyArray_ISBEHAVED(array)) {
    return nullptr;
  }
  Py_INCREF(value);
  return array;
}

// Sets an error unless the op left an array of the output's type.
inline bool CheckOutput(PyObject* op, int index, PyArrayObject* array,
                        const TensorType& type) {
  if (array == nullptr) {
    PyErr_Format(PyExc_RuntimeError,
                 "%U: c_code left output %d NULL: it must hold a new reference "
                 "to an array",
                 op, index);
    return false;
  }
  return CheckType(op, "output", index, array, type);
}

// Turns the C++ exception that is being handled into Python's.
inline void SetErrorFromException(PyObject* op) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_RuntimeError, "%U: c_code threw a C++ exception: %s", op,
                 error.what());
  } catch (...) {
    PyErr_Format(PyExc_RuntimeError,
                 "%U: c_code threw a C++ exception of no standard class", op);
  }
}

}  // namespace c_op

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_PYTHON_OP_C_OP_H_
