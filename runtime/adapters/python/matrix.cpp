// Checks the arrays of a matrix and describes them to the C API.
#include "runtime/adapters/python/matrix.h"

#include "runtime/adapters/python/streams.h"

namespace specmv_python {

// The order is that of specmvFormat_t.
constexpr std::array<const char *, 4> kFormats = {"csr", "csc", "coo", "bsr"};

static specmvFormat_t formatOf(const std::string &name) {
  for (size_t i = 0; i < kFormats.size(); ++i)
    if (name == kFormats[i])
      return static_cast<specmvFormat_t>(i);
  refuse("the format '" + name + "' is none of csr, csc, coo and bsr");
}

static specmvDataType_t dataTypeOf(const std::string &type, const std::string &subject) {
  if (type == "float64")
    return SPECMV_R_64F;
  if (type == "float32")
    return SPECMV_R_32F;
  refuseType(subject + " of type " + (type.empty() ? "unknown" : type) +
             "; specmv takes float32 and float64");
}

const char *Matrix::type() const {
  return description_.dataType == SPECMV_R_64F ? "float64" : "float32";
}

const char *Matrix::format() const { return kFormats[description_.format]; }

nb::list Matrix::arrays() const {
  nb::list objects;
  for (const Array &array : arrays_)
    objects.append(array.owner);
  return objects;
}

// All arrays are on the host, or all on one GPU. An array that does not tell its GPU fits any.
void Matrix::checkPlace(const Array &array, const char *name) {
  if (arrays_.empty() || (device_ == kOnSomeGpu && array.isOnGpu()))
    device_ = array.device;
  else if (array.device != device_ && !(array.device == kOnSomeGpu && device_ >= 0))
    refuse(std::string(name) + " is " +
           (array.isOnGpu() ? "on GPU " + std::to_string(array.device) : "in host memory") +
           ", but the arrays before it are " +
           (device_ == kOnHost ? "in host memory" : "on GPU " + std::to_string(device_)) +
           "; all must be in one place");
}

// Reads an array, which is kept; null for None.
const Array *Matrix::take(nb::handle object, const char *name) {
  if (object.is_none())
    return nullptr;
  Array array = arrayOf(object, name);
  checkContiguous(array, name);
  checkPlace(array, name);
  arrays_.push_back(std::move(array));
  return &arrays_.back();
}

const Array *Matrix::takeIndices(nb::handle object, const char *name) {
  const Array *array = take(object, name);
  if (array && array->type != "int32" && array->type != "int64")
    refuseType(typeText(*array, name) + "; specmv takes int32 and int64");
  if (array && array->dimensions != 1)
    refuse(std::string(name) + " has " + std::to_string(array->dimensions) +
           " dimensions instead of 1");
  return array;
}

// Sets where an array is, after its size was found to be right.
static void setIndices(const Array *array, const char *name, int64_t size, const void *&place,
                       specmvIndexType_t &type) {
  if (!array)
    return;
  if (array->size() != size)
    refuse(std::string(name) + " has " + std::to_string(array->size()) + " elements instead of " +
           std::to_string(size));
  place = array->data;
  type = array->type == "int32" ? SPECMV_INDEX_32I : SPECMV_INDEX_64I;
}

void Matrix::takeValues(const MatrixParts &parts) {
  const Array *values = take(parts.values, "data");
  description_.dataType = values ? dataTypeOf(values->type, "data is")
                                 : dataTypeOf(parts.valueType, "the values are said to be");
  if (description_.format == SPECMV_FORMAT_BSR)
    return takeBlocks(values);
  if (values && values->dimensions != 1)
    refuse("data has " + std::to_string(values->dimensions) + " dimensions instead of 1");
  if (values) {
    description_.values = values->data;
    description_.nnz = values->size();
  }
}

void Matrix::takeBlocks(const Array *values) {
  if (!values || values->dimensions != 3)
    refuse("data of BSR needs three dimensions: (blocks, rows of a block, columns of a block)");
  specmvMatrixDescription_t &it = description_;
  const int64_t blockRows = values->shape[1], blockCols = values->shape[2];
  if (blockRows < 1 || blockCols < 1 || it.rows % blockRows || it.cols % blockCols)
    refuse("blocks of " + std::to_string(blockRows) + " x " + std::to_string(blockCols) +
           " do not divide a matrix of " + std::to_string(it.rows) + " x " +
           std::to_string(it.cols));
  it.blockRows = static_cast<int>(blockRows);
  it.blockCols = static_cast<int>(blockCols);
  it.values = values->data;
  it.nnz = values->size();
}

Matrix::Matrix(MatrixParts given) : parts_(std::move(given)) {
  const MatrixParts &parts = parts_;
  specmvMatrixDescription_t &it = description_;
  it.format = formatOf(parts.format);
  it.rows = parts.rows;
  it.cols = parts.cols;
  it.indexBase = parts.indexBase;
  if (it.rows < 0 || it.cols < 0)
    refuse("the shape is (" + std::to_string(it.rows) + ", " + std::to_string(it.cols) +
           "); sizes are not negative");
  const bool isCoo = it.format == SPECMV_FORMAT_COO;
  const char *rowName = isCoo ? "row" : "indices";
  const char *colName = isCoo ? "col" : "indices";
  arrays_.reserve(4); // take() gives addresses in it
  const Array *offsets = takeIndices(parts.offsets, "indptr");
  const Array *rows = takeIndices(parts.rowIndices, rowName);
  const Array *cols = takeIndices(parts.colIndices, colName);
  takeValues(parts);
  if (!it.values && !it.nnz)
    it.nnz = rows ? rows->size() : cols->size();
  const bool isBsr = it.format == SPECMV_FORMAT_BSR;
  const int64_t indices = isBsr ? it.nnz / it.blockRows / it.blockCols : it.nnz;
  const int64_t lines = it.format == SPECMV_FORMAT_CSC ? it.cols : it.rows;
  setIndices(offsets, "indptr", (isBsr ? lines / it.blockRows : lines) + 1, it.offsets,
             it.offsetType);
  setIndices(rows, rowName, indices, it.rowIndices, it.indexType);
  const specmvIndexType_t typeOfRows = it.indexType;
  setIndices(cols, colName, indices, it.colIndices, it.indexType);
  if (isCoo && typeOfRows != it.indexType)
    refuseType("row and col are of different types; both must be int32, or both int64");
  callWithoutGil([&] { return specmvCreateMatrix(&handle_, &description_); });
}

// A handle that the C API made is one that it destroys.
Matrix::~Matrix() { (void)specmvDestroyMatrix(handle_); }

void Matrix::synchronize() const {
  for (const Array &array : arrays_) {
    if (array.library == Library::cupy)
      nb::module_::import_("cupy.cuda").attr("get_current_stream")().attr("synchronize")();
    else if (array.library == Library::torch && array.isOnGpu())
      nb::module_::import_("torch.cuda").attr("current_stream")(array.device).attr("synchronize")();
  }
}

} // namespace specmv_python
