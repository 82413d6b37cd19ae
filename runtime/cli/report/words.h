// Words that several sections of pages have.
#pragma once

namespace specmv::cli {

// What the names of its algorithms are in cuSPARSE.
constexpr const char *kCusparseLegend =
    "Of cuSPARSE, cusparse-csr, -csr1 and -csr2 are cusparseSpMV on CSR with its default "
    "algorithm, "
    "ALG1 and ALG2; -coo, -sell and -bsr are cusparseSpMV on COO, sliced ELL and BSR; -op, -op1 "
    "and "
    "-op2 are cusparseSpMVOp with its default algorithm, ALG1 and ALG2.";

} // namespace specmv::cli
