// Times iterations of solvers, all by replays of CUDA graphs: with fused steps of specmv; with
// specmv's products and cuBLAS; and with cuSPARSE's fastest product and cuBLAS. Prints one JSON
// object for each solver and matrix. All three must agree, and the fused sums must be equal in
// every run. tests/bench/README.md has the figures and how to build this.
#include "loops.h"

using namespace solvers;

// solvers [small] [NAME]: small matrices are for a check, not for figures; NAME is one of the
// solvers.
int main(int argc, char **argv) {
  bool isSmall = false;
  std::string only;
  for (int i = 1; i < argc; ++i)
    (std::string(argv[i]) == "small" ? void(isSmall = true) : void(only = argv[i]));
  const auto wants = [&](const char *name) { return only.empty() || only == name; };
  const auto size = [&](int usual) { return isSmall ? std::max(8, usual / 10) : usual; };
  const auto onGrid = [&](const std::string &name, const Csr &host) {
    const Matrix a(name, host);
    if (wants("cg"))
      cg(a);
    if (wants("chebyshev"))
      chebyshev(a);
    if (wants("solution") && host.nnz() > (isSmall ? 0 : 20000000))
      solution(a);
  };
  if (wants("cg") || wants("chebyshev") || wants("solution")) {
    for (const int n : {300, 1000, 2000})
      onGrid("5-point " + std::to_string(size(n)) + "^2", grid(size(n), 2, false));
    for (const int n : {64, 160})
      onGrid("7-point " + std::to_string(size(n)) + "^3", grid(size(n), 3, false));
    onGrid("27-point " + std::to_string(size(100)) + "^3", grid(size(100), 3, true));
    for (const int n : {30, 60})
      onGrid("elasticity " + std::to_string(size(n)) + "^3", elasticity(size(n)));
  }
  if (wants("cg"))
    cg(Matrix("16 a row, anywhere", scattered(isSmall ? 3000 : 1000000, 16)));
  const int rows = isSmall ? 2000 : 400000;
  if (wants("pdhg")) {
    pdhg("uneven program", program(rows, rows * 3 / 2, 1.5, 4, 20000, 1));
    pdhg("wide program", program(rows / 20, rows, 1.3, 30, 50000, 2));
    pdhg("tall program", program(rows * 2, rows / 4, 2.5, 3, 500, 3));
  }
  if (wants("pagerank"))
    pageRank(Matrix("power law", graph(isSmall ? 5000 : 1500000, 12)));
  return 0;
}
