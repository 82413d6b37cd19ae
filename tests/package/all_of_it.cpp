// Uses all of specmv.hpp as a program outside the tree does: every class and function, in float.
#include <specmv.hpp>
#include <specmv_fused.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

int wrong = 0;

void check(bool isTrue, const char *what) {
  if (isTrue)
    return;
  ++wrong;
  std::cout << "WRONG: " << what << ": " << specmvGetLastErrorDetail() << '\n';
}
#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)

using Vector = std::vector<float>;
// 4 1 0
// 0 3 0
const std::vector<int> kRowPtr{0, 2, 3}, kCol{0, 1, 1};
const Vector kVal{4, 1, 3}, kX{1, 2, 3}, kAx{6, 6}, kXOfRows{1, 2}, kAtx{4, 7, 0};

specmv::Matrix<float> matrix() {
  return specmv::Matrix<float>::csr(2, 3, kRowPtr, kCol, kVal).value();
}

bool isRight(specmv::Plan<float> &plan) {
  Vector y(2, 5);
  const bool isDone(plan.multiply(kX, y, 2, 1)); // y = 2 A x + y
  return isDone && y == Vector{17, 17};
}

void tryContext() {
  int heard = 0;
  auto context =
      specmv::Context::create({.log = [&](specmvLogLevel_t, std::string_view) { ++heard; },
                               .logLevel = SPECMV_LOG_INFO,
                               .threads = 1,
                               .cacheDirectory = "",
                               .packs = "",
                               .allocate = [](void *, size_t, void *) -> void * { return nullptr; },
                               .deallocate = [](void *, void *, size_t, void *) {},
                               .allocatorUser = nullptr,
                               .gpuModel = "h200"});
  CHECK(context);
  specmv::PlanOptions options;
  options.target = SPECMV_TARGET_HOST;
  options.context = context->get();
  options.scalarsOnGpu = options.scratchPerStream = options.updatable = options.compileOnHost = 1;
  options.vectors = 2;
  auto plan = specmv::Plan<float>::create(matrix(), options);
  CHECK(plan && isRight(*plan) && heard > 0);
  Vector rows(4), columns(4);
  CHECK(plan->multiplySeveral(2, Vector{1, 10, 2, 20, 3, 30}, rows));
  CHECK(rows == Vector{6, 60, 6, 60});
  CHECK(plan->multiplySeveral(2, Vector{1, 2, 3, 10, 20, 30}, columns, SPECMV_ORDER_COLUMN));
  CHECK(columns == Vector{6, 6, 60, 60});
  CHECK(plan->updateValues(Vector{8, 2, 6}));
  Vector y(2);
  CHECK(plan->multiply(kX, y) && y == Vector{12, 12});
  CHECK(plan->destroyOn(nullptr) && plan->get() == nullptr);
}

void tryTranspose() {
  specmv::PlanOptions options;
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  auto plan = specmv::Plan<float>::create(matrix(), options);
  Vector y(3);
  CHECK(plan && plan->multiply(kXOfRows, y) && y == kAtx);
}

// The pattern is known before the values.
void tryLayout() {
  const std::vector<int64_t> rows{2, 1, 1}, cols{2, 2, 1}; // from 1
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  description.format = SPECMV_FORMAT_COO;
  description.rows = 2;
  description.cols = description.nnz = 3;
  description.indexType = SPECMV_INDEX_64I;
  description.indexBase = 1;
  description.rowIndices = rows.data();
  description.colIndices = cols.data();
  const auto a = specmv::Matrix<float>::create(description);
  CHECK(a && a->rows() == 2 && a->cols() == 3 && a->nnz() == 3);
  auto plan = specmv::Plan<float>::create(*a);
  CHECK(plan && !isRight(*plan));
  CHECK(plan->updateValues(Vector{3, 1, 4}));
  CHECK(isRight(*plan));
}

void tryFacts() {
  const auto a = matrix();
  specmv::PlanOptions options;
  options.start = SPECMV_START_NOW;
  auto plan = specmv::Plan<float>::create(a, options);
  CHECK(plan && isRight(*plan) && plan->wait());
  const auto ready = plan->ready();
  CHECK(ready.has_value() && *ready && isRight(*plan) && plan->cancel());
  const auto estimate = specmv::Plan<float>::estimate(a);
  CHECK(estimate && estimate->bytes > 0 && estimate->format[0] && !plan->text().empty());
  CHECK(plan->bytes() > 0 && plan->setupMilliseconds() > 0 && !plan->report().empty());
  CHECK(plan->json().find(plan->isOnGpu() ? "\"target\":\"gpu\"" : "\"target\":\"host\"") !=
        std::string::npos);
  CHECK(!specmv::addPack("no.pack"));
  CHECK(specmv::addPack("no.pack").error().status == SPECMV_STATUS_MISSING);
}

void tryFused() {
  specmv::PlanOptions options;
  options.target = SPECMV_TARGET_HOST;
  auto plan = specmv::Plan<float>::create(matrix(), options);
  auto step = specmv::FusedStep<float>::create(*plan, SPECMV_FUSED_CG_END);
  CHECK(step && step->get());
  float p[2], x[2], rz = 1, pq = 1;
  CHECK(step->run({p, x}, {}, {&rz, &pq}, nullptr).error().status == SPECMV_STATUS_NO_GPU);
}

} // namespace

int main() {
  tryContext();
  tryTranspose();
  tryLayout();
  tryFacts();
  tryFused();
  if (wrong == 0)
    std::cout << "all of it is right\n";
  return wrong != 0;
}
