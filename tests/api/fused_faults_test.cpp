// Tests what fused steps refuse, and that nothing is left of what fails.
#include "tests/api/fused_testing.h"

#include <cstdlib>

using namespace apitest;

namespace {

// Why a step of the plan is refused.
std::string refusalOf(specmvPlan_t plan, const specmvFusion_t &fusion,
                      specmvStatus_t wanted = SPECMV_STATUS_INVALID_VALUE) {
  auto *step = reinterpret_cast<specmvFused_t>(uintptr_t{8});
  const specmvStatus_t status = specmvCreateFused(&step, plan, &fusion);
  CHECK_MESSAGE(status == wanted, status, " ", detail());
  CHECK(step == nullptr);
  return status == SPECMV_STATUS_SUCCESS ? "" : detail();
}

template <class Change> std::string refusalWith(specmvPlan_t plan, const Change &change) {
  specmvFusion_t fusion = cgStep();
  change(fusion);
  return refusalOf(plan, fusion);
}

template <class Change> std::string refusalOfRun(specmvFused_t step, const Change &change) {
  CgOperands operands;
  change(operands);
  const std::string calls =
      fakeCallsOf([&] { CHECK(operands.run(step) == SPECMV_STATUS_INVALID_VALUE); });
  CHECK(launchesIn(calls) == 0);
  return detail();
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what specmvCreateFused() refuses") {
  const Plan plan(smallCsr());
  specmvFused_t step = nullptr;
  const specmvFusion_t fusion = cgStep();
  CHECK(specmvCreateFused(nullptr, plan, &fusion) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detail() == "step is a null pointer");
  CHECK(specmvCreateFused(&step, nullptr, &fusion) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detail() == "plan is a null pointer");
  CHECK(specmvCreateFused(&step, plan, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detail() == "fusion is a null pointer");
  const Matrix matrix(smallCsr());
  CHECK(specmvCreateFused(&step,
                          reinterpret_cast<specmvPlan_t>(static_cast<specmvMatrix_t>(matrix)),
                          &fusion) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("is not a handle of its kind"));
  for (const size_t size : {size_t{0}, sizeof fusion - 8, sizeof fusion + 8})
    CHECK(has(refusalWith(plan, [&](specmvFusion_t &f) { f.structSize = size; }), "structSize"));
  CHECK(
      refusalWith(plan, [](specmvFusion_t &f) { f.epilogue = nullptr; }) ==
      "a fused step must have statements (it has 0 bytes) that write a vector or add to a sum (it "
      "has 1 and 1)");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.vectors = "p, q, r"; }) ==
        "neither x nor the epilogue names the vector 'r', one of 3; remove it");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.vectors = "p,, q"; }) ==
        "a vector has no name; remove the comma before or behind it");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.sums = " "; }) ==
        "a sum has no name; remove the comma before or behind it");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.epilogue = "q = ax;\n while (1);"; }) ==
        "epilogue, line 2, column 2: 'while' is not allowed: a fused step has assignments, "
        "declarations, "
        "conditions and calls of functions, without loops, jumps or types");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.x = "p)\n("; }) ==
        "x, line 1, column 2: ')' is not allowed: it must be one expression");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.x = " \n  p q"; }) ==
        "x, line 2, column 5: 'q' is not allowed: it must be one expression");
  CHECK(refusalWith(plan, [](specmvFusion_t &f) { f.x = "p\n\xff"; }) ==
        "x, line 2, column 1: the byte 255 is not allowed in a fused step: comments are UTF-8 "
        "without control characters, and all else is ASCII");
}

