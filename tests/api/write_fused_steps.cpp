// write_fused_steps HEADER: writes each ready-made step of specmv_fused.h, whose path HEADER is, as
// a C++ function with its very texts, which runs on the host. fused_steps_test.cpp solves problems
// with these. Fails if the header has a step that ready_made_steps.h does not list.
#include "tests/generator/ready_made_steps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fstream>
#include <iostream>

using specmv::testing::ReadyMade;
using specmv::testing::readyMadeSteps;

namespace {

// The vectors that a text names, as their values at `at`. Only `written` ones can be changed.
std::string valuesIn(const specmv::Fusion &f, const std::string &text, const char *at) {
  const std::set<std::string> named = specmv::identifiersOf(text);
  std::string out;
  for (size_t k = 0; k < f.vectors.size(); ++k)
    if (named.contains(f.vectors[k]))
      out += std::string("    ") + (f.writes(f.vectors[k]) ? "" : "const ") + "real &" +
             f.vectors[k] + " = vectorsOfStep[" + std::to_string(k) + "][" + at + "];\n";
  return out;
}

std::string scalarsOf(const specmv::Fusion &f) {
  std::vector<std::string> names = f.scalars;
  names.insert(names.end(), f.gpuScalars.begin(), f.gpuScalars.end());
  std::string out;
  for (size_t k = 0; k < names.size(); ++k)
    out += "  const real " + names[k] + " = *scalarsOfStep[" + std::to_string(k) + "];\n";
  return out;
}

// The line for each sum, whose name stands where it has a $.
std::string forSums(const specmv::Fusion &f, const std::string &line) {
  std::string out;
  for (const std::string &sum : f.sums)
    for (const char c : line)
      c == '$' ? out += sum : out += c;
  return out;
}

std::string storedSums(const specmv::Fusion &f) {
  std::string out;
  size_t at = f.scalars.size() + f.gpuScalars.size();
  for (const std::string &sum : f.sums)
    out += "  *scalarsOfStep[" + std::to_string(at++) + "] = sumOf_" + sum + ";\n";
  return out;
}

// Computes A x before the rows, as kernels do, which read x of other rows.
std::string functionOf(const char *name, const specmv::Fusion &f) {
  const std::string product = f.hasProduct()
                                  ? "multiplied(a, [&](size_t j) -> real {\n" +
                                        valuesIn(f, f.x, "j") + "    return " + f.x + ";\n  });\n"
                                  : "std::vector<real>(a.rows());\n";
  return std::string("inline void ") + name +
         "([[maybe_unused]] const Sparse &a, const std::vector<real *> &vectorsOfStep,\n"
         "    [[maybe_unused]] const std::vector<real *> &scalarsOfStep) {\n" +
         scalarsOf(f) + forSums(f, "  real sumOf_$ = 0;\n") +
         "  const std::vector<real> product = " + product +
         "  for (size_t i = 0; i < a.rows(); ++i) {\n"
         "    [[maybe_unused]] const real ax = product[i];\n" +
         valuesIn(f, f.statements, "i") + forSums(f, "    real $ = 0;\n") + f.statements + "\n" +
         forSums(f, "    sumOf_$ += $;\n") + "  }\n" + storedSums(f) + "}\n";
}

// Of a line that defines a step, its name; "" of others.
llvm::StringRef nameOfDefined(llvm::StringRef line) {
  if (!line.consume_front("#define SPECMV_FUSED_"))
    return "";
  const llvm::StringRef name = line.take_until([](char c) { return c == ' ' || c == '('; });
  return name == "H" ? "" : name; // the header's guard
}

bool isListed(llvm::StringRef name) {
  return llvm::any_of(readyMadeSteps(), [&](const ReadyMade &step) { return name == step.name; });
}

// The first step that the header defines and ready_made_steps.h does not list; "" if there is none.
std::string unlisted(const char *header) {
  std::ifstream in(header);
  for (std::string line; std::getline(in, line);)
    if (const llvm::StringRef name = nameOfDefined(line); !name.empty() && !isListed(name))
      return name.str();
  return in.eof() ? "" : header;
}

} // namespace

int main(int argc, char **argv) {
  const std::string missing = argc == 2 ? unlisted(argv[1]) : "HEADER";
  if (!missing.empty()) {
    std::cerr << "error: " << missing
              << " is not in tests/generator/ready_made_steps.h, or cannot be read\n";
    return 1;
  }
  std::cout << "// Written by write_fused_steps: the steps of specmv_fused.h as functions.\n";
  for (const auto &[name, fusion] : readyMadeSteps()) {
    if (llvm::Error error = specmv::checkFusion(fusion)) {
      std::cerr << "error: " << name << ": " << llvm::toString(std::move(error)) << '\n';
      return 1;
    }
    std::cout << functionOf(name, fusion);
  }
  return std::cout.flush() ? 0 : 1;
}
