// Finds out how to read an array, and checks what all kinds of arrays have in common.
#include "runtime/adapters/python/array.h"

namespace specmv_python {

int64_t Array::size() const {
  int64_t product = 1;
  for (int i = 0; i < dimensions; ++i)
    product *= shape[i];
  return product;
}

static KnownNames knownNames;

const KnownNames &names() { return knownNames; }

// The names live as long as the process.
void setUpNames() {
  const auto intern = [](const char *text) { return PyUnicode_InternFromString(text); };
  knownNames = {intern("data"),    intern("ptr"),     intern("device_id"),  intern("dtype"),
                intern("shape"),   intern("strides"), intern("stride"),     intern("data_ptr"),
                intern("is_cuda"), intern("is_cpu"),  intern("get_device"), intern("requires_grad"),
                intern("is_neg"),  intern("layout")};
}

nb::object attribute(nb::handle object, PyObject *name) {
  nb::object found = nb::steal(sleepingAtEnd([&] { return PyObject_GetAttr(object.ptr(), name); }));
  if (!found.is_valid())
    throw nb::python_error();
  return found;
}

nb::object called(nb::handle object, PyObject *name) {
  nb::object result = nb::steal(
      sleepingAtEnd([&] { return PyObject_CallMethodObjArgs(object.ptr(), name, nullptr); }));
  if (!result.is_valid())
    throw nb::python_error();
  return result;
}

int64_t integer(nb::handle number) {
  const long long value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

nb::object importedModule(const char *name) {
  const nb::object modules = nb::borrow(PyImport_GetModuleDict());
  return nb::borrow(PyDict_GetItemString(modules.ptr(), name));
}

std::string typeOfKind(char kind, int64_t bytes) {
  const std::string bits = std::to_string(bytes * 8);
  switch (kind) {
  case 'f':
    return "float" + bits;
  case 'i':
    return "int" + bits;
  case 'u':
    return "uint" + bits;
  case 'c':
    return "complex" + bits;
  case 'b':
    return "bool";
  default:
    return "";
  }
}

std::string typeText(const Array &array, const char *name) {
  return std::string(name) + " is of type " + (array.type.empty() ? "unknown" : array.type);
}

void setDimensions(Array &array, const char *name, int64_t dimensions) {
  if (dimensions > kMaxDimensions)
    refuse(std::string(name) + " has " + std::to_string(dimensions) +
           " dimensions, which is more than " + std::to_string(kMaxDimensions));
  array.dimensions = static_cast<int>(dimensions);
}

int64_t elementsOfStride(const char *name, int64_t stride, int64_t bytes) {
  if (stride % bytes != 0)
    refuse(std::string(name) + " has a stride of " + std::to_string(stride) +
           " bytes, which is no multiple of the " + std::to_string(bytes) + " bytes of an element");
  return stride / bytes;
}

void setShape(Array &array, const char *name, nb::handle shape) {
  const Py_ssize_t dimensions = PyTuple_Size(shape.ptr());
  if (dimensions < 0)
    throw nb::python_error();
  setDimensions(array, name, dimensions);
  for (int i = 0; i < array.dimensions; ++i)
    array.shape[i] = integer(PyTuple_GetItem(shape.ptr(), i));
}

void setStrides(Array &array, const char *name, nb::handle strides, int64_t bytes) {
  if (PyTuple_Size(strides.ptr()) != array.dimensions) {
    PyErr_Clear();
    refuse(std::string(name) + " has another number of strides than of dimensions");
  }
  for (int i = 0; i < array.dimensions; ++i) {
    const int64_t stride = integer(PyTuple_GetItem(strides.ptr(), i));
    array.strides[i] = bytes ? elementsOfStride(name, stride, bytes) : stride;
  }
}

void setStridesOfC(Array &array) {
  int64_t stride = 1;
  for (int i = array.dimensions - 1; i >= 0; --i) {
    array.strides[i] = stride;
    stride *= array.shape[i];
  }
}

// A stride of a dimension with one element has no meaning.
void checkContiguous(const Array &array, const char *name) {
  if (array.size() == 0)
    return;
  int64_t expected = 1;
  for (int i = array.dimensions - 1; i >= 0; --i) {
    if (array.shape[i] != 1 && array.strides[i] != expected)
      refuse(std::string(name) + " is not contiguous: its stride is " +
             std::to_string(array.strides[i]) + " elements instead of " + std::to_string(expected) +
             "; pass a contiguous copy");
    expected *= array.shape[i];
  }
}

// The classes of arrays, once somebody has imported their modules.
static PyTypeObject *torchTensor = nullptr;
static PyTypeObject *cupyArray = nullptr;
static PyTypeObject *numpyArray = nullptr;

// Returns true if the object is of this class of a module that somebody has imported. Keeps the
// class.
static bool isOf(nb::handle object, PyTypeObject *&known, const char *module, const char *name) {
  if (!known) {
    const nb::object imported = importedModule(module);
    if (!imported.is_valid() || !nb::hasattr(imported, name))
      return false;
    known = reinterpret_cast<PyTypeObject *>(keptForever(imported.attr(name)));
  }
  return PyObject_TypeCheck(object.ptr(), known) != 0;
}

static void readWhatItIs(nb::handle object, const char *name, void *stream, Array &array) {
  if (isOf(object, cupyArray, "cupy", "ndarray")) {
    array.library = Library::cupy;
    return readCupy(object, name, array);
  }
  if (isOf(object, torchTensor, "torch", "Tensor")) {
    array.library = Library::torch;
    return readTorch(object, name, array);
  }
  array.library = Library::other;
  if (nb::hasattr(object, "__cuda_array_interface__"))
    return readCudaInterface(object, name, array);
  if (PyObject_CheckBuffer(object.ptr()))
    return readBuffer(object, name, array);
  if (nb::hasattr(object, "__dlpack__") || PyCapsule_CheckExact(object.ptr()))
    return readDlpack(object, name, stream, array);
  refuseType(
      std::string(name) + " is a " + typeNameOf(object) +
      "; an array is needed (numpy, cupy, torch, or with DLPack or __cuda_array_interface__), "
      "which specmv reads without a copy");
}

static void readNumpy(nb::handle object, const char *name, Array &array) {
  array.library = Library::numpy;
  if (Py_TYPE(object.ptr()) != numpyArray && nb::hasattr(object, "mask"))
    refuseType(std::string(name) + " is a masked array; pass its filled() values");
  readBuffer(object, name, array);
}

Array arrayOf(nb::handle object, const char *name, void *stream) {
  Array array;
  array.owner = nb::borrow(object);
  if (isOf(object, numpyArray, "numpy", "ndarray"))
    readNumpy(object, name, array);
  else
    readWhatItIs(object, name, stream, array);
  if (!array.data && array.size() != 0)
    refuse(std::string(name) + " has " + std::to_string(array.size()) +
           " elements but no memory: it was freed");
  if (reinterpret_cast<uintptr_t>(array.data) % static_cast<uintptr_t>(array.elementBytes) != 0)
    refuse(std::string(name) + " does not begin at a multiple of the " +
           std::to_string(array.elementBytes) + " bytes of an element; pass an aligned copy");
  return array;
}

} // namespace specmv_python
