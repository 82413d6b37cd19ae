// Throws errors of the C API and refusals of arguments. Python sees specmv.Error
// or one of its subclasses, which carry the status and the sentence.
#pragma once

#include "runtime/adapters/python/gil.h"
#include "specmv.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

namespace specmv_python {

namespace nb = nanobind;

struct Failure {
  specmvStatus_t status;
  std::string sentence;
};

// Throws INVALID_VALUE, which is a ValueError in Python.
[[noreturn]] void refuse(std::string sentence);
// Throws Python's TypeError.
[[noreturn]] void refuseType(const std::string &sentence);

// The name of the type of an object, with its module unless that is builtins.
std::string typeNameOf(nb::handle object);

// Tells nanobind how a Failure becomes a Python exception.
void registerFailures();

// Calls the C API without the GIL. The detail belongs to this thread, so it is read at once.
template <typename Call> void callWithoutGil(Call call) {
  specmvStatus_t status = SPECMV_STATUS_SUCCESS;
  std::string sentence;
  {
    const WithoutGil released;
    status = call();
    if (status != SPECMV_STATUS_SUCCESS)
      sentence = specmvGetLastErrorDetail();
  }
  if (status != SPECMV_STATUS_SUCCESS)
    throw Failure{status, std::move(sentence)};
}

} // namespace specmv_python
