// The module specmv._core, on which the package specmv is built.
#include "runtime/adapters/python/plan.h"

#include "runtime/adapters/python/options.h"

#include <nanobind/stl/optional.h>

namespace specmv_python {

static void addMatrix(nb::module_ &module) {
  nb::class_<Matrix>(module, "Matrix")
      .def(
          "__init__",
          [](Matrix *self, std::string format, int64_t rows, int64_t cols, nb::object offsets,
             nb::object rowIndices, nb::object colIndices, nb::object values, std::string valueType,
             int indexBase) {
            new (self)
                Matrix({std::move(format), rows, cols, std::move(offsets), std::move(rowIndices),
                        std::move(colIndices), std::move(values), std::move(valueType), indexBase});
          },
          nb::arg("format"), nb::arg("rows"), nb::arg("cols"), nb::arg("offsets").none(),
          nb::arg("row_indices").none(), nb::arg("col_indices").none(), nb::arg("values").none(),
          nb::arg("value_type"), nb::arg("index_base"))
      .def_prop_ro("rows", &Matrix::rows)
      .def_prop_ro("cols", &Matrix::cols)
      .def_prop_ro("nnz", &Matrix::nnz)
      .def_prop_ro("type", &Matrix::type)
      .def_prop_ro("device", &Matrix::device)
      .def_prop_ro("has_values", &Matrix::hasValues)
      .def_prop_ro("format", &Matrix::format)
      .def_prop_ro("index_base", &Matrix::indexBase)
      .def_prop_ro("arrays", &Matrix::arrays)
      .def_prop_ro("is_copy", &Matrix::isCopy)
      .def("copy", &Matrix::copy, nb::rv_policy::take_ownership);
}

static int visitContext(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    Py_VISIT(nb::inst_ptr<Context>(self)->log().ptr());
  return 0;
}

static int clearContext(PyObject *self) {
  nb::inst_ptr<Context>(self)->forgetLog();
  return 0;
}

static PyType_Slot contextSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(visitContext)},
                                     {Py_tp_clear, reinterpret_cast<void *>(clearContext)},
                                     {0, nullptr}};

static void addContext(nb::module_ &module) {
  using Path = const std::optional<nb::bytes> &;
  nb::class_<Context>(module, "Context", nb::type_slots(contextSlots))
      .def(nb::init<nb::object, int, int, Path, Path, Path>(), nb::arg("log").none(),
           nb::arg("log_level"), nb::arg("threads"), nb::arg("cache_directory").none(),
           nb::arg("packs").none(), nb::arg("gpu_model").none())
      .def("close", &Context::close);
}

constexpr const char *kExecuteText =
    R"(y = alpha A x + beta y, in `out` or in a new array, which is returned.

x: an array of the shape (columns,), or (columns, k) for k vectors, of the plan's dtype, in C order or with columns in
  one piece (Fortran order). Its rows, or its columns, may be parts of those of a larger array.
out: the array for the result, of the shape (rows,) or (rows, k), in the order of x; not a part of x. Without beta it
  may be uninitialized. Without out, the library of x makes an array.
alpha, beta: real numbers; with scalars_on_gpu, arrays of one element on the GPU.
y: what beta multiplies if it is not out, of the shape (rows,).
stream: an integer (a cudaStream_t), or an object with __cuda_stream__. Without it, products run on the current stream
  of the library of x (cupy, torch), that which __cuda_array_interface__ names, or the default stream.

A plan on the GPU returns when the product is on the stream; an array in host memory is ready on return. x, y and out
must stay until the product has run. The GIL is released meanwhile.

Raises TypeError for an object that is no array or has another dtype, specmv.InvalidValue (a ValueError) for wrong
shapes, strides or places, arrays that overlap, or beta without y or out, and specmv.OutOfMemory.)";

static nb::object execute(Plan &plan, nb::handle x, nb::handle out, nb::handle alpha,
                          nb::handle beta, nb::handle y, nb::handle stream) {
  return plan.execute({x, out, alpha, beta, y, stream});
}

static PyObject *one = nullptr;
static PyObject *zero = nullptr;

static nb::object multiply(Plan &plan, nb::handle x) {
  return plan.execute({x, nb::none(), one, zero, nb::none(), nb::none()});
}

