// Reads arrays of each kind: the buffer protocol, torch, cupy, `__cuda_array_interface__`, DLPack.
#include "runtime/adapters/python/array.h"

#include <nanobind/ndarray.h>

namespace specmv_python {

// A format of the struct module as the letter of a kind. Another byte order than ours has none.
static char kindOfFormat(const char *format) {
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  const std::string text = format;
  if (text == "Zf" || text == "Zd" || text == "Zg")
    return 'c';
  if (text.size() != 1)
    return '?';
  if (text.find_first_of("efdg") == 0)
    return 'f';
  if (text.find_first_of("bhilqn") == 0)
    return 'i';
  if (text.find_first_of("BHILQN") == 0)
    return 'u';
  return text == "?" ? 'b' : '?';
}

namespace {
struct ExportedBuffer {
  Py_buffer view = {};
  bool isHeld = false;
  ExportedBuffer() = default;
  ExportedBuffer(const ExportedBuffer &) = delete;
  ExportedBuffer &operator=(const ExportedBuffer &) = delete;
  ~ExportedBuffer() {
    if (isHeld)
      PyBuffer_Release(&view);
  }
};
} // namespace

void readBuffer(nb::handle object, const char *name, Array &array) {
  const auto buffer = std::make_shared<ExportedBuffer>();
  if (PyObject_GetBuffer(object.ptr(), &buffer->view, PyBUF_RECORDS_RO) != 0) {
    const nb::python_error error;
    refuseType(std::string(name) +
               " cannot be read: " + nb::cast<std::string>(nb::str(error.value())));
  }
  buffer->isHeld = true;
  const Py_buffer &view = buffer->view;
  const char *format = view.format ? view.format : "B";
  if (view.itemsize < 1)
    refuseType(std::string(name) + " has elements of no bytes");
  array.type = typeOfKind(kindOfFormat(format), view.itemsize);
  if (array.type.empty())
    array.type = std::string("'") + format + "'";
  setDimensions(array, name, view.ndim);
  for (int i = 0; i < view.ndim; ++i) {
    array.shape[i] = view.shape[i];
    array.strides[i] = elementsOfStride(name, view.strides[i], view.itemsize);
  }
  array.data = view.buf;
  array.elementBytes = array.type[0] == '\'' ? 1 : view.itemsize;
  array.isReadOnly = view.readonly != 0;
  array.hold = buffer;
}

namespace {
// This keeps what was last found out about a type or a layout, an object that many arrays share.
// The object is kept too, so that no other one gets its address.
struct Remembered {
  PyObject *key = nullptr;
  std::string type;
  int64_t bytes = 0;
};
} // namespace

static Remembered torchType, torchLayout, cupyType;

// Keeps the facts about a key. The caller finds them first: if that throws, the last key keeps its
// own facts.
static void remember(Remembered &last, nb::handle key, std::string type, int64_t bytes = 0) {
  Py_XDECREF(last.key);
  last = {key.inc_ref().ptr(), std::move(type), bytes};
}

static std::string textOf(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

// "torch.float64" without the module is NumPy's name.
static std::string typeOfTorch(nb::handle dtype) {
  if (torchType.key != dtype.ptr()) {
    const std::string text = textOf(dtype);
    remember(torchType, dtype, text.substr(text.find('.') + 1));
  }
  return torchType.type;
}

static std::string layoutOfTorch(nb::handle layout) {
  if (torchLayout.key != layout.ptr())
    remember(torchLayout, layout, textOf(layout));
  return torchLayout.type;
}

void readTorch(nb::handle object, const char *name, Array &array) {
  const std::string subject = name;
  if (attribute(object, names().requiresGrad).is(Py_True) &&
      nb::cast<bool>(importedModule("torch").attr("is_grad_enabled")()))
    refuse(subject + " requires a gradient, which specmv does not compute: pass " + subject +
           ".detach(), or multiply under torch.no_grad()");
  const std::string layout = layoutOfTorch(attribute(object, names().layout));
  if (layout != "torch.strided")
    refuseType(subject + " has the layout " + layout + "; a dense array is needed here");
  if (called(object, names().isNeg).is(Py_True))
    refuse(subject + " is a view that negates its values when it is read: pass " + subject +
           ".resolve_neg()");
  array.type = typeOfTorch(attribute(object, names().dtype));
  setShape(array, name, attribute(object, names().shape));
  setStrides(array, name, called(object, names().stride), 0);
  if (attribute(object, names().isCuda).is(Py_True))
    array.device = static_cast<int>(integer(called(object, names().getDevice)));
  else if (!attribute(object, names().isCpu).is(Py_True))
    refuse(subject + " is on the device " + textOf(object.attr("device")) +
           "; specmv multiplies on the host and on NVIDIA GPUs");
  array.data = reinterpret_cast<void *>(integer(called(object, names().dataPtr)));
}

// The kind and the bytes of a typestr such as "<f8"; a big endian type keeps its text.
static int64_t setTypeString(Array &array, const std::string &text) {
  const int64_t bytes = text.size() > 2 ? std::atoll(text.c_str() + 2) : 0;
  array.type = text.size() > 2 && text[0] != '>' ? typeOfKind(text[1], bytes) : "";
  if (array.type.empty())
    array.type = "'" + text + "'";
  return bytes < 1 ? 1 : bytes;
}

void readPlaceOfCupy(nb::handle object, Array &array) {
  const nb::object memory = attribute(object, names().data);
  array.data = reinterpret_cast<void *>(integer(attribute(memory, names().ptr)));
  array.device = static_cast<int>(integer(attribute(memory, names().deviceId)));
}

void readCupy(nb::handle object, const char *name, Array &array) {
  readPlaceOfCupy(object, array);
  if (const nb::object dtype = attribute(object, names().dtype); cupyType.key != dtype.ptr()) {
    const int64_t bytes = setTypeString(array, nb::cast<std::string>(dtype.attr("str")));
    remember(cupyType, dtype, array.type, bytes);
  }
  array.type = cupyType.type;
  setShape(array, name, attribute(object, names().shape));
  setStrides(array, name, attribute(object, names().strides), cupyType.bytes);
}

void readCudaInterface(nb::handle object, const char *name, Array &array) {
  const std::string subject = name;
  try {
    const nb::dict facts = nb::cast<nb::dict>(object.attr("__cuda_array_interface__"));
    const nb::tuple data = nb::cast<nb::tuple>(facts["data"]);
    array.data = reinterpret_cast<void *>(
        static_cast<uintptr_t>(PyLong_AsUnsignedLongLongMask(nb::handle(data[0]).ptr())));
    array.isReadOnly = nb::cast<bool>(data[1]);
    array.device = kOnSomeGpu;
    const int64_t bytes = setTypeString(array, nb::cast<std::string>(facts["typestr"]));
    array.elementBytes = array.type[0] == '\'' ? 1 : bytes;
    setShape(array, name, nb::cast<nb::tuple>(facts["shape"]));
    const nb::object strides = facts.attr("get")("strides");
    if (strides.is_none())
      setStridesOfC(array);
    else
      setStrides(array, name, strides, bytes);
    if (!facts.attr("get")("mask").is_none())
      refuse(subject + " has a mask, which specmv does not read");
    if (const nb::object stream = facts.attr("get")("stream"); !stream.is_none())
      array.stream = reinterpret_cast<void *>(integer(stream));
  } catch (const nb::python_error &error) {
    refuseType(subject + " has a __cuda_array_interface__ that cannot be read: " +
               nb::cast<std::string>(nb::str(error.value())));
  } catch (const nb::cast_error &) {
    refuseType(subject + " has a __cuda_array_interface__ with entries of a wrong type");
  }
}

// The capsule of an object, made ready for the stream.
static nb::object capsuleOf(nb::handle object, const char *name, void *stream) {
  if (PyCapsule_CheckExact(object.ptr()))
    return nb::borrow(object);
  try {
    nb::dict arguments;
    const nb::object place = called(object, nb::str("__dlpack_device__").ptr());
    if (nb::cast<int>(nb::object(place[0])) == nb::device::cuda::value && stream)
      arguments["stream"] = reinterpret_cast<intptr_t>(stream);
    const nb::object give = object.attr("__dlpack__");
    nb::object capsule = nb::steal(sleepingAtEnd(
        [&] { return PyObject_Call(give.ptr(), nb::tuple().ptr(), arguments.ptr()); }));
    if (!capsule.is_valid())
      throw nb::python_error();
    return capsule;
  } catch (const nb::cast_error &) {
    refuseType(std::string(name) + " has a __dlpack_device__() that gives no pair of integers");
  } catch (const nb::python_error &error) {
    refuseType(std::string(name) +
               " cannot be read by DLPack: " + nb::cast<std::string>(nb::str(error.value())));
  }
}

template <typename Tensor>
static void copyFacts(const Tensor &tensor, const char *name, Array &array) {
  setDimensions(array, name, static_cast<int64_t>(tensor.ndim()));
  for (int i = 0; i < array.dimensions; ++i) {
    array.shape[i] = static_cast<int64_t>(tensor.shape(i));
    array.strides[i] = tensor.stride(i);
  }
  constexpr const char *kKinds = "iuf??cb"; // in the order of DLDataTypeCode
  const uint8_t code = tensor.dtype().code;
  array.type = typeOfKind(code < 7 ? kKinds[code] : '?', tensor.dtype().bits / 8);
  array.elementBytes = std::max(tensor.dtype().bits / 8, 1);
  array.data = const_cast<void *>(static_cast<const void *>(tensor.data()));
  switch (tensor.device_type()) {
  case nb::device::cpu::value:
  case nb::device::cuda_host::value:
    break;
  case nb::device::cuda::value:
    array.device = tensor.device_id();
    break;
  case nb::device::cuda_managed::value:
    array.device = kOnSomeGpu;
    break;
  default:
    refuse(std::string(name) + " is on a device of DLPack's type " +
           std::to_string(tensor.device_type()) +
           "; specmv multiplies on the host and on NVIDIA GPUs");
  }
}

void readDlpack(nb::handle object, const char *name, void *stream, Array &array) {
  const nb::object capsule = capsuleOf(object, name, stream);
  nb::ndarray<> writable;
  if (nb::try_cast(capsule, writable, false)) {
    copyFacts(writable, name, array);
    array.hold = std::make_shared<nb::ndarray<>>(std::move(writable));
    return;
  }
  nb::ndarray<nb::ro> readable;
  if (!nb::try_cast(capsule, readable, false))
    refuse(std::string(name) +
           " is a DLPack capsule that holds no array: it may be used only once");
  copyFacts(readable, name, array);
  array.isReadOnly = true;
  array.hold = std::make_shared<nb::ndarray<nb::ro>>(std::move(readable));
}

} // namespace specmv_python
