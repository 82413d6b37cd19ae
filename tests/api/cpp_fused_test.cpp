// Tests the fused steps of specmv.hpp: on the host, where they cannot run, and their calls on the
// fake GPU.
#include "tests/api/cpp_testing.h"
#include "tests/api/fake_gpu_testing.h"

#include "specmv_fused.h"

using namespace cpptest;

static_assert(!std::is_copy_constructible_v<specmv::FusedStep<double>>);
static_assert(std::is_nothrow_move_constructible_v<specmv::FusedStep<double>>);

TEST_CASE("C++: a fused step of a plan on the host cannot run, and counts what it is given") {
  auto plan = specmv::Plan<double>::create(*Small().matrix(), onHost());
  REQUIRE(plan);
  auto made = specmv::FusedStep<double>::create(*plan, SPECMV_FUSED_JACOBI);
  REQUIRE(made);
  specmv::FusedStep<double> step = std::move(*made);
  CHECK(made->get() == nullptr);
  REQUIRE(step.get() != nullptr);
  const std::vector<double> b(3), d(3);
  std::vector<double> x(3), next(3);
  const auto onHost = step.run({x.data(), next.data(), b.data(), d.data()}, {0.5}, {}, nullptr);
  REQUIRE_FALSE(onHost);
  CHECK(onHost.error().status == SPECMV_STATUS_NO_GPU);
  const auto tooFew = step.run({x.data(), next.data(), b.data()}, {}, {x.data()}, nullptr);
  REQUIRE_FALSE(tooFew);
  CHECK(tooFew.error().status == SPECMV_STATUS_INVALID_VALUE);
  CHECK(tooFew.error().detail ==
        "3 vectors, 0 scalars and 1 scalars or sums on the GPU were given; the step needs 4 "
        "vectors, 1 scalars and 0 scalars or sums on the GPU");
}

TEST_CASE("C++: a text that is not allowed is an error with its line") {
  auto plan = specmv::Plan<double>::create(*Small().matrix(), onHost());
  REQUIRE(plan);
  specmvFusion_t fusion = SPECMV_FUSION_INIT;
  fusion.x = "x";
  fusion.epilogue = "y = ax;\nwhile (y > 0) y -= 1;";
  fusion.vectors = "x, y";
  fusion.written = "y";
  const auto step = specmv::FusedStep<double>::create(*plan, fusion);
  REQUIRE_FALSE(step);
  CHECK(step.error().status == SPECMV_STATUS_INVALID_VALUE);
  CHECK(step.error().detail.find("epilogue, line 2, column 1: 'while'") != std::string::npos);
}

TEST_CASE("C++: fused steps run on the fake GPU from lists and from spans") {
  apitest::passesOnFakeGpu("child: C++ fused steps");
}

TEST_CASE("child: C++ fused steps" * doctest::skip()) {
  specmv::PlanOptions options;
  options.vectorsOnGpu = 1; // the fake GPU's memory is the host's
  auto plan = specmv::Plan<double>::create(*Small().matrix(), options);
  REQUIRE(plan);
  REQUIRE(plan->isOnGpu());
  auto update = specmv::FusedStep<double>::create(*plan, SPECMV_FUSED_CG_UPDATE);
  auto smooth = specmv::FusedStep<double>::create(*plan, SPECMV_FUSED_JACOBI);
  REQUIRE(update);
  REQUIRE(smooth);
  const std::vector<double> q(3), d(3), omega{0.5};
  std::vector<double> r(3), z(3);
  double rz = 1, pq = 1, rzNew = 0, rr = 0;
  CHECK(update->run({r.data(), z.data(), q.data(), d.data()}, {}, {&rz, &pq, &rzNew, &rr},
                    apitest::kStream));
  const std::vector<const double *> vectors{r.data(), z.data(), q.data(), d.data()};
  CHECK(smooth->run(vectors, omega, {}, apitest::kStream));
  const auto overlap =
      update->run({r.data(), r.data(), q.data(), d.data()}, {}, {&rz, &pq, &rzNew, &rr}, nullptr);
  REQUIRE_FALSE(overlap);
  CHECK(overlap.error().detail.find("overlaps") != std::string::npos);
}
