// This file reads the options of the program.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_OPTIONS_H
#define SPECMV_SAMPLES_DISTRIBUTED_OPTIONS_H

#include "product.h"

namespace distributed {

inline constexpr char kHelp[] =
    "mpiexec -n RANKS distributed_cg [options] MATRIX\n"
    "\n"
    "Solves A x = b by conjugate gradients. MATRIX is stencil7:n=N, stencil27:n=N or\n"
    "elasticity:n=N, on N x N x N points (with ,nz=M on N x N x M), or a Matrix\n"
    "Market file that ends in .mtx.\n"
    "\n"
    "  --iterations N     at most N iterations (default 10000)\n"
    "  --tolerance T      until |r| <= T |b| (default 1e-8); 0: all iterations\n"
    "  --overlap WAY      auto, yes or no: multiply during the exchange. auto measures,\n"
    "                     so the last bits of two runs may differ\n"
    "  --exchange WAY     auto, nccl or mpi; auto is NCCL if no ranks share a GPU\n"
    "  --target PLACE     auto, gpu or host; auto is GPUs if all ranks have one\n"
    "  --formats LIST     choose among these formats, such as cusparse-csr\n"
    "  --repeat N         solve N times and report the fastest (default 1)\n"
    "  --timeout SECONDS  give up if another rank does not answer (default 60)\n"
    "  --residuals FILE   write |r| of all iterations of the fastest solution\n"
    "  --json             print one JSON object in one line\n"
    "\n"
    "NCCL_NVLS_ENABLE=0 in the environment keeps NCCL from NVLink multicast. mpiexec\n"
    "of Open MPI binds a rank to one core; the set-up is faster with --bind-to none.\n";

struct Options {
  std::string matrix, residuals, formats;
  int64_t iterations = 10000, repeat = 1;
  double tolerance = 1e-8, timeout = 60;
  Overlap overlap = Overlap::automatic;
  Way exchange = Way::automatic;
  Target target = Target::automatic;
  bool json = false, help = false;
  std::string error;
};

inline constexpr char kNoValue[] = "needs a value; --help lists the options";

// Sets `slot` to the number; returns what is wrong, or "".
template <class Number>
std::string number(const std::string &text, double least, double most, Number &slot) {
  if (text.empty())
    return kNoValue;
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool fits = *end == 0 && value >= least && value <= most;
  slot = static_cast<Number>(fits ? value : least);
  if (fits && static_cast<double>(slot) == value)
    return "";
  char range[64];
  std::snprintf(range, sizeof range, " is no %s in %.10g..%.10g",
                std::is_integral_v<Number> ? "whole number" : "number", least, most);
  return "'" + text + "'" + range;
}

// Sets `slot` to the choice of that number.
template <class Choice>
std::string choice(const std::string &text, std::array<const char *, 3> names, Choice &slot) {
  if (text.empty())
    return kNoValue;
  for (int i = 0; i < 3; ++i)
    if (text == names[i]) {
      slot = static_cast<Choice>(i);
      return "";
    }
  return "'" + text + "' is none of " + names[0] + ", " + names[1] + ", " + names[2];
}

// Takes an option that has a value; returns what is wrong with it.
inline std::string take(const std::string &name, const std::string &value, Options &o) {
  if (name == "--iterations")
    return number(value, 1, 1e9, o.iterations);
  if (name == "--repeat")
    return number(value, 1, 1e9, o.repeat);
  if (name == "--tolerance")
    return number(value, 0, 1, o.tolerance);
  if (name == "--timeout")
    return number(value, 1e-3, 1e9, o.timeout);
  if (name == "--overlap")
    return choice(value, {"auto", "yes", "no"}, o.overlap);
  if (name == "--exchange")
    return choice(value, {"auto", "nccl", "mpi"}, o.exchange);
  if (name == "--target")
    return choice(value, {"auto", "gpu", "host"}, o.target);
  if (name == "--formats" || name == "--residuals") {
    (name == "--formats" ? o.formats : o.residuals) = value;
    return value.empty() ? kNoValue : "";
  }
  return "is no option; --help lists them";
}

inline Options parse(const std::vector<std::string> &words) {
  Options o;
  for (size_t i = 0; i < words.size() && o.error.empty(); ++i) {
    const std::string &word = words[i];
    if (word == "--json" || word == "--help") {
      (word == "--json" ? o.json : o.help) = true;
    } else if (word.find("--") == 0) {
      const std::string wrong = take(word, i + 1 < words.size() ? words[i + 1] : "", o);
      o.error = wrong.empty() ? "" : word + " " + wrong;
      ++i;
    } else if (!o.matrix.empty())
      o.error = "there are two matrices, '" + o.matrix + "' and '" + word + "'";
    else
      o.matrix = word;
  }
  if (o.error.empty() && !o.help && o.matrix.empty())
    o.error = "there is no matrix; --help lists what there is";
  return o;
}

} // namespace distributed

#endif
