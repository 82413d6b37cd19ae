// Copies the arrays of a matrix, which the caller may change after a plan was made.
#include "runtime/adapters/python/matrix.h"

#include <cstring>

namespace specmv_python {

static void copyElements(void *to, const Array &from) {
  const WithoutGil released;
  if (from.size() > 0)
    std::memcpy(to, from.data, static_cast<size_t>(from.size() * from.elementBytes));
}

nb::object copyOf(const Array &array) {
  if (array.isOnGpu() && array.library == Library::cupy)
    return array.owner.attr("copy")();
  if (array.isOnGpu() && array.library == Library::torch)
    return array.owner.attr("detach")().attr("clone")();
  if (array.isOnGpu())
    return array.owner;
  nb::list shape;
  for (int i = 0; i < array.dimensions; ++i)
    shape.append(array.shape[i]);
  nb::object made = nb::module_::import_("numpy").attr("empty")(nb::tuple(shape), array.type);
  copyElements(arrayOf(made, "a copy").data, array);
  return made;
}

Matrix *Matrix::copy() const {
  MatrixParts parts = parts_;
  size_t taken = 0;
  for (nb::object *part : {&parts.offsets, &parts.rowIndices, &parts.colIndices, &parts.values})
    if (!part->is_none())
      *part = copyOf(arrays_[taken++]);
  auto made = std::make_unique<Matrix>(std::move(parts));
  made->synchronize();
  made->isCopy_ = true;
  return made.release();
}

bool Matrix::takeValues(const Array &values) {
  if (!isCopy_ || values.isOnGpu() || device_ != kOnHost || !hasValues())
    return false;
  copyElements(const_cast<void *>(description_.values), values);
  return true;
}

} // namespace specmv_python
