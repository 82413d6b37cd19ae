// simt_emit DIR UNITS: writes the distinct texts of all test cases to DIR, each in its own file
// as specmv compiles it, and UNITS units that compile a few dozen of them each for the host
// executor.
#include "generator/coding/encode.h"
#include "generator/order/ordered_product.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/curves.h"
#include "generator/setup/given_csr.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "generator/source/specialized.h"
#include "tests/simt/bcsr_cases.h"
#include "tests/simt/cases.h"
#include "tests/simt/edge_cases.h"
#include "tests/simt/foreign_plans.h"
#include "tests/simt/fused_cases.h"
#include "tests/simt/ordered_cases.h"
#include "tests/simt/packings.h"
#include "tests/simt/qcsr_cases.h"
#include "tests/simt/random_plans.h"
#include "tests/simt/registry.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace {

using specmv::simt::hashOf;
using Sources = std::map<std::string, std::string>; // by identifier

struct Unit {
  std::string kernels, list;
};

std::string identifierOf(const std::string &source) {
  std::ostringstream out;
  out << "k" << std::hex << hashOf(source);
  return out.str();
}

[[noreturn]] void stop(const std::string &sentence) {
  std::fprintf(stderr, "error: %s\n", sentence.c_str());
  std::exit(1);
}

constexpr const char *kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// Returns the names after `void` of all __global__ functions.
std::vector<std::string> entryPoints(const std::string &source) {
  std::vector<std::string> names;
  for (size_t at = source.find("__global__"); at != std::string::npos;
       at = source.find("__global__", at + 1)) {
    // Skip the attribute, whose parentheses contain no kernel name.
    size_t begin = source.find(')', at) + 1;
    while (begin < source.size() && std::isspace(static_cast<unsigned char>(source[begin])))
      ++begin;
    names.push_back(source.substr(begin, source.find_first_not_of(kLetters, begin) - begin));
    if (names.back().empty())
      stop("no name of a kernel in\n" + source);
  }
  return names;
}

// Each source in its own namespace, in which the names of the executor are those outside. Only the
// names of the entry points must be changed.
void add(Unit &unit, const std::string &id, const std::string &text) {
  const std::vector<std::string> names = entryPoints(text);
  const char *const space = text.find("namespace specmv {") == std::string::npos ? "" : "specmv::";
  for (const std::string &name : names)
    unit.kernels += "#define " + name + " " + id + "_" + name + "\n";
  unit.kernels += "namespace " + id + " {\nnamespace specmv {\nusing namespace ::specmv;\n}\n" +
                  "#include \"" + id + ".cu\"\n}\n";
  for (const std::string &name : names) {
    unit.kernels += "#undef " + name + "\n";
    unit.list += "  compiled<" + id + "::" + space + id + "_" + name + ">(0x" + id.substr(1) +
                 "ULL, \"" + name + "\"),\n";
  }
}

std::string textOf(const Unit &unit, size_t index) {
  std::string text = "// Written by simt_emit.\n#include \"tests/simt/simt.h\"\n"
                     "#include \"tests/simt/kernel.h\"\n";
  return text + unit.kernels +
         "using specmv::simt::compiled;\nextern const specmv::simt::CompiledKernel kKernels" +
         std::to_string(index) + "[];\nconst specmv::simt::CompiledKernel kKernels" +
         std::to_string(index) + "[] = {\n" + unit.list + "  {0, nullptr, nullptr, nullptr, 0}};\n";
}

std::string registryText(size_t units) {
  std::string declared, listed;
  for (size_t i = 0; i < units; ++i) {
    declared += "extern const specmv::simt::CompiledKernel kKernels" + std::to_string(i) + "[];\n";
    listed += "kKernels" + std::to_string(i) + ", ";
  }
  return "// Written by simt_emit.\n#include \"tests/simt/registry.h\"\n" + declared +
         "const specmv::simt::KernelList specmv::simt::kKernelLists[] = {" + listed + "nullptr};\n";
}

// An unchanged file keeps its time, so that its unit is not compiled again.
void writeIfChanged(const std::string &path, const std::string &text) {
  std::ifstream in(path);
  std::ostringstream old;
  old << in.rdbuf();
  if (in && old.str() == text)
    return;
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out)
    stop("cannot write " + path);
}

// Returns the source of the kernels that pack for the plan; "" if the host packs.
std::string packingSourceOf(const specmv::Plan &plan, const specmv::Problem &problem,
                            specmv::IndexType csrIndex) {
  const specmv::Packing *packing = specmv::findFormat(plan.format)->packing;
  return packing ? packing
                       ->source(specmv::unordered(plan), specmv::problemOfPacking(plan, problem),
                                csrIndex)
                       .text
                 : "";
}

