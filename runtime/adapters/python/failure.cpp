// Makes Python exceptions of failures, by the classes in specmv/_errors.py.
#include "runtime/adapters/python/failure.h"

namespace specmv_python {

void refuse(std::string sentence) {
  throw Failure{SPECMV_STATUS_INVALID_VALUE, std::move(sentence)};
}

void refuseType(const std::string &sentence) { throw nb::type_error(sentence.c_str()); }

std::string typeNameOf(nb::handle object) {
  const nb::handle type = object.type();
  const std::string module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  const std::string name = nb::cast<std::string>(nb::str(type.attr("__qualname__")));
  return module == "builtins" ? name : module + "." + name;
}

void registerFailures() {
  nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure &failure) {
      // An error while the class is looked up is Python's own error then.
      const auto status = static_cast<int>(failure.status);
      const char *const sentence = failure.sentence.c_str();
      const nb::object module =
          nb::steal(sleepingAtEnd([] { return PyImport_ImportModule("specmv._errors"); }));
      if (!module.is_valid())
        return;
      const nb::object error = nb::steal(sleepingAtEnd(
          [&] { return PyObject_CallMethod(module.ptr(), "error_of", "is", status, sentence); }));
      if (error.is_valid())
        PyErr_SetObject(error.type().ptr(), error.ptr());
    }
  });
}

} // namespace specmv_python