TEST_CASE("a plan on the host has steps that cannot run, and counts them") {
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = hostOptions();
  REQUIRE(specmvCreatePlan(&plan, Matrix(smallCsr()), &options) == SPECMV_STATUS_SUCCESS);
  CgOperands operands;
  {
    const FusedStep first(plan, cgStep()), second(plan, cgStepOf("  p\n"));
    CHECK(operands.run(first, nullptr) == SPECMV_STATUS_NO_GPU);
    CHECK(detail() == "the plan of 3 x 4 runs on the host, where fused steps cannot run; make it "
                      "for a GPU");
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detail() == "2 fused steps of the plan still live; destroy them before the plan");
    CHECK(specmvDestroyPlanAsync(plan, nullptr) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detail() == "2 fused steps of the plan still live; destroy them before the plan");
  }
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("steps that are no handles are refused, NULL may be destroyed") {
  CgOperands operands;
  CHECK(operands.run(nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detail() == "step is a null pointer");
  CHECK(specmvDestroyFused(nullptr) == SPECMV_STATUS_SUCCESS);
  const Matrix matrix(smallCsr());
  auto *const other = reinterpret_cast<specmvFused_t>(static_cast<specmvMatrix_t>(matrix));
  CHECK(operands.run(other) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("is not a handle of its kind"));
  CHECK(specmvDestroyFused(other) == SPECMV_STATUS_INVALID_VALUE);
}

TEST_CASE("child: what plans refuse" * doctest::skip()) {
  placeAllOnGpu();
  specmvPlanOptions_t options = gpuOptions("ell", false);
  options.vectors = 4;
  options.formats = "csr-vector";
  {
    const Plan plan(squareMatrix(), options);
    CHECK(refusalOf(plan, cgStep()) ==
          "the plan is made for 4 vectors at once, but a fused step multiplies one; make another "
          "plan without the option vectors");
  }
  options.vectors = 1;
  const Plan one(squareMatrix(), options);
  callsOfRun(FusedStep(one, cgStep()));
  // A plan that has no values yet.
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  const auto &a = squareMatrix();
  description.rows = a.rows, description.cols = a.cols;
  description.nnz = static_cast<int64_t>(a.col.size());
  description.offsets = a.rowPtr.data(), description.colIndices = a.col.data();
  specmvMatrix_t pattern = nullptr;
  REQUIRE_MESSAGE(specmvCreateMatrix(&pattern, &description) == SPECMV_STATUS_SUCCESS, detail());
  const Plan plan(pattern, gpuOptions("ell", false));
  specmvDestroyMatrix(pattern);
  const FusedStep step(plan, cgStep());
  CHECK(has(refusalOfRun(step, [](CgOperands &) {}), "the plan has no values yet"));
  specmvFusion_t without = cgStep();
  without.x = nullptr;
  without.epilogue = "q = p * a + b; pq += p * q;";
  callsOfRun(FusedStep(plan, without)); // needs none
  REQUIRE(specmvUpdateValues(plan, a.val.data(), kStream) == SPECMV_STATUS_SUCCESS);
  callsOfRun(step);
}

TEST_CASE("plans for several vectors, and those without values, have no runs of steps") {
  passesOnFakeGpu("child: what plans refuse");
}

TEST_CASE("child: addresses at fault" * doctest::skip()) {
  placeAllOnGpu();
  const Plan plan(squareMatrix(), gpuOptions("ell", false));
  const FusedStep step(plan, cgStep());
  CgOperands good;
  CHECK(specmvExecuteFused(step, nullptr, good.scalars, kStream) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detail() == "vectors is a null pointer");
  CHECK(specmvExecuteFused(step, good.vectors, nullptr, kStream) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detail() == "scalars is a null pointer");
  const auto why = [&](auto change) { return refusalOfRun(step, change); };
  CHECK(why([](CgOperands &o) { o.vectors[0] = nullptr; }) ==
        "'p' is a null pointer, but needs 320 bytes");
  CHECK(why([](CgOperands &o) { o.vectors[1] = nullptr; }) ==
        "'q' is a null pointer, but needs 320 bytes");
  CHECK(why([](CgOperands &o) { o.scalars[0] = nullptr; }) == "the scalar 'a' is a null pointer");
  CHECK(why([](CgOperands &o) { o.scalars[1] = nullptr; }) ==
        "'b' is a null pointer, but needs 8 bytes");
  CHECK(why([](CgOperands &o) { o.scalars[2] = nullptr; }) ==
        "'pq' is a null pointer, but needs 8 bytes");
  const auto later = [](void *&pointer, int bytes) {
    pointer = static_cast<char *>(pointer) + bytes;
  };
  CHECK(has(why([&](CgOperands &o) { later(o.vectors[0], 4); }), "'p' at "));
  CHECK(detailHas(" is not aligned to its type, 8 bytes"));
  CHECK(has(why([&](CgOperands &o) { later(o.scalars[2], 1); }), "'pq' at "));
  const auto overlap = [&](auto change, const char *written, const char *other) {
    const std::string found = why(change);
    CHECK_MESSAGE(has(found, std::string("'") + written + "' at "), found);
    CHECK_MESSAGE(has(found, std::string(", which the step writes, overlaps '") + other + "' at "),
                  found);
  };
  overlap([](CgOperands &o) { o.vectors[1] = o.vectors[0]; }, "q", "p");
  overlap([](CgOperands &o) { o.vectors[1] = o.p + 39; }, "q", "p");
  overlap([](CgOperands &o) { o.scalars[1] = o.q + 39; }, "q", "b");
  overlap([](CgOperands &o) { o.scalars[2] = o.q; }, "q", "pq");
  overlap([](CgOperands &o) { o.scalars[2] = o.p + 7; }, "pq", "p");
  overlap([](CgOperands &o) { o.scalars[2] = o.scalars[1]; }, "pq", "b");
  CgOperands apart; // neighbours do not overlap, and what is only read may
  apart.scalars[1] = apart.p + 3;
  CHECK(apart.run(step) == SPECMV_STATUS_SUCCESS);
  *ofFakeDriver<unsigned>("fakeMemoryDevice") = 1;
  CHECK(has(why([](CgOperands &) {}), "p is in the memory of GPU 1, but the plan runs on GPU 0"));
  *ofFakeDriver<unsigned>("fakeMemoryDevice") = 0;
  placeAllOnGpu(false);
  CHECK(has(why([](CgOperands &) {}),
            "is in host memory, but a fused step needs all but scalars of "
            "the call in GPU memory; pass a device pointer"));
}

TEST_CASE("a run refuses addresses that are null, misaligned, elsewhere or overlap") {
  passesOnFakeGpu("child: addresses at fault");
}

TEST_CASE("child: the driver fails" * doctest::skip()) {
  placeAllOnGpu();
  for (const char *format : {"ell", "coo", "cusparse-csr"}) {
    CAPTURE(std::string(format));
    for (const char *call :
         {"cuMemAlloc_v2", "cuModuleLoadData", "cuModuleGetFunction", "cuMemsetD8Async",
          "cuMemcpyHtoDAsync_v2", "cuEventCreate", "cuStreamSynchronize"}) {
      CAPTURE(std::string(call));
      {
        specmvPlanOptions_t options = gpuOptions(format, true);
        options.scalarsOnGpu = std::string(format) == "coo";
        const Plan plan(squareMatrix(), options);
        for (const char *x : {"p", "p * a"}) {
          const specmvFusion_t fusion = cgStepOf(x);
          { const FusedStep step(plan, fusion); } // what is kept for later is there
          const int before = fakeLive();
          setenv("SPECMV_FAKE_FAILS", call, 1);
          specmvFused_t step = nullptr;
          const specmvStatus_t status = specmvCreateFused(&step, plan, &fusion);
          unsetenv("SPECMV_FAKE_FAILS");
          CHECK((step != nullptr) == (status == SPECMV_STATUS_SUCCESS));
          CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS);
          CHECK(fakeLive() <= before);
          callsOfRun(FusedStep(plan, fusion));
        }
      }
      CHECK(leftOnFakeGpu() == 0);
    }
  }
}

