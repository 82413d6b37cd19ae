// Twins of the matrices of the papers: generated matrices with their rows, columns, non-zeros and
// kind.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <span>
#include <string>

namespace specmv {

// --- Twins ---------------------------------------------------------------------------------------

// The facts that are public about the matrices of the five papers (Li, Yang and Li 2015; Zhang et
// al. 2013; AlAhmadi et al. 2020; Guo and Wang 2012; Wang, Gu and Li 2017; .github/CONTRIBUTING.md
// has the titles). A twin must match them.

// Says how a twin is made. `family`: a family generates the original matrix or a similar one.
// `symmetric`: a pattern is drawn below the diagonal and mirrored (for all matrices whose pattern
// is symmetric to 0.9 or more). `triangle`: like `symmetric`, but without mirroring. `rows`: row by
// row.
enum class TwinKind : uint8_t { family, symmetric, triangle, rows };

// rows, cols and nnz (entries that are not zero) are those of the SuiteSparse collection. paperNnz
// is the paper's own count if it differs. A paper may count the zeros that the file stores, or not
// count the mirrored entries that the file omits. For the seventeen matrices of AlAhmadi et al.
// 2020 (HCGHYB), spread and longest are that paper's, as far as it prints them. The exception is
// meg4, whose longest row is the lone one: its 6 and 150 describe the other rows, chosen such that
// all rows together have the paper's spread of 16.66. The values for add32, bcsstk04, bcsstk16,
// bp_1600 and lp_stocfor3 were measured on the files. All others, and all of block, reach and far,
// are estimates from the kind of problem.
struct Twin {
  llvm::StringLiteral name;
  int64_t rows, cols, nnz, paperNnz; // paperNnz 0: equal to nnz
  TwinKind kind;
  llvm::StringLiteral what; // the kind of problem; for TwinKind::family the SPEC
  int64_t block;            // unknowns of a node: rows and columns of a full block
  int64_t reach;            // nodes on either side of the diagonal that count as near
  double far;               // share of the entries that may be anywhere
  double spread;            // standard deviation of the row lengths
  int64_t longest;          // longest row
  int64_t lone = 0;         // length of one more row, far longer than the others; block is 1 then
                            // if the pattern is symmetric
  int64_t diagonal = -1;    // entries on the diagonal, -1 if it is full
};

constexpr auto kFamily = TwinKind::family, kSymmetric = TwinKind::symmetric,
               kTriangle = TwinKind::triangle, kByRows = TwinKind::rows;

// clang-format off
inline constexpr Twin kTwins[] = {
    // PMF
    {"bbmat", 38744, 38744, 1771722, 0, kByRows, "fluid dynamics", 4, 150, 0, 16, 130},
    {"Chebyshev4", 68121, 68121, 5377761, 0, kByRows, "spectral collocation", 1, 300, 0.05, 30, 300},
    {"twotone", 120750, 120750, 1206265, 0, kByRows, "circuit", 1, 500, 0.2, 15, 185},
    {"scircuit", 170998, 170998, 958936, 0, kSymmetric, "circuit", 1, 1000, 0.2, 4.4, 353},
    {"PR02R", 161070, 161070, 8185136, 0, kSymmetric, "fluid dynamics", 7, 60, 0, 19, 92},
    {"pwtk", 217918, 217918, 11524432, 0, kSymmetric, "shell elements", 6, 60, 0, 5, 180},
    {"raefsky3", 21200, 21200, 1488768, 0, kSymmetric, "fluid dynamics", 8, 30, 0, 6, 80},
    {"raefsky5", 6316, 6316, 167178, 0, kTriangle, "structure", 1, 100, 0, 12, 60},
    {"rma10", 46835, 46835, 2329092, 2374001, kSymmetric, "fluid dynamics", 5, 60, 0, 28, 145},
    {"TSOPF_RS_b300_c3", 42138, 42138, 4413449, 0, kByRows, "optimal power flow", 11, 400, 0.2, 102, 209, 20702},
    // QCSR
    {"2D_54019_highK", 54019, 54019, 486129, 0, kSymmetric, "semiconductor device", 1, 300, 0, 0.3, 9},
    {"add32", 4960, 4960, 19848, 0, kSymmetric, "circuit", 1, 60, 0.5, 3.7, 32},
    {"case9", 14454, 14454, 147972, 0, kSymmetric, "power network", 1, 100, 0.1, 4, 30},
    {"aug3d", 24300, 24300, 69984, 0, kSymmetric, "saddle point in 3-D", 1, 2000, 0, 1.2, 6, 0, 0},
    {"g7jac060", 17730, 17730, 183325, 0, kByRows, "economics", 1, 600, 0.3, 12, 150},
    {"g3rmt3m3", 5357, 5357, 207695, 0, kSymmetric, "shell elements", 6, 15, 0, 6, 48},
    {"foldoc", 13356, 13356, 120238, 0, kByRows, "directed graph", 1, 200, 0.6, 12, 700},
    // HCGHYB
    {"tols4000", 4000, 4000, 8784, 0, kByRows, "stability of an airplane", 1, 50, 0, 5.92, 90},
    {"meg4", 5860, 5860, 25258, 26324, kSymmetric, "circuit", 1, 60, 0.3, 6, 150, 1193},
    {"tuma2", 12992, 12992, 49365, 28440, kSymmetric, "mixed elements", 1, 400, 0, 1.2, 6, 0, 7515},
    {"poli_large", 15575, 15575, 33033, 33074, kByRows, "economics", 1, 100, 0.5, 8.9, 491},
    {"fd15", 11532, 11532, 44206, 0, kByRows, "materials", 1, 200, 0, 1.65, 8},
    {"poli4", 33833, 33833, 73249, 0, kByRows, "economics", 1, 100, 0.5, 7.57, 304},
    {"lp_stocfor3", 16675, 23541, 72721, 76473, kByRows, "linear program", 1, 300, 0.4, 3.34, 15},
    {"bayer04", 20545, 20545, 85537, 159082, kByRows, "chemical process", 1, 100, 0.3, 8.2, 34},
    {"lhr10", 10672, 10672, 228395, 232633, kByRows, "chemical process", 1, 200, 0.1, 26.37, 63},
    {"mark3jac120", 54929, 54929, 322483, 342475, kByRows, "economics", 1, 1000, 0.2, 4.36, 44},
    {"copter2", 55476, 55476, 759952, 407714, kSymmetric, "fluid dynamics", 1, 2000, 0.1, 3.55, 45},
    {"ch7-8-b5", 141120, 141120, 846720, 0, kFamily, "chessboard:m=7,n=8,k=5", 0, 0, 0, 0, 6},
    {"fp", 7548, 7548, 834222, 848553, kByRows, "electromagnetics", 1, 400, 0.3, 207.83, 2000},
    {"sinc18", 16428, 16428, 948696, 973826, kByRows, "materials", 1, 400, 0.3, 34.32, 200},
    {"Zd_Jac6", 22835, 22835, 1711557, 1711983, kByRows, "chemical process", 1, 1200, 0.2, 175.4, 1050},
    {"TSOPF_RS_b300_c2", 28338, 28338, 2943887, 0, kByRows, "optimal power flow", 11, 400, 0.2, 102.4, 209},
    {"xenon2", 157464, 157464, 3866688, 0, kSymmetric, "materials in 3-D", 3, 900, 0, 4.11, 27},
    // strips
    {"pdb1HYS", 36417, 36417, 4344765, 0, kSymmetric, "protein", 3, 200, 0.05, 32, 204},
    {"consph", 83334, 83334, 6010480, 0, kSymmetric, "elements in 3-D", 3, 400, 0, 19, 81},
    {"cant", 62451, 62451, 4007383, 0, kSymmetric, "elements in 3-D", 3, 80, 0, 14, 78},
    {"conf5_4-8x8-05", 49152, 49152, 1916928, 0, kFamily, "qcd:l=8", 0, 0, 0, 0, 39},
    {"shipsec1", 140874, 140874, 3568176, 7813404, kSymmetric, "shell elements", 6, 300, 0, 11, 102},
    {"mc2depi", 525825, 525825, 2100225, 0, kFamily, "epidemic:n=1024", 0, 0, 0, 0, 4},
    {"mac_econ_fwd500", 206500, 206500, 1273389, 0, kByRows, "economics", 1, 600, 0.2, 4.4, 44},
    {"cop20k_A", 121192, 121192, 2624331, 0, kSymmetric, "elements of a cavity", 1, 2000, 0.1, 13.8, 81},
    {"webbase-1M", 1000005, 1000005, 3105536, 0, kByRows, "web graph", 1, 500, 0.3, 25, 4700},
    {"rail4284", 4284, 1096894, 11284032, 0, kFamily, "lp:rows=4284,cols=1096894", 0, 0, 0, 0, 0},
    // statistics
    {"cavity05", 1182, 1182, 32632, 0, kSymmetric, "fluid dynamics", 1, 60, 0, 14, 62},
    {"bcsstk04", 132, 132, 3648, 0, kSymmetric, "structure", 3, 15, 0, 10.75, 46},
    {"bp_1600", 822, 822, 4841, 0, kByRows, "linear program", 1, 100, 0.5, 12.17, 304},
    {"bcsstk16", 4884, 4884, 290378, 0, kSymmetric, "structure", 3, 46, 0, 17.31, 81},
    {"bips98_1142", 9735, 9735, 40983, 0, kByRows, "power network", 1, 300, 0.3, 3.3, 30},
    {"bayer09", 3083, 3083, 11767, 0, kByRows, "chemical process", 1, 60, 0.3, 5, 27},
};
// clang-format on

constexpr size_t twinNamesSize() {
  size_t size = 0;
  for (const Twin &twin : kTwins)
    size += twin.name.size() + 1;
  return size;
}

// The names of all twins, separated by '|', as the choices of a key.
struct TwinNames {
  char text[twinNamesSize()]{};

  constexpr TwinNames() {
    size_t next = 0;
    for (const Twin &twin : kTwins) {
      for (size_t i = 0; i < twin.name.size(); ++i)
        text[next++] = twin.name.data()[i];
      text[next++] = '|';
    }
    text[next - 1] = 0;
  }
};
inline constexpr TwinNames kTwinNames;

// --- Twin note -----------------------------------------------------------------------------------

// A note on a generated matrix that stands for a matrix of a paper.

// The note for a generated matrix of this name, so that a twin is not mistaken for the original.
// Empty if the matrix does not stand for another one.
std::string twinNote(llvm::StringRef name);

} // namespace specmv
