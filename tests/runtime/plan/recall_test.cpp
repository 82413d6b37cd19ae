// Tests which target follows an earlier choice if a GPU and the host share a cache. On the fake
// driver, whose kernels find nothing in a matrix, so its pattern is taken from the host.
#include "runtime/plan/recall.h"

#include "models/gpus/borrow.h"
#include "tests/runtime/cuda/fake_driver.h"
#include "tests/runtime/plan/specialize_testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// A choice for a matrix in one cache, made by machines with the same model.
struct OneMatrix {
  ScratchDirectory scratch;
  CsrMatrix matrix = theMatrix();
  Valued valued{matrix.view(), ValueType::f64, 1};
  Profiled profiled = llvm::cantFail(profileMatrix(valued.view()));

  Machine machine(const std::shared_ptr<const GpuDevice> &gpu) const {
    Machine out = hostMachine(scratch.path());
    out.gpu = gpu;
    return out;
  }
  void choose(Machine machine) const {
    Session session(valued.view(), {}, machine);
    session.know(profiled);
    const BuiltChoice chosen = llvm::cantFail(specmv::choose(session));
    rememberChoice(session, chosen);
  }
  bool isFollowed(Machine machine) const {
    forgetChoices();
    Session session(valued.view(), {}, machine);
    session.know(profiled);
    return recalled(session, proposeEarlierChoice).has_value();
  }
};

} // namespace

TEST_CASE("child: the host chooses before the GPU" * doctest::skip()) {
  const OneMatrix one;
  const auto gpu = llvm::cantFail(GpuDevice::open(0));
  one.choose(one.machine(nullptr));
  CHECK(one.isFollowed(one.machine(nullptr)));
  CHECK_FALSE(one.isFollowed(one.machine(gpu)));
  one.choose(one.machine(gpu));
  CHECK(one.isFollowed(one.machine(gpu)));
  CHECK(one.isFollowed(one.machine(nullptr)));
  CHECK(filesBelow(one.scratch.path() + "/wisdom").size() == 2);
}

TEST_CASE("child: a choice by borrowed rates" * doctest::skip()) {
  const OneMatrix one;
  Machine borrowing = one.machine(llvm::cantFail(GpuDevice::open(0)));
  Machine owning = borrowing;
  borrowing.model = scaledTo(sheetOf("sm_80"), h200());
  GpuModel own = borrowing.model;
  own.dramGBs = 1700; // as it was measured, of a file by the same name
  own.ratesFrom = "", own.isScaled = false;
  owning.model = own;
  one.choose(borrowing);
  CHECK(one.isFollowed(borrowing));
  CHECK_FALSE(one.isFollowed(owning));
}

TEST_CASE("a choice by borrowed rates is not followed once there are rates of the GPU's own") {
  passesWithFakeGpu("child: a choice by borrowed rates",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}

TEST_CASE("a GPU does not follow what the host chose without calls of cuSPARSE") {
  passesWithFakeGpu("child: the host chooses before the GPU",
                    {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT}, {"SPECMV_FAKE_CUSPARSE", "1"}});
}