TEST_CASE("a step that cannot be made leaves nothing, and its plan goes on") {
  passesOnFakeGpu("child: the driver fails");
}

TEST_CASE("child: a launch fails" * doctest::skip()) {
  placeAllOnGpu();
  for (const char *call : {"cuLaunchKernelEx", "cuEventRecord"}) {
    CAPTURE(std::string(call));
    {
      const Plan plan(squareMatrix(), gpuOptions("ell", false));
      const FusedStep step(plan, cgStep());
      callsOfRun(step);
      setenv("SPECMV_FAKE_FAILS", call, 1);
      CgOperands operands;
      specmvStatus_t status = SPECMV_STATUS_SUCCESS;
      const std::string calls = fakeCallsOf([&] { status = operands.run(step); });
      unsetenv("SPECMV_FAKE_FAILS");
      const bool isRecord = std::string(call) == "cuEventRecord";
      CHECK((status == SPECMV_STATUS_SUCCESS) == isRecord); // the stream is waited for instead
      CHECK(countOf("cuEventRecord", calls) == 1);          // what was launched is marked
      callsOfRun(step);
    }
    CHECK(leftOnFakeGpu() == 0);
  }
}

TEST_CASE("a run that fails half-way is marked, and the step can be destroyed") {
  passesOnFakeGpu("child: a launch fails");
}

TEST_CASE("child: a step waits for its runs when it is destroyed" * doctest::skip()) {
  placeAllOnGpu();
  const Plan plan(squareMatrix(), gpuOptions("ell", false));
  specmvFused_t step = nullptr;
  const specmvFusion_t fusion = cgStep();
  REQUIRE(specmvCreateFused(&step, plan, &fusion) == SPECMV_STATUS_SUCCESS);
  callsOfRun(step);
  setenv("SPECMV_FAKE_NOT_READY", "1", 1);
  const std::string calls =
      fakeCallsOf([&] { CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS); });
  CHECK(countOf("cuEventSynchronize", calls) == 1);
  CHECK(countOf("cuStreamSynchronize", calls) == 0);
}

TEST_CASE("a step that is destroyed waits for its own runs") {
  passesOnFakeGpu("child: a step waits for its runs when it is destroyed");
}
