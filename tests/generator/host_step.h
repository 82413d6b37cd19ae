// A fused step as a C++ function that runs on the host, with the very texts of the step.
#pragma once

#include "generator/fusion/fusion.h"

namespace specmv::testing {

// The vectors that a text names, as their values at `at`. Only `written` ones can be changed.
inline std::string valuesIn(const Fusion &f, const std::string &text, const char *at) {
  const std::set<std::string> named = identifiersOf(text);
  std::string out;
  for (size_t k = 0; k < f.vectors.size(); ++k)
    if (named.contains(f.vectors[k]))
      out += std::string("    ") + (f.writes(f.vectors[k]) ? "" : "const ") + "real &" +
             f.vectors[k] + " = vectorsOfStep[" + std::to_string(k) + "][" + at + "];\n";
  return out;
}

inline std::string scalarsOf(const Fusion &f) {
  std::vector<std::string> names = f.scalars;
  names.insert(names.end(), f.gpuScalars.begin(), f.gpuScalars.end());
  std::string out;
  for (size_t k = 0; k < names.size(); ++k)
    out += "  const real " + names[k] + " = *scalarsOfStep[" + std::to_string(k) + "];\n";
  return out;
}

// The line for each sum, whose name stands where it has a $.
inline std::string forSums(const Fusion &f, const std::string &line) {
  std::string out;
  for (const std::string &sum : f.sums)
    for (const char c : line)
      c == '$' ? out += sum : out += c;
  return out;
}

inline std::string storedSums(const Fusion &f) {
  std::string out;
  size_t at = f.scalars.size() + f.gpuScalars.size();
  for (const std::string &sum : f.sums)
    out += "  *scalarsOfStep[" + std::to_string(at++) + "] = sumOf" + sum + ";\n";
  return out;
}

// A function NAME(a, vectors, scalars) in C++, where a is a `Sparse`,
// and multiplied(a, x) is A x of elements x(j). It computes A x before the rows, as kernels read x
// of other rows.
inline std::string hostStep(const char *name, const Fusion &f) {
  const std::string product = f.hasProduct()
                                  ? "multiplied(a, [&](size_t j) -> real {\n" +
                                        valuesIn(f, f.x, "j") + "    return " + f.x + ";\n  });\n"
                                  : "std::vector<real>(a.rows());\n";
  return std::string("inline void ") + name +
         "([[maybe_unused]] const Sparse &a, const std::vector<real *> &vectorsOfStep,\n"
         "    [[maybe_unused]] const std::vector<real *> &scalarsOfStep) {\n" +
         scalarsOf(f) + forSums(f, "  real sumOf$ = 0;\n") +
         "  const std::vector<real> product = " + product +
         "  for (size_t i = 0; i < a.rows(); ++i) {\n"
         "    [[maybe_unused]] const real ax = product[i];\n" +
         valuesIn(f, f.statements, "i") + forSums(f, "    real $ = 0;\n") + f.statements + "\n" +
         forSums(f, "    sumOf$ += $;\n") + "  }\n" + storedSums(f) + "}\n";
}

} // namespace specmv::testing
