// Tests that every kernel compiles for every architecture without a spill, twice to the same bytes.
// This takes minutes, so processes share it: SPECMV_SHARD=i/n takes every n-th kernel from the i-th
// on.
#include "generator/coding/encode.h"
#include "generator/fusion/step.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/curves.h"
#include "generator/setup/given_csr.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/fusion_texts.h"
#include "tests/generator/ready_made_steps.h"
#include "tests/runtime/cuda/nvrtc_testing.h"
#include "tests/shard.h"
#include "tests/text.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns the first architecture of each generation, by the tens of its number (sm_80, not sm_86),
// and the newest.
std::vector<std::string> generationsOf(const std::vector<std::string> &all) {
  std::vector<std::string> out;
  std::set<int> seen;
  for (const std::string &arch : all)
    if (seen.insert(std::stoi(arch.substr(3)) / 10).second || arch == all.back())
      out.push_back(arch);
  return out;
}

CsrMatrix blocksAndALongRow() {
  return matrixOf("blocks and a long row", 300, 300, [](int64_t i) {
    return i == 250 ? run(0, 300) : run(i / 64 * 64, std::min<int64_t>(64, 300 - i / 64 * 64));
  });
}

using NamedSources = std::vector<std::pair<std::string, KernelSource>>;

// Collects the source of the product, and that of the packing if a GPU does that.
NamedSources sourcesOf(const Format &format, const Plan &plan, const Problem &problem,
                       IndexType csrIndex) {
  NamedSources out{{plan.text(), format.source(plan, problem)}};
  if (format.packing)
    out.emplace_back("packing of " + plan.text(), format.packing->source(plan, problem, csrIndex));
  return out;
}

// Returns the sources of all plans for a few matrices, each once, with its plan; `wide` selects
// 64-bit indices. For those, and for products that do not read y, only doubles are included, since
// floats need fewer registers. emitted_ptx_test.cpp (no y) and the host executor's tests (64-bit
// indices) show that kernels compile for floats too.
NamedSources sources(bool wide) {
  NamedSources out;
  std::set<std::string> texts;
  const IndexType csrIndex = wide ? IndexType::i64 : IndexType::i32;
  for (const CsrMatrix &a : {evenMatrix(640, 27), blocksAndALongRow()})
    for (ValueType type : kTypes)
      for (bool readsY : {true, false}) {
        if (wide ? !readsY || type == ValueType::f32 : !readsY && type == ValueType::f32)
          continue;
        const Problem problem{type, readsY};
        for (auto &[format, plan] : plansOf(a.view(), problem)) {
          if (format->library) // there is no kernel
            continue;
          for (auto &[name, value] : plan.integers)
            value = wide && (name == "offset" || name == "column") ? 64 : value;
          for (auto &[what, source] : sourcesOf(*format, plan, problem, csrIndex))
            if (texts.insert(source.text).second)
              out.emplace_back(nameOf(type) + (" " + what), std::move(source));
        }
      }
  for (ValueType type : kTypes) {
    out.emplace_back("slots of values", slotsSource(type));
    out.emplace_back("gathers", gatherSource(type));
    out.emplace_back("values", valuesSource(type));
    out.emplace_back("values along diagonals", valueDiagonalsSource(csrIndex, type));
    out.emplace_back("permuted rows", permuteSource(csrIndex, type));
  }
  out.emplace_back("check", checkSource(csrIndex));
  out.emplace_back("columns", columnsSource(csrIndex));
  out.emplace_back("an order of rows", searchSource(csrIndex));
  out.emplace_back("curves", curvesSource());
  return out;
}

CsrMatrix smallStencil() {
  return matrixOf("stencil", 300, 300, [](int64_t i) { return stencilRow(i, 300, 300); });
}

// Counts its calls, and returns true for those in this process's shard.
bool isOfShard() {
  static size_t number = 0;
  return shard().has(number++);
}

void checkCompiles(const std::string &what, const KernelSource &source, const std::string &arch) {
  if (!isOfShard())
    return;
  CAPTURE(what);
  CAPTURE(arch);
  auto compiled = compile(source, "k", arch, Strictness::noSpills);
  if (!compiled) {
    FAIL_CHECK(describe(compiled.takeError()).second);
    return;
  }
  REQUIRE(compiled->cubin.size() > 4);
  const std::string cubin(compiled->cubin.begin(), compiled->cubin.end());
  CHECK(cubin.substr(0, 4) == "\177ELF");
  // A module that has variables takes ten times as long to load (templates/shared/constants.cuh).
  CHECK_FALSE(contains(cubin, ".nv.global"));
  CHECK(contains(compiled->compiler, "NVRTC "));
  CHECK(compiled->ptx.empty());
}

} // namespace

