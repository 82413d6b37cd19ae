// Multiplies: checks the arrays of a product and hands them to the C API.
#include "runtime/adapters/python/plan.h"

#include "runtime/adapters/python/results.h"
#include "runtime/adapters/python/streams.h"

namespace specmv_python {

// A number on the host in the type of the vectors, or the address of one on the GPU.
struct Plan::Scalar {
  double inDouble = 0;
  float inFloat = 0;
  Array onGpu;
  bool isDouble = true;
  const void *address() const {
    if (onGpu.data)
      return onGpu.data;
    return isDouble ? static_cast<const void *>(&inDouble) : &inFloat;
  }
  bool isZero() const { return !onGpu.data && inDouble == 0; }
};

// A product reads and writes these. Matrices of one column are vectors.
struct Plan::Product {
  Array x, out, y;
  Scalar alpha, beta;
  nb::object result;
  int64_t count = 1; // of vectors
  bool isOne = true;
  specmvOrder_t order = SPECMV_ORDER_ROW;
  int64_t ldX = 1, ldOut = 1;
};

static std::string shapeText(const Array &array) {
  std::string text = "(";
  for (int i = 0; i < array.dimensions; ++i)
    text += (i ? ", " : "") + std::to_string(array.shape[i]);
  return text + (array.dimensions == 1 ? ",)" : ")");
}

// NumPy makes a real number of its complex ones, with a warning only.
static bool isComplex(nb::handle number) {
  if (PyFloat_CheckExact(number.ptr()))
    return false;
  if (PyComplex_Check(number.ptr()))
    return true;
  const nb::object dtype = nb::getattr(number, "dtype", nb::none());
  return nb::hasattr(dtype, "kind") && nb::cast<std::string>(dtype.attr("kind")) == "c";
}

Plan::Scalar Plan::scalarOf(nb::handle number, const char *name) const {
  Scalar scalar;
  scalar.isDouble = shape_.vectorType == SPECMV_R_64F;
  if (scalarsOnGpu_ && isOnGpu_) {
    scalar.onGpu = arrayOf(number, name);
    checkVector(scalar.onGpu, name, 1);
    if (!scalar.onGpu.isOnGpu())
      refuse(std::string(name) + " is in host memory; the plan was made with scalars_on_gpu");
    return scalar;
  }
  if (isComplex(number))
    refuseType(std::string(name) + " is a " + typeNameOf(number) + "; a real number is needed");
  scalar.inDouble = PyFloat_AsDouble(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuseType(std::string(name) + " is a " + typeNameOf(number) + "; a real number is needed");
  }
  scalar.inFloat = static_cast<float>(scalar.inDouble);
  return scalar;
}

void Plan::checkPlace(const Array &array, const char *name) const {
  const std::string subject = name;
  if (!isOnGpu_ && array.isOnGpu())
    refuse(subject + " is in GPU memory, and the plan multiplies on the host");
  if (vectorsOnGpu_ && isOnGpu_ && !array.isOnGpu() && array.size())
    refuse(subject + " is in host memory; the plan was made with vectors_on_gpu");
  if (array.device >= 0 && array.device != device_)
    refuse(subject + " is on GPU " + std::to_string(array.device) + ", and the plan on GPU " +
           std::to_string(device_));
}

// Checks all but the strides.
void Plan::checkVector(const Array &array, const char *name, int64_t rows) const {
  const char *type = shape_.vectorType == SPECMV_R_64F ? "float64" : "float32";
  if (array.type != type)
    refuseType(typeText(array, name) + "; the plan multiplies " + type);
  if (array.dimensions < 1 || array.dimensions > 2 || array.shape[0] != rows)
    refuse(std::string(name) + " has the shape " + shapeText(array) + "; (" + std::to_string(rows) +
           ",) or (" + std::to_string(rows) + ", number of vectors) is needed");
  checkPlace(array, name);
}

// The order in which several vectors lie, and the distance of rows or of columns.
static int64_t leadingDimension(const Array &array, const char *name, specmvOrder_t order) {
  const int inner = order == SPECMV_ORDER_ROW ? 1 : 0;
  const int outer = 1 - inner;
  const int64_t least = array.shape[inner];
  const bool isInnerRight = array.strides[inner] == 1 || least <= 1;
  const int64_t distance = array.shape[outer] <= 1 ? least : array.strides[outer];
  if (array.size() && (!isInnerRight || distance < least))
    refuse(std::string(name) + " has the strides (" + std::to_string(array.strides[0]) + ", " +
           std::to_string(array.strides[1]) + ") in elements; " +
           (inner ? "rows of neighbouring elements are needed (C order)"
                  : "columns of neighbouring elements are needed (Fortran order), as x has them"));
  return std::max(distance, std::max<int64_t>(least, 1));
}

static bool isInColumns(const Array &array) {
  return array.strides[0] == 1 && array.strides[1] != 1 && array.shape[0] > 1;
}

// One row of x is columns of one element too, so then `out` decides; without it, its stride does.
static specmvOrder_t orderOf(const Array &x, const Array *out) {
  const bool isRow = x.shape[0] == 1;
  const bool inColumns = isRow ? (out ? isInColumns(*out) : x.strides[1] != 1) : isInColumns(x);
  return inColumns ? SPECMV_ORDER_COLUMN : SPECMV_ORDER_ROW;
}

static void checkOneVector(const Array &array, const char *name) {
  if (array.shape[0] > 1 && array.strides[0] != 1)
    refuse(std::string(name) + " is not contiguous: its stride is " +
           std::to_string(array.strides[0]) + " elements instead of 1; pass a contiguous copy");
}

void *Plan::streamFor(nb::handle given, const Array &x, const Array &out) const {
  if (!given.is_none())
    return streamOf(given);
  if (!isOnGpu_)
    return nullptr;
  return currentStreamOf(x.isOnGpu() ? x : out);
}

void Plan::takeX(const ProductArguments &in, Product &product) const {
  product.x = arrayOf(in.x, "x", streamOf(in.stream));
  const Array &x = product.x;
  checkVector(x, "x", shape_.cols);
  product.count = x.dimensions == 2 ? x.shape[1] : 1;
  product.isOne = product.count == 1;
  if (product.isOne)
    return checkOneVector(x, "x");
  if (shape_.vectors == 1) {
    const std::string count = std::to_string(product.count);
    refuse("x has " + count +
           " columns, and the plan is made for one vector: make it with vectors=" + count +
           ", or multiply column by column");
  }
}

void Plan::takeOrder(Product &product, const Array *out) {
  product.order = orderOf(product.x, out);
  product.ldX = leadingDimension(product.x, "x", product.order);
}

void Plan::takeResult(const ProductArguments &in, Product &product) const {
  const Array &x = product.x;
  if (in.out.is_none() && in.y.is_none() && !product.beta.isZero())
    refuse("beta is not 0, but there is nothing that it multiplies: pass out, or y");
  if (!in.out.is_none())
    product.out = arrayOf(in.out, "out", streamOf(in.stream));
  if (!product.isOne)
    takeOrder(product, in.out.is_none() ? nullptr : &product.out);
  if (in.out.is_none())
    product.out = emptyLike(x, x.dimensions, shape_.rows, product.count,
                            product.order == SPECMV_ORDER_COLUMN);
  product.result = product.out.owner;
  const Array &out = product.out;
  checkVector(out, "out", shape_.rows);
  if (out.isReadOnly)
    refuse("out is read-only");
  if (out.dimensions != x.dimensions || (x.dimensions == 2 && out.shape[1] != product.count))
    refuse("out has the shape " + shapeText(out) + ", which does not fit x of the shape " +
           shapeText(x));
  if (product.isOne)
    return checkOneVector(out, "out");
  product.ldOut = leadingDimension(out, "out", product.order);
}

void Plan::takeY(const ProductArguments &in, Product &product) const {
  if (in.y.is_none())
    return;
  if (!product.isOne)
    refuse("y is for products of one vector; for several, pass out with the values of y");
  product.y = arrayOf(in.y, "y", streamOf(in.stream));
  checkVector(product.y, "y", shape_.rows);
  if (product.y.size() != shape_.rows)
    refuse("y has the shape " + shapeText(product.y) + " instead of one column");
  checkOneVector(product.y, "y");
}

// Runs without the GIL. Plans for many streams may run products beside each other.
specmvStatus_t Plan::run(const Product &product, void *stream) {
  const GpuCall counted(isOnGpu_);
  std::unique_lock<std::shared_mutex> alone;
  std::shared_lock<std::shared_mutex> beside;
  if (manyStreams_)
    beside = turns_.beside();
  else
    alone = turns_.alone();
  const void *alpha = product.alpha.address();
  const void *beta = product.beta.address();
  const void *x = product.x.data;
  if (product.y.owner.is_valid())
    return specmvExecuteInto(handle_, alpha, x, beta, product.y.data, product.out.data, stream);
  if (product.isOne)
    return specmvExecute(handle_, alpha, x, beta, product.out.data, stream);
  return specmvExecuteMulti(handle_, product.count, alpha, x, product.ldX, beta, product.out.data,
                            product.ldOut, product.order, stream);
}

void Plan::checkWhole() {
  turns_.renewInChild();
  if (turns_.isTorn())
    refuse("the process was forked while another thread updated the plan, so its values are partly "
           "old ones here: update it again");
}

nb::object Plan::execute(const ProductArguments &in) {
  checkWhole();
  Product product;
  takeX(in, product);
  product.alpha = scalarOf(in.alpha, "alpha");
  product.beta = scalarOf(in.beta, "beta");
  takeResult(in, product);
  takeY(in, product);
  void *stream = streamFor(in.stream, product.x, product.out);
  callWithoutGil([&] { return run(product, stream); });
  return std::move(product.result);
}

} // namespace specmv_python
