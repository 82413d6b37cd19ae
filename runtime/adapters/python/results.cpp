// Asks numpy, cupy, torch or an array's own namespace for an empty array.
#include "runtime/adapters/python/results.h"

namespace specmv_python {

// Functions that each product calls; they live as long as their libraries.
static PyObject *numpyEmpty = nullptr;
static PyObject *cupyArrayClass = nullptr;

static nb::tuple shapeOf(int dimensions, int64_t rows, int64_t columns) {
  return dimensions == 1 ? nb::make_tuple(rows) : nb::make_tuple(rows, columns);
}

// Calls `kept`, a function or class of the module that makes an array from a shape and a type.
static nb::object made(PyObject *&kept, const char *module, const char *name, const Array &x,
                       const nb::tuple &shape, bool inColumns) {
  if (!kept)
    kept = keptForever(nb::module_::import_(module).attr(name));
  const nb::object dtype = attribute(x.owner, names().dtype);
  if (inColumns)
    return nb::handle(kept)(shape, dtype, nb::arg("order") = "F");
  nb::object out = nb::steal(PyObject_CallFunctionObjArgs(kept, shape.ptr(), dtype.ptr(), nullptr));
  if (!out.is_valid())
    throw nb::python_error();
  return out;
}

// An array that CuPy made like x has what was asked for: only its place is new. It is on CuPy's
// current GPU, which may be another one than that of x.
static Array readAsMade(const nb::object &made, const Array &x, int dimensions, int64_t rows,
                        int64_t columns, bool inColumns) {
  Array out = x;
  out.owner = made;
  out.dimensions = dimensions;
  out.shape = {rows, columns};
  setStridesOfC(out);
  if (inColumns)
    out.strides = {1, rows};
  readPlaceOfCupy(made, out);
  return out;
}

static nb::object madeLike(const Array &x, int dimensions, int64_t rows, int64_t columns,
                           bool inColumns) {
  const nb::tuple shape = shapeOf(dimensions, rows, columns);
  switch (x.library) {
  case Library::numpy:
    return made(numpyEmpty, "numpy", "empty", x, shape, inColumns);
  case Library::cupy:
    return made(cupyArrayClass, "cupy", "ndarray", x, shape, inColumns); // which cupy.empty() calls
  case Library::torch:
    return inColumns ? nb::object(x.owner.attr("new_empty")(shapeOf(2, columns, rows)).attr("T"))
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

Array emptyLike(const Array &x, int dimensions, int64_t rows, int64_t columns, bool inColumns) {
  const nb::object made = madeLike(x, dimensions, rows, columns, inColumns);
  return x.library == Library::cupy ? readAsMade(made, x, dimensions, rows, columns, inColumns)
                                    : arrayOf(made, "out");
}

} // namespace specmv_python
