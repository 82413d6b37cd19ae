// Tests plans of matrices with 64-bit indices on a GPU and on the host: they are the plans of the
// same matrix with 32-bit indices, and a number that does not fit 32 bits is an error.
#include "tests/gpu/device_vectors.h"

#include <cstring>

using namespace specmv;

namespace {

apitest::Csr<int64_t, double> widened(const apitest::Csr<int32_t, double> &a) {
  return {a.rows, a.cols, {a.rowPtr.begin(), a.rowPtr.end()}, {a.col.begin(), a.col.end()}, a.val};
}

// The arrays on the GPU, or on the host.
template <class Index> class PlacedMatrix {
public:
  PlacedMatrix(const apitest::Csr<Index, double> &a, bool onGpu) {
    const auto place = [&](const auto &array) -> const void * {
      if (!onGpu)
        return array.data();
      buffers_.push_back(llvm::cantFail(
          gpuMachine().gpu->uploaded(array.data(), array.size() * sizeof(array[0]))));
      return reinterpret_cast<const void *>(buffers_.back().pointer());
    };
    REQUIRE(specmvCreateCsr(&handle_, a.rows, a.cols, static_cast<int64_t>(a.col.size()),
                            place(a.rowPtr), place(a.col), place(a.val),
                            sizeof(Index) == 4 ? SPECMV_INDEX_32I : SPECMV_INDEX_64I,
                            SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
  }
  PlacedMatrix(const PlacedMatrix &) = delete;
  PlacedMatrix &operator=(const PlacedMatrix &) = delete;
  ~PlacedMatrix() { specmvDestroyMatrix(handle_); }
  operator specmvMatrix_t() const { return handle_; }

private:
  std::vector<DeviceBuffer> buffers_;
  specmvMatrix_t handle_ = nullptr;
};

struct Seen {
  std::string plan;
  std::vector<double> y;
  bool operator==(const Seen &) const = default;
};

Seen seenBy(specmvPlan_t plan, int64_t rows, int64_t cols) {
  std::vector<double> x = apitest::integers<double>(cols, 5), y(static_cast<size_t>(rows));
  const double one = 1, zero = 0;
  REQUIRE(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  const char *text = nullptr;
  REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  return {text, y};
}

} // namespace

TEST_CASE("64-bit indices give the plan and the product of 32-bit ones") {
  const auto narrow = apitest::randomCsr<int32_t, double>(5000, 4000, 9);
  const auto wide = widened(narrow);
  for (const char *formats : {"", "csr5", "sell", "csr-merge", "jad"})
    for (const bool onGpu : {false, true})
      for (const int updatable : {0, 1}) {
        CAPTURE(formats);
        CAPTURE(onGpu);
        CAPTURE(updatable);
        specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, formats);
        if (!*formats)
          options.formats = nullptr;
        options.updatable = updatable;
        const PlacedMatrix<int32_t> a(narrow, onGpu);
        const PlacedMatrix<int64_t> b(wide, onGpu);
        const apitest::Plan ofNarrow(a, options), ofWide(b, options);
        CHECK(seenBy(ofWide, wide.rows, wide.cols) == seenBy(ofNarrow, wide.rows, wide.cols));
        if (!updatable)
          continue;
        std::vector<double> values(wide.val.size(), 3);
        for (specmvPlan_t plan :
             {static_cast<specmvPlan_t>(ofNarrow), static_cast<specmvPlan_t>(ofWide)})
          REQUIRE(specmvUpdateValues(plan, values.data(), nullptr) == SPECMV_STATUS_SUCCESS);
        CHECK(seenBy(ofWide, wide.rows, wide.cols) == seenBy(ofNarrow, wide.rows, wide.cols));
      }
}

TEST_CASE("a number of a matrix on the GPU that does not fit 32 bits is an error that names it") {
  const auto good = widened(apitest::randomCsr<int32_t, double>(500, 400, 5));
  for (const bool onGpu : {false, true})
    for (const int fault : {0, 1, 2}) {
      CAPTURE(onGpu);
      CAPTURE(fault);
      auto bad = good;
      const int64_t wrong = (int64_t{1} << 32) + 7; // its lower half would be a column
      if (fault == 0)
        bad.col[100] = wrong;
      else if (fault == 1)
        bad.rowPtr[30] = wrong;
      else
        bad.rowPtr.back() = wrong;
      const PlacedMatrix<int64_t> a(bad, onGpu);
      specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
      specmvPlan_t plan = nullptr;
      CHECK(specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_INVALID_MATRIX);
      CHECK_MESSAGE(apitest::detailHas("4294967303"), apitest::detail());
    }
}
