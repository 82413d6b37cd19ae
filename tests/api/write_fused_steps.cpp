// write_fused_steps HEADER: writes each ready-made step of specmv_fused.h, whose path HEADER is, as
// a C++ function with its very texts, which runs on the host. fused_steps_test.cpp solves problems
// with these. Fails if the header has a step that ready_made_steps.def does not list.
#include "tests/generator/host_step.h"
#include "tests/generator/ready_made_steps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fstream>
#include <iostream>

using specmv::testing::ReadyMade;
using specmv::testing::readyMadeSteps;

namespace {

// Returns the name of the step that a line defines; "" if it defines none.
llvm::StringRef nameOfDefined(llvm::StringRef line) {
  if (!line.consume_front("#define SPECMV_FUSED_"))
    return "";
  const llvm::StringRef name = line.take_until([](char c) { return c == ' ' || c == '('; });
  return name == "H" ? "" : name; // the header's guard
}

bool isListed(llvm::StringRef name) {
  return llvm::any_of(readyMadeSteps(), [&](const ReadyMade &step) { return name == step.name; });
}

// The first step that the header defines and ready_made_steps.def does not list; "" if there is
// none.
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
              << " is not in tests/generator/ready_made_steps.def, or cannot be read\n";
    return 1;
  }
  std::cout << "// Written by write_fused_steps: the steps of specmv_fused.h as functions.\n"
               "// NOLINTBEGIN(readability-identifier-naming)\n";
  for (const auto &[name, fusion] : readyMadeSteps()) {
    for (const specmv::ValueType type : {specmv::ValueType::f32, specmv::ValueType::f64})
      if (llvm::Error error = specmv::checkFusion(fusion, type)) {
        std::cerr << "error: " << name << ": " << llvm::toString(std::move(error)) << '\n';
        return 1;
      }
    std::cout << specmv::testing::hostStep(name, fusion);
  }
  std::cout << "// NOLINTEND(readability-identifier-naming)\n";
  return std::cout.flush() ? 0 : 1;
}