TEST_CASE("all plans compile for sm_90 with spills and local memory as errors") {
  if (architectures().empty())
    return;
  for (bool wide : {false, true}) {
    const auto all = sources(wide);
    CHECK(all.size() >= 40);
    for (const auto &[what, source] : all)
      checkCompiles(what, source, "sm_90");
  }
}

TEST_CASE("kernels for other vectors and results compile without spills, some for the oldest GPU") {
  const std::vector<std::string> all = architectures();
  std::set<std::string> texts;
  for (const Problem &problem :
       {Problem{ValueType::f64, true, 8}, Problem{ValueType::f32, true, 16},
        Problem{ValueType::f32, false, 2}, Problem{ValueType::f64, true, 2},
        Problem{.type = ValueType::f32, .vectorsAreDouble = true},
        Problem{.type = ValueType::f64, .resultIsApart = false}})
    for (const CsrMatrix &a : {evenMatrix(640, 27), smallStencil()})
      for (const auto &[format, plan] : plansOf(a.view(), problem, {{}})) {
        const KernelSource source = format->source(plan, problem);
        if (format->library || !texts.insert(source.text).second || all.empty())
          continue;
        const std::string what = std::to_string(problem.vectors) + " vectors by " + plan.text();
        checkCompiles(what, source, "sm_90");
        if (problem.vectors == 8 && texts.size() % 4 == 1)
          checkCompiles(what, source, all.front());
      }
  CHECK(texts.size() >= 20);
}

TEST_CASE("kernels of plans with an order compile without spills") {
  if (architectures().empty())
    return;
  std::set<std::string> texts;
  for (const Problem &problem :
       {Problem{ValueType::f64}, Problem{ValueType::f32}, Problem{ValueType::f32, false},
        Problem{.type = ValueType::f64, .scalarsAreOnGpu = true}})
    for (const CsrMatrix &a : {evenMatrix(640, 27), smallStencil()})
      for (auto &[format, plan] : plansOf(a.view(), problem, {{}})) {
        plan.order = kBreadthFirst;
        if (format->library)
          continue;
        const KernelSource source = format->sourceFor(plan, problem);
        if (texts.insert(source.text).second)
          checkCompiles(plan.text(), source, "sm_90");
      }
  CHECK(texts.size() >= 40);
}

// A step needs registers beside those of the product, so some spill a few bytes where the format
// limits them.
TEST_CASE("fused steps compile with all formats that can run them") {
  const std::vector<std::string> all = architectures();
  std::set<std::string> texts;
  for (const ValueType type : kTypes)
    for (const Fusion *fusion : fusedSteps())
      for (const CsrMatrix &a : {evenMatrix(640, 27), smallStencil()})
        for (const auto &[format, plan] :
             plansOf(a.view(), {.type = type, .betaCanBeNonZero = false}, {{}})) {
          Problem problem{.type = type, .betaCanBeNonZero = false};
          problem.fusion = fusion;
          if (format->fuses == Fuses::nothing || all.empty() ||
              (format->fuses == Fuses::rows && fusion->hasExpression()))
            continue;
          const KernelSource source = format->source(plan, problem);
          if (texts.insert(source.text).second)
            checkCompiles("a step by " + plan.text(), source, "sm_90");
        }
  for (const ValueType type : kTypes)
    for (const Fusion *fusion : fusedSteps()) {
      Problem problem{.type = type};
      problem.fusion = fusion;
      if (!all.empty())
        for (const std::string &arch : {all.front(), all.back()})
          checkCompiles("a step alone", stepSource(problem), arch);
    }
  CHECK((all.empty() || texts.size() >= 40));
}

