// Tests new values for plans of the C API: for every format, from the device and from the host, on
// a stream of the caller, and in a graph; and for plans with a coding of values, which they fit or
// do not fit. Values are integers, so that every sum is exact.
#include "runtime/include/specmv.h"
#include "tests/gpu/graph.h"
#include "tests/gpu/whole_values.h"

#include "generator/format.h"
#include "runtime/cuda/overlap.h"

using namespace specmv;

namespace {

// Returns the matrix with each entry twice.
CsrMatrix repeated(const CsrMatrix &a) {
  CsrMatrix out = a;
  out.col.clear();
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = 2 * a.rowPtr[i]; e < 2 * a.rowPtr[i + 1]; ++e)
      out.col.push_back(a.col[e / 2]);
  for (auto &begin : out.rowPtr)
    begin *= 2;
  out.val = wholes(out.nnz(), 1);
  return out;
}

// A plan for a matrix and the vectors of its products, on its own stream. It is updatable, unless
// a text names it; then the arrays of the matrix may be lent.
class Subject {
public:
  Subject(const CsrMatrix &a, const char *format, const char *planText = nullptr,
          bool isLent = false)
      : a_(a), machine_(gpuMachine()), stream_(llvm::cantFail(makeStream(*machine_.gpu))),
        x_(wholes(a.cols, 5)), dx_(upload(x_)), dy_(upload(std::vector<double>(a.rows))) {
    specmvMatrix_t matrix = nullptr;
    specmvPlanOptions_t options{};
    options.structSize = sizeof options;
    options.target = SPECMV_TARGET_GPU;
    options.formats = format;
    options.planText = planText;
    options.updatable = planText == nullptr;
    options.csrOutlivesPlan = isLent;
    options.kernels = SPECMV_KERNELS_SPECIALIZED; // general ones read numbers from arrays
    REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), a.rowPtr.data(), a.col.data(),
                            a.val.data(), SPECMV_INDEX_32I, SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
    made_ = specmvCreatePlan(&plan_, matrix, &options);
    specmvDestroyMatrix(matrix);
  }
  Subject(const Subject &) = delete;
  Subject &operator=(const Subject &) = delete;
  ~Subject() { specmvDestroyPlan(plan_); }

  // Returns true if the format accepts the matrix on this machine.
  bool isMade() const {
    if (made_ == SPECMV_STATUS_SUCCESS)
      return true;
    const bool refused = made_ == SPECMV_STATUS_NOT_APPLICABLE || made_ == SPECMV_STATUS_MISSING;
    CHECK_MESSAGE(refused, specmvGetLastErrorDetail());
    return false;
  }

  DeviceBuffer upload(const std::vector<double> &v) const {
    return llvm::cantFail(machine_.gpu->uploaded(v.data(), v.size() * sizeof(double)));
  }
  void replace(const DeviceBuffer &by, const std::vector<double> &v) const {
    llvm::cantFail(machine_.gpu->upload(by.pointer(), v.data(), by.bytes()));
  }
  void update(const void *val) {
    const specmvStatus_t status = specmvUpdateValues(plan_, val, stream_.get());
    REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  }
  void update(const DeviceBuffer &val) { update(reinterpret_cast<const void *>(val.pointer())); }
  void multiply() {
    const double alpha = 1, beta = 0;
    const specmvStatus_t status =
        specmvExecute(plan_, &alpha, reinterpret_cast<const void *>(dx_.pointer()), &beta,
                      reinterpret_cast<void *>(dy_.pointer()), stream_.get());
    REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  }
  // Returns true if the last product used these values.
  bool hasMultiplied(const std::vector<double> &val) const {
    std::vector<double> y(static_cast<size_t>(a_.rows));
    llvm::cantFail(machine_.gpu->synchronize(stream_.get()));
    llvm::cantFail(machine_.gpu->download(y.data(), dy_.pointer(), dy_.bytes()));
    return y == hostProduct(a_, val, x_);
  }
  std::string text() const {
    const char *text = nullptr;
    REQUIRE(specmvGetPlanText(plan_, &text) == SPECMV_STATUS_SUCCESS);
    return text;
  }
  bool isCoded() const { return text().find(" values=") != std::string::npos; }
  void *stream() const { return stream_.get(); }
  const GpuDevice &gpu() const { return *machine_.gpu; }

private:
  const CsrMatrix &a_;
  Machine machine_;
  GpuHandle<void *> stream_;
  std::vector<double> x_;
  DeviceBuffer dx_, dy_;
  specmvPlan_t plan_ = nullptr;
  specmvStatus_t made_ = SPECMV_STATUS_SUCCESS;
};

// Checks new values from the device, twice in a row, and from the host.
void checkUpdates(const CsrMatrix &a, Subject &subject) {
  const std::vector<double> second = wholes(a.nnz(), 2), third = wholes(a.nnz(), 3);
  subject.multiply();
  CHECK(subject.hasMultiplied(a.val));
  const DeviceBuffer dSecond = subject.upload(second), dThird = subject.upload(third);
  subject.update(dSecond);
  subject.update(dThird);
  subject.multiply();
  CHECK(subject.hasMultiplied(third));
  std::vector<double> reused = second;
  subject.update(reused.data());
  std::fill(reused.begin(), reused.end(), 100.0);
  subject.multiply();
  CHECK(subject.hasMultiplied(second));
}

