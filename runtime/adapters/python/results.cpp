// Asks numpy, cupy, torch or an array's own namespace for an empty array.
#include "runtime/adapters/python/results.h"

namespace specmv_python {

// Functions that each product calls; they live as long as their libraries.
static PyObject *numpyEmpty = nullptr;
static PyObject *cupyEmpty = nullptr;

static nb::tuple shapeOf(int dimensions, int64_t rows, int64_t columns) {
  return dimensions == 1 ? nb::make_tuple(rows) : nb::make_tuple(rows, columns);
}

static nb::object byNumpy(PyObject *&empty, const char *module, const Array &x,
                          const nb::tuple &shape, bool inColumns) {
  if (!empty)
    empty = keptForever(nb::module_::import_(module).attr("empty"));
  const nb::object dtype = attribute(x.owner, names().dtype);
  if (!inColumns) {
    nb::object made =
        nb::steal(PyObject_CallFunctionObjArgs(empty, shape.ptr(), dtype.ptr(), nullptr));
    if (!made.is_valid())
      throw nb::python_error();
    return made;
  }
  return nb::handle(empty)(shape, dtype, "F");
}

nb::object emptyLike(const Array &x, int dimensions, int64_t rows, int64_t columns,
                     bool inColumns) {
  const nb::tuple shape = shapeOf(dimensions, rows, columns);
  const nb::tuple turned = shapeOf(dimensions, columns, rows);
  switch (x.library) {
  case Library::numpy:
    return byNumpy(numpyEmpty, "numpy", x, shape, inColumns);
  case Library::cupy:
    return byNumpy(cupyEmpty, "cupy", x, shape, inColumns);
  case Library::torch:
    return inColumns ? nb::object(x.owner.attr("new_empty")(turned).attr("T"))
                     : nb::object(x.owner.attr("new_empty")(shape));
  default:
    break;
  }
  if (!nb::hasattr(x.owner, "__array_namespace__") || inColumns)
    refuseType("specmv cannot make a result like x, which is a " + typeNameOf(x.owner) +
               ": pass an array for it as out");
  return x.owner.attr("__array_namespace__")().attr("empty")(
      shape, nb::arg("dtype") = x.owner.attr("dtype"), nb::arg("device") = x.owner.attr("device"));
}

} // namespace specmv_python