TEST_CASE("ready-made steps compile, alone and within a product") {
  const CsrMatrix a = evenMatrix(640, 27);
  const bool canCompile = !architectures().empty();
  const auto check = [&](const char *name, const KernelSource &source) {
    if (!canCompile || !isOfShard())
      return;
    auto compiled = compile(source, name, "sm_90");
    if (!compiled)
      FAIL_CHECK(describe(compiled.takeError()).second);
    else
      CHECK(compiled->cubin.size() > 4);
  };
  for (const ValueType type : kTypes)
    for (const auto &[name, fusion] : readyMadeSteps()) {
      Problem problem{.type = type, .betaCanBeNonZero = false};
      const auto plans = plansOf(a.view(), problem, {{}});
      problem.fusion = &fusion;
      check(name, stepSource(problem));
      for (const auto &[format, plan] : plans)
        if (fusion.hasProduct() && format->name == std::string("csr-vector"))
          check(name, format->source(plan, problem));
    }
}

// Kernels distinguish only architectures older than sm_80, so the oldest and the newest one cover
// all variants of a packing kernel. For products, ptxas emits different instructions in each
// generation; one format is compiled for all.
TEST_CASE("formats compile for every generation that NVRTC knows, one for every architecture") {
  const std::vector<std::string> all = architectures(), generations = generationsOf(all);
  std::set<std::string> seen;
  const Problem problem{ValueType::f64};
  // HYB with a tail, QCSR with Full leaves, DIA with holes: together these use every kernel.
  const Fixed fixed{{"hyb.k", 64}, {"qcsr.d", 64}, {"qcsr.fill", 0.5}};
  for (const CsrMatrix &a : {blocksAndALongRow(), smallStencil()})
    for (const auto &[format, plan] : plansOf(a.view(), problem, {fixed, {{"ell.width", 300}}})) {
      if (!seen.insert(format->name).second || format->library)
        continue;
      const NamedSources sources = sourcesOf(*format, plan, problem, IndexType::i32);
      for (const std::string &arch : seen.size() == 1 ? all : generations)
        for (size_t i = 0; i < (arch == all.front() || arch == all.back() ? sources.size() : 1);
             ++i)
          checkCompiles(sources[i].first, sources[i].second, arch);
    }
  CHECK((all.empty() || seen.size() == formats().size()));
}

TEST_CASE("formats with codings of values compile for the oldest and the newest architecture") {
  const std::vector<std::string> all = architectures();
  std::set<std::string> seen;
  for (const CsrMatrix &a : {blocksAndALongRow(), smallStencil()})
    for (ValueType type : kTypes)
      for (auto &[format, plan] : plansOf(a.view(), {type}))
        for (const Coding *coding : codings().drop_front()) {
          plan.values = coding->name;
          if (format->library || !whyNotCoding(*coding, plan, type).empty() ||
              !seen.insert(nameOf(type) + plan.format + plan.values).second || all.empty())
            continue;
          for (const std::string &arch : {all.front(), all.back()})
            checkCompiles(plan.text(), format->source(plan, {type}), arch);
        }
  for (const Coding *coding : codings())
    for (ValueType type : kTypes)
      if (coding->codes && !all.empty())
        for (const std::string &arch : {all.front(), all.back()})
          checkCompiles("encode", encodeSource(*coding, type), arch);
}

TEST_CASE("the kernels of value facts compile for every architecture that NVRTC knows") {
  for (const std::string &arch : architectures())
    for (ValueType type : kTypes) {
      checkCompiles("values", valuesSource(type), arch);
      for (IndexType index : {IndexType::i32, IndexType::i64}) {
        checkCompiles("values along diagonals", valueDiagonalsSource(index, type), arch);
        checkCompiles("samples of blocks", blockSamplesSource(index, type), arch);
      }
    }
}

TEST_CASE("the same source gives the same cubin, with and without PTX") {
  if (architectures().empty())
    return;
  for (const auto &[what, source] : sources(false)) {
    if (!contains(what, "f64 ell") && !contains(what, "f64 hyb hyb.k=2") &&
        !contains(what, "f64 qcsr qcsr.d=64"))
      continue;
    if (!isOfShard())
      continue;
    const std::string &sourceName = what;
    CAPTURE(sourceName);
    const Compiled first = llvm::cantFail(compile(source, "k", "sm_90"));
    CHECK(llvm::cantFail(compile(source, "k", "sm_90")).cubin == first.cubin);
    const Compiled withPtx = llvm::cantFail(compile(source, "k", "sm_90", Strictness::usual, true));
    CHECK(withPtx.cubin == first.cubin);
    CHECK(contains(withPtx.ptx, ".visible .entry specmv_kernel("));
  }
}
