// Asks the libraries and the protocols of Python for streams.
#include "runtime/adapters/python/streams.h"

namespace specmv_python {

static void *handleOf(nb::handle number) {
  if (!PyLong_Check(number.ptr()) || PyBool_Check(number.ptr()))
    refuseType("stream has a handle of the type " + typeNameOf(number) +
               "; an integer or an object with __cuda_stream__ is needed");
  const int64_t handle = integer(number);
  if (handle < 0)
    refuse("stream is " + std::to_string(handle) + "; handles of streams are not negative");
  return reinterpret_cast<void *>(handle);
}

// The protocol has a method that gives (version, handle); early versions of cuda.core had a
// property.
static void *handleByProtocol(nb::handle stream) {
  nb::object answer = stream.attr("__cuda_stream__");
  if (PyCallable_Check(answer.ptr()))
    answer = answer();
  if (!PyTuple_Check(answer.ptr()) || PyTuple_Size(answer.ptr()) != 2)
    refuseType("stream.__cuda_stream__() gives a " + typeNameOf(answer) +
               "; the protocol asks for (version, handle)");
  return handleOf(PyTuple_GetItem(answer.ptr(), 1));
}

void *streamOf(nb::handle stream) {
  if (stream.is_none())
    return nullptr;
  if (PyLong_Check(stream.ptr()))
    return handleOf(stream);
  if (nb::hasattr(stream, "__cuda_stream__"))
    return handleByProtocol(stream);
  for (const char *name : {"cuda_stream", "ptr"})
    if (nb::hasattr(stream, name))
      return handleOf(stream.attr(name));
  refuseType("stream is a " + typeNameOf(stream) +
             "; an integer or an object with __cuda_stream__ is needed");
}

// Functions that each product calls; they live as long as their libraries.
using HandleOfCupy = intptr_t (*)();
static HandleOfCupy cupyCurrentHandle = nullptr;
static PyObject *cupyCurrent = nullptr;
static PyObject *torchCurrent = nullptr;
static bool torchGivesHandle = true;

static nb::object result(PyObject *function, nb::handle argument) {
  PyObject *const given = argument.is_valid() ? argument.ptr() : nullptr;
  nb::object out = nb::steal(
      sleepingAtEnd([&] { return PyObject_CallFunctionObjArgs(function, given, nullptr); }));
  if (!out.is_valid())
    throw nb::python_error();
  return out;
}

// CuPy's own modules call this function of C, which Cython exports with its signature. It is not
// documented, so it may be gone or be another one some day.
static HandleOfCupy findHandleOfCupy() {
  const nb::object stream = importedModule("cupy_backends.cuda.stream");
  const nb::object exported =
      stream.is_valid() ? nb::getattr(stream, "__pyx_capi__", nb::none()) : nb::none();
  if (!PyDict_Check(exported.ptr()))
    return nullptr;
  constexpr const char *kSignature = "intptr_t (void)";
  PyObject *const found = PyDict_GetItemString(exported.ptr(), "get_current_stream_ptr");
  if (!found || !PyCapsule_IsValid(found, kSignature))
    return nullptr;
  return reinterpret_cast<HandleOfCupy>(PyCapsule_GetPointer(found, kSignature));
}

static void *currentOfCupy() {
  if (!cupyCurrent) {
    cupyCurrent = keptForever(nb::module_::import_("cupy.cuda").attr("get_current_stream"));
    cupyCurrentHandle = findHandleOfCupy();
  }
  if (!cupyCurrentHandle)
    return handleOf(attribute(result(cupyCurrent, {}), names().ptr));
  const intptr_t handle = cupyCurrentHandle();
  if (handle == -1 && PyErr_Occurred())
    throw nb::python_error();
  return reinterpret_cast<void *>(handle);
}

// PyTorch's own generated code takes handles from _cuda_getCurrentRawStream(). It is not
// documented, so it may be gone one day; current_stream() makes an object, which takes two
// microseconds.
static void *currentOfTorch(int device) {
  if (!torchCurrent) {
    const nb::object inside = nb::getattr(nb::module_::import_("torch"), "_C", nb::none());
    const nb::object raw = nb::getattr(inside, "_cuda_getCurrentRawStream", nb::none());
    torchGivesHandle = !raw.is_none();
    torchCurrent = keptForever(
        torchGivesHandle ? raw : nb::module_::import_("torch.cuda").attr("current_stream"));
  }
  const nb::object current = result(torchCurrent, nb::int_(device));
  return handleOf(torchGivesHandle ? current : nb::object(current.attr("cuda_stream")));
}

void *currentStreamOf(const Array &array) {
  if (!array.isOnGpu())
    return nullptr;
  if (array.library == Library::cupy)
    return currentOfCupy();
  if (array.library == Library::torch)
    return currentOfTorch(array.device);
  return array.stream;
}

} // namespace specmv_python
