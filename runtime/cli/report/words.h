// Words that several sections of pages have.
#pragma once

namespace specmv::cli {

// Tells people which algorithms of cuSPARSE our names stand for.
constexpr const char *kCusparseLegend =
    "Of cuSPARSE, cusparse-csr, -csr1 and -csr2 are cusparseSpMV on CSR with its default "
    "algorithm, ALG1 and ALG2; -coo, -sell and -bsr are cusparseSpMV on COO, sliced ELL and BSR; "
    "-op, -op1 and -op2 are cusparseSpMVOp with its default algorithm, ALG1 and ALG2; -generic and "
    "-generic1 are cusparseSpMVGeneric with its default algorithm and ALG1.";

} // namespace specmv::cli