// A graph of an update and a product must use the values that the array has at each launch.
void checkGraph(const CsrMatrix &a, Subject &subject) {
  const std::vector<double> next = wholes(a.nnz(), 4);
  const DeviceBuffer val = subject.upload(a.val);
  runAsGraph(subject.gpu(), subject.stream(), 2, [&] {
    subject.update(val);
    subject.multiply();
  });
  CHECK(subject.hasMultiplied(a.val));
  subject.replace(val, next);
  runAsGraph(subject.gpu(), subject.stream(), 2, [&] {
    subject.update(val);
    subject.multiply();
  });
  CHECK(subject.hasMultiplied(next));
}

// So many different values from `first` on.
std::vector<double> counted(int64_t count, int64_t different, double first) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(first + static_cast<double>(i * 7 % different));
  return out;
}

// A graph of a product must see new codes, which lie where the old ones were. When the plan has
// become plain, the graph still has the product of the values before.
void checkCoded(const CsrMatrix &a, Subject &subject, const std::vector<double> &fits,
                const std::vector<double> &fitsNot, bool hasCodes) {
  const DeviceBuffer dFits = subject.upload(fits), dFitsNot = subject.upload(fitsNot);
  subject.update(dFits);
  subject.multiply();
  CHECK(subject.hasMultiplied(fits));
  subject.update(a.val.data());
  subject.multiply();
  CHECK(subject.hasMultiplied(a.val));
  CHECK(subject.isCoded());
  const auto graph = llvm::cantFail(GpuGraph::capture(subject.gpu(), subject.stream(), [&] {
    subject.multiply();
    return llvm::Error::success();
  }));
  REQUIRE(graph.has_value());
  subject.update(dFits);
  llvm::cantFail(graph->launch(subject.stream()));
  CHECK(subject.hasMultiplied(hasCodes ? fits : a.val));
  subject.update(dFitsNot);
  CHECK_FALSE(subject.isCoded());
  subject.multiply();
  CHECK(subject.hasMultiplied(fitsNot));
  llvm::cantFail(graph->launch(subject.stream()));
  CHECK(subject.hasMultiplied(hasCodes ? fits : a.val));
  checkGraph(a, subject);
}

void checkFormats(const CsrMatrix &a, bool inGraph) {
  std::string made;
  for (const Format &format : formats()) {
    CAPTURE(format.name);
    Subject subject(a, format.name);
    if (!subject.isMade())
      continue;
    made += std::string(" ") + format.name;
    checkUpdates(a, subject);
    if (inGraph && !format.library) // the library's calls are its own affair
      checkGraph(a, subject);
  }
  MESSAGE("formats:", made);
}

} // namespace

TEST_CASE("plans of every format take new values") {
  for (const char *spec : {"powerlaw:rows=3000,cols=3000,avg=8,max=2000", "stencil9:n=60",
                           "blocks:b=3,k=9,band=50,rows=3000"})
    checkFormats(wholeMatrix(spec), true);
}

TEST_CASE("entries that repeat take new values") {
  for (const char *spec : {"stencil9:n=40", "blocks:b=3,k=9,band=50,rows=900"})
    checkFormats(repeated(wholeMatrix(spec)), false);
}

namespace {

struct NewCodes {
  const char *values;
  int64_t fits, fitsNot; // how many different values
  double first;          // of those that do not fit
};
constexpr NewCodes kNewCodes[] = {
    {"ones", 1, 2, 1}, {"codes4", 15, 17, 1}, {"codes8", 250, 300, 1}, {"f32", 300, 2, 0x1p30 + 1}};

void checkNewCodes(const CsrMatrix &a, const std::string &plain, bool isLent) {
  for (const auto &[values, fits, fitsNot, first] : kNewCodes) {
    const std::string text = plain + " values=" + values;
    CAPTURE(text.substr(0, 100));
    Subject subject(a, nullptr, text.c_str(), isLent);
    if (subject.isMade())
      checkCoded(a, subject, counted(a.nnz(), fits, 5), counted(a.nnz(), fitsNot, first),
                 std::string("ones") != values);
  }
}

CsrMatrix ofThrees(const char *spec) {
  CsrMatrix a = wholeMatrix(spec);
  std::fill(a.val.begin(), a.val.end(), 3);
  return a;
}

} // namespace

TEST_CASE("plans with coded values take new ones, and become plain where these do not fit") {
  const CsrMatrix a = ofThrees("powerlaw:rows=3000,cols=3000,avg=8,max=2000");
  for (const char *plain : {"csr-scalar block=256 offset=32 column=32",
                            "csr-vector csr.lanes=4 block=256 offset=32 column=32",
                            "csr-merge merge.items=7 merge.threads=256 offset=32 column=32",
                            "coo block=256 offset=32 column=32"})
    for (const bool isLent : {false, true})
      checkNewCodes(a, plain, isLent);
}

TEST_CASE("with lent arrays, plans with coded values take new ones in every format") {
  const CsrMatrix a = ofThrees("stencil9:n=60");
  for (const Format &format : formats()) {
    if (format.library || format.name == std::string("hcghyb"))
      continue;
    std::string plain;
    {
      const Subject subject(a, format.name);
      if (!subject.isMade())
        continue;
      plain = subject.text();
    }
    checkNewCodes(a, plain, true);
  }
  const Subject dia(a, "dia");
  std::vector<double> along;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      along.push_back(static_cast<double>((a.cols + a.col[e] - i) % 7));
  const std::string text = dia.text() + " values=diagonals";
  Subject subject(a, nullptr, text.c_str(), true);
  REQUIRE(subject.isMade());
  checkCoded(a, subject, along, counted(a.nnz(), 40, 1), false);
}
