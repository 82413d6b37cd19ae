// The table of the standard pack. It was chosen by counting which plans tie with the best one, for
// the real matrices of the bench, its suite, and 2,000 matrices of tests/bench/random_specs.py
// (the H200's model), against the bytes of each kernel and of the kernels that pack for it. What it
// covers is in tests/bench/README.md. Plans that few matrices have, such as those with the
// diagonals of a grid, are in no such table. The pack of the installation is for one vector: with
// 2, 4, 8 and 16 in f32 and f64 for sm_90 it would grow from 5.4 to 16.6 MB and from 50 to 165 s.
#include "runtime/pregen/standard.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace specmv {

namespace {
struct PlanPattern {
  const char *numbers; // the plan's text up to the types of its indices
  const char *lists = "";
};
} // namespace

constexpr const char *kIndexTypes = " offset=32 column=32";

constexpr PlanPattern kPatterns[] = {
    {"csr-scalar block=256"},
    {"csr-vector csr.lanes={2,4,8,16,32} block=256"},
    {"csr-merge merge.items={7,15} merge.threads=256"},
    {"csr5 csr5.omega=32 csr5.sigma={4,12,14..16,18,20,24,28,32} csr5.tiles=1 block=256 empty=0"},
    {"csr5 csr5.omega=32 csr5.sigma={16,24,32} csr5.tiles=1 block=256 empty=1"},
    {"sell sell.slice=2 sell.sigma={1,1024} sell.lanes=16 block=256 blocksPerSm={0,4}"},
    {"sell sell.slice=4 sell.sigma={1,1024} sell.lanes=8 block=256 blocksPerSm={0,4}"},
    {"sell sell.slice=8 sell.sigma={1,1024} sell.lanes=4 block=256 blocksPerSm={0,4}"},
    {"sell sell.slice=2 sell.sigma=1 sell.lanes=16 block=256 blocksPerSm={5,6}"},
    {"sell sell.slice=4 sell.sigma=1 sell.lanes=8 block=256 blocksPerSm={5,6}"},
    {"sell sell.slice=8 sell.sigma=1 sell.lanes=4 block=256 blocksPerSm={5,6}"},
    {"sell sell.slice=32 sell.sigma=1024 sell.lanes=1 block=256 blocksPerSm={0,4..6}"},
    {"jad block=256"},
    // Blocks for several unknowns per node.
    {"bcsr bcsr.r=1 bcsr.c={5,7} bcsr.lanes={4,16} full={0,1} local=1 block=256"},
    {"bcsr bcsr.r=2 bcsr.c={2,4} bcsr.lanes={1,4,16} full={0,1} local=1 block=256"},
    {"bcsr bcsr.r=3 bcsr.c=3 bcsr.lanes={1,4,16} full={0,1} local=1 block=256"},
    {"bcsr bcsr.r=3 bcsr.c=6 bcsr.lanes=4 full={0,1} local=1 block=256"},
    // Meshes in a good order.
    {"qcsr qcsr.d=32768 qcsr.slices=1 qcsr.stage=0 qcsr.zerocopy=0 qcsr.rows=256 window=0 "
     "block=256"},
    {"dia dia.rows={1,2,4} holes=0 block=256", " dia.offsets=[0]"},
    {"dia dia.rows={1,2,4} holes=0 block=256", " dia.offsets=[-1,0,1]"},
    // General kernels, which serve every width and all diagonals (Format::general). Kernels made
    // for one width gain too little to be included.
    {"ell ell.width=-1 block=256"},
    {"hyb hyb.k=-1 block=256 tail=1"},
    {"dia dia.rows={1,2,4} holes={0,1} block=256"},
};

// Expands "1,4,8..10".
static std::vector<std::string> valuesOf(llvm::StringRef list) {
  std::vector<std::string> out;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  list.split(parts, ',');
  for (llvm::StringRef part : parts) {
    const auto [from, to] = part.split("..");
    unsigned first = 0, last = 0;
    if (to.empty() || from.getAsInteger(10, first) || to.getAsInteger(10, last))
      out.push_back(part.str());
    else
      for (unsigned value = first; value <= last; ++value)
        out.push_back(std::to_string(value));
  }
  return out;
}

std::vector<std::string> alternatives(const std::string &pattern) {
  const auto [before, open] = llvm::StringRef(pattern).split('{');
  if (before.size() == pattern.size())
    return {pattern};
  const auto [list, after] = open.split('}');
  std::vector<std::string> out;
  for (const std::string &value : valuesOf(list))
    for (const std::string &rest : alternatives(after.str()))
      out.push_back(before.str() + value + rest);
  return out;
}

std::vector<Plan> standardPlans() {
  std::vector<Plan> plans;
  for (const PlanPattern &pattern : kPatterns)
    for (const std::string &numbers : alternatives(pattern.numbers))
      if (auto plan = parsePlan(numbers + kIndexTypes + pattern.lists)) // a test parses them all
        plans.push_back(std::move(*plan));
  return plans;
}

} // namespace specmv