static void addPlan(nb::module_ &module) {
  nb::class_<Plan>(module, "Plan", nb::is_weak_referenceable())
      .def(nb::init<const Matrix &, Context *, Plan *, const nb::dict &, nb::object>(),
           nb::arg("matrix"), nb::arg("context").none(), nb::arg("structure_of").none(),
           nb::arg("options"), nb::arg("keep").none())
      .def("execute", execute, nb::arg("x").none(), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::arg("alpha").none() = 1.0, nb::arg("beta").none() = 0.0, nb::arg("y") = nb::none(),
           nb::arg("stream") = nb::none(), kExecuteText)
      .def("__matmul__", multiply, nb::arg("x").none())
      .def("_update", &Plan::update, nb::arg("values").none(), nb::arg("stream").none(),
           nb::arg("transpose").none(), nb::arg("kept").none())
      .def("_check_whole", &Plan::checkWhole)
      .def("_permutation", &Plan::permutation, nb::arg("rows"), nb::arg("columns"))
      .def("_wait", &Plan::wait)
      .def("_wait_for", &Plan::waitFor, nb::arg("milliseconds"))
      .def("cancel", &Plan::cancel,
           "Ends the set-up of a plan with start=\"now\"; its first products stay.")
      .def("_report", &Plan::report)
      .def_prop_ro("_json", &Plan::json)
      .def_prop_ro(
          "text", &Plan::text,
          "The format and its parameters, such as \"ell ell.width=27 ...\"; plan_text takes it.")
      .def_prop_ro(
          "ready", &Plan::isReady,
          "True once the plan is made. Raises what plan() would have raised if the set-up failed.")
      .def_prop_ro("setup_ms", &Plan::setupMs, "The time that plan() took, in milliseconds.")
      .def_prop_ro("bytes", &Plan::bytes,
                   "The memory that the plan holds where products run, in bytes.")
      .def_prop_ro("on_gpu", &Plan::isOnGpu, "Whether products run on a GPU.")
      .def_prop_ro("_rows", [](const Plan &plan) { return plan.shape().rows; })
      .def_prop_ro("_cols", [](const Plan &plan) { return plan.shape().cols; })
      .def_prop_ro(
          "nnz", [](const Plan &plan) { return plan.shape().nnz; },
          "The number of values that update() takes.")
      .def_prop_ro(
          "vectors", [](const Plan &plan) { return plan.shape().vectors; },
          "How many vectors the kernels multiply at once.")
      .def_prop_ro("_type", [](const Plan &plan) {
        return plan.shape().vectorType == SPECMV_R_64F ? "float64" : "float32";
      });
}

constexpr const char *kReleaseDeviceText =
    R"(Waits for the work of a GPU, by its number, and frees what no plan holds there: kernels, handles, streams, memory.

Raises specmv.Missing if there is no such GPU, and specmv.InvalidValue for a negative number.)";

static nb::dict estimate(const Matrix &matrix, Context *context, const nb::dict &given) {
  Options options(given);
  options.values.context = handleOf(context);
  specmvPlanEstimate_t found = SPECMV_PLAN_ESTIMATE_INIT;
  matrix.synchronize();
  callWithoutGil([&] { return specmvEstimatePlan(&found, matrix.handle(), &options.values); });
  nb::dict facts;
  facts["format"] = found.format;
  facts["bytes"] = found.bytes;
  facts["product_us"] = found.productUs;
  facts["setup_us"] = found.setupUs;
  facts["setup_compiled_us"] = found.setupCompiledUs;
  return facts;
}

} // namespace specmv_python

NB_MODULE(_core, module) {
  using namespace specmv_python;
  // An object that a program keeps to its end is no fault of the program. The tests ask for
  // warnings.
  nb::set_leak_warnings(false);
  module.def("set_leak_warnings", nb::set_leak_warnings);
  setUpNames();
  registerFailures();
  countForks();
  GpuCall::letExitWait();
  one = PyFloat_FromDouble(1);
  zero = PyFloat_FromDouble(0);
  addMatrix(module);
  addContext(module);
  addPlan(module);
  module.def("estimate", estimate, nb::arg("matrix"), nb::arg("context").none(),
             nb::arg("options"));
  module.def(
      "add_pack",
      [](const nb::bytes &path) { callWithoutGil([&] { return specmvAddPack(path.c_str()); }); },
      nb::arg("path"));
  module.def("option_bytes", [](const nb::dict &given) {
    const Options options(given);
    return nb::bytes(&options.values, sizeof options.values);
  }); // for the tests
  module.def(
      "release_device",
      [](int device) { callWithoutGil([&] { return specmvReleaseDevice(device); }); },
      nb::arg("device"), kReleaseDeviceText);
  module.def("version", specmvGetVersion);
  module.def("status_name",
             [](int status) { return specmvStatusName(static_cast<specmvStatus_t>(status)); });
}