// All sources of a case. Matrices with 64-bit indices are packed in double only.
std::vector<std::string> sourcesOf(const specmv::simt::TestCase &test) {
  const auto packingSource = [&](specmv::IndexType csrIndex) {
    return packingSourceOf(test.plan.plan, test.problem, csrIndex);
  };
  std::vector<std::string> out{test.source, packingSource(specmv::IndexType::i32)};
  if (test.problem.type == specmv::ValueType::f64)
    out.push_back(packingSource(specmv::IndexType::i64));
  return out;
}

Sources distinctSources() {
  Sources out;
  const std::vector<specmv::simt::TestMatrix> matrices = specmv::simt::caseMatrices();
  for (const specmv::simt::TestCase &test : specmv::simt::testCases(matrices))
    for (const std::string &source : sourcesOf(test))
      if (!source.empty())
        out.emplace(identifierOf(source), source);
  for (const specmv::simt::TestCase &test : specmv::simt::severalCases(matrices))
    out.emplace(identifierOf(test.source), test.source);
  for (const specmv::simt::CodedCase &test : specmv::simt::codedCases(matrices))
    for (const specmv::simt::TestCase *one : {&test.coded, &test.plain})
      for (const std::string &source : sourcesOf(*one))
        if (!source.empty())
          out.emplace(identifierOf(source), source);
  for (specmv::IndexType index : {specmv::IndexType::i32, specmv::IndexType::i64}) {
    for (const std::string &source :
         {specmv::fingerprintSource(index).text, specmv::profileSource(index).text,
          specmv::rowSortSource(index).text, specmv::checkSource(index).text,
          specmv::columnsSource(index).text, specmv::searchSource(index).text,
          specmv::permuteSource(index, specmv::ValueType::f32).text,
          specmv::permuteSource(index, specmv::ValueType::f64).text})
      out.emplace(identifierOf(source), source);
  }
  for (specmv::ValueType type : {specmv::ValueType::f32, specmv::ValueType::f64}) {
    for (const std::string &source :
         {specmv::slotsSource(type).text, specmv::gatherSource(type).text,
          specmv::curvesSource().text, specmv::narrowSource().text, specmv::valuesSource(type).text,
          specmv::blockSamplesSource(specmv::IndexType::i32, type).text,
          specmv::blockSamplesSource(specmv::IndexType::i64, type).text,
          specmv::valueDiagonalsSource(specmv::IndexType::i32, type).text,
          specmv::valueDiagonalsSource(specmv::IndexType::i64, type).text})
      out.emplace(identifierOf(source), source);
  }
  for (const specmv::Coding *coding : specmv::codings())
    if (coding->codes)
      for (specmv::ValueType type : {specmv::ValueType::f32, specmv::ValueType::f64}) {
        const std::string &source = specmv::encodeSource(*coding, type).text;
        out.emplace(identifierOf(source), source);
      }
  const std::vector<specmv::simt::TestMatrix> ordered = specmv::simt::orderedMatrices();
  for (const specmv::simt::TestCase &test : specmv::simt::orderedCases(ordered))
    for (const std::string &source : sourcesOf(test))
      if (!source.empty())
        out.emplace(identifierOf(source), source);
  const std::vector<specmv::simt::TestMatrix> edges = specmv::simt::edgeMatrices();
  for (const specmv::simt::TestCase &test : specmv::simt::edgeCases(edges))
    for (const std::string &source : sourcesOf(test))
      if (!source.empty())
        out.emplace(identifierOf(source), source);
  const std::vector<specmv::simt::TestMatrix> foreign = specmv::simt::foreignMatrices();
  for (const specmv::simt::TestCase &test : specmv::simt::foreignCases(foreign))
    out.emplace(identifierOf(test.source), test.source);
  for (const specmv::simt::RandomPlan &random : specmv::simt::randomPlans())
    out.emplace(identifierOf(random.source), random.source);
  const auto addPacking = [&](const auto &test) {
    const std::string source = packingSourceOf(test.plan, test.problem, test.csrIndex);
    out.emplace(identifierOf(source), source);
  };
  for (const specmv::simt::FusedCase &test : specmv::simt::fusedCases())
    out.emplace(identifierOf(test.source), test.source);
  llvm::for_each(specmv::simt::packingCases(specmv::simt::largeMatrices()), addPacking);
  llvm::for_each(specmv::simt::qcsrCases(), addPacking);
  llvm::for_each(specmv::simt::fullBlocksCases(), addPacking);
  return out;
}

} // namespace

int main(int argc, char **argv) {
  const size_t units = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0;
  if (units == 0) {
    std::fprintf(stderr, "usage: simt_emit DIR UNITS\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  std::vector<Unit> made(units);
  for (const auto &[id, source] : distinctSources()) {
    const std::string text = specmv::specializedText(source, "");
    writeIfChanged(folder + id + ".cu", text);
    // Chosen by the hash, so that a new source changes only one unit.
    add(made[hashOf(source) % units], id, text);
  }
  for (size_t i = 0; i < units; ++i)
    writeIfChanged(folder + "unit_" + std::to_string(i) + ".cpp", textOf(made[i], i));
  writeIfChanged(folder + "registry.cpp", registryText(units));
  return 0;
}
