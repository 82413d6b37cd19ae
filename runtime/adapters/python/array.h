// A view of an array of another library, in host or GPU memory, that was read without a copy.
#pragma once

#include "runtime/adapters/python/failure.h"

#include <array>
#include <cstdint>
#include <memory>

namespace specmv_python {

// Whose array it is: a result is made by the library of x.
enum class Library { none, numpy, cupy, torch, other };

constexpr int kOnHost = -1;
// The array is in GPU memory, but does not tell on which GPU. The C API asks the driver.
constexpr int kOnSomeGpu = -2;
constexpr int kMaxDimensions = 3; // BSR has a value for block, row and column

struct Array {
  nb::object owner;
  std::shared_ptr<void> hold; // what else must stay: an exported buffer, or a DLPack tensor
  Library library = Library::none;
  void *data = nullptr;
  std::string type;         // as NumPy names it, such as "float64"
  int64_t elementBytes = 1; // where the array tells them
  int dimensions = 0;
  std::array<int64_t, kMaxDimensions> shape = {};
  std::array<int64_t, kMaxDimensions> strides = {}; // in elements
  int device = kOnHost;
  bool isReadOnly = false;
  void *stream = nullptr; // on which a `__cuda_array_interface__` says that the array is ready

  int64_t size() const;
  bool isOnGpu() const { return device != kOnHost; }
};

// Reads an array. `name` is that of the argument, for messages. A producer that asks for the
// consumer's stream (DLPack) is told `stream`.
Array arrayOf(nb::handle object, const char *name, void *stream = nullptr);

// Returns what all errors begin with, such as "x is of type float32, but ".
std::string typeText(const Array &array, const char *name);

// Refuses an array whose elements do not lie one after the other, in C order.
void checkContiguous(const Array &array, const char *name);

// Names from Python that each product looks up.
struct KnownNames {
  PyObject *data, *ptr, *deviceId, *dtype, *shape, *strides, *stride, *dataPtr, *isCuda, *isCpu,
      *getDevice, *requiresGrad, *isNeg, *layout;
};
const KnownNames &names();
void setUpNames();

// An attribute, or the result of a method without arguments; throws Python's error.
nb::object attribute(nb::handle object, PyObject *name);
nb::object called(nb::handle object, PyObject *name);
int64_t integer(nb::handle number);
// A reference that is never given back, for what lives as long as its library.
inline PyObject *keptForever(nb::object object) { return object.release().ptr(); }

// Looks into sys.modules: a null handle if nobody has imported the module.
nb::object importedModule(const char *name);

// Each reads one kind of arrays, see array_sources.cpp.
void readBuffer(nb::handle object, const char *name, Array &array);
void readTorch(nb::handle object, const char *name, Array &array);
void readCupy(nb::handle object, const char *name, Array &array);
// Reads where an array of CuPy lies.
void readPlaceOfCupy(nb::handle object, Array &array);
void readCudaInterface(nb::handle object, const char *name, Array &array);
void readDlpack(nb::handle object, const char *name, void *stream, Array &array);

// The name of a type as NumPy has it, from the letter of its kind and its bytes; "" if unknown.
std::string typeOfKind(char kind, int64_t bytes);

// Sets the number of dimensions, and refuses more than kMaxDimensions.
void setDimensions(Array &array, const char *name, int64_t dimensions);
// Converts a stride in bytes to elements of `bytes` each. Refuses one that is no multiple.
int64_t elementsOfStride(const char *name, int64_t stride, int64_t bytes);
// Copies tuples of sizes and of strides; strides are in bytes if `bytes` is not 0.
void setShape(Array &array, const char *name, nb::handle shape);
void setStrides(Array &array, const char *name, nb::handle strides, int64_t bytes);
void setStridesOfC(Array &array);

} // namespace specmv_python
