// The matrices for whose kernels the standard pack is made: kinds of matrices that occur often, at
// sizes on both sides of what a GPU's L2 holds.
#pragma once

namespace specmv::cli {

inline constexpr const char *kStandardSpecs[] = {
    // Stencils, of which each kind has a kernel of its own for each width.
    "stencil5:n=100",
    "stencil5:n=950",
    "stencil5:n=950,coef=random",
    "stencil7:n=30",
    "stencil7:n=92",
    "stencil9:n=700",
    "stencil27:n=74",
    "stencil27:n=74,coef=random",
    // Finite elements with one and several unknowns per node.
    "fem2d:rows=20000",
    "fem2d:rows=200000",
    "fem2d:rows=200000,order=random",
    "elasticity:n=35",
    "blocks:b=2,k=18,band=400,rows=60000",
    "blocks:b=3,k=27,band=400,rows=90000",
    "blocks:b=4,k=24,band=400,rows=60000",
    "blocks:b=6,k=36,band=400,rows=60000",
    // Bands and random columns, rows of similar length.
    "band:k=9,half=200,rows=200000",
    "band:k=17,half=2000,rows=200000",
    "band:k=40,half=10000,rows=50000",
    "random:k=4,rows=200000",
    "random:k=8,rows=200000",
    "random:k=16,rows=20000",
    "random:k=16,rows=200000",
    "random:k=24,spread=0.9,rows=100000",
    "random:k=40,rows=5000",
    "random:k=64,rows=50000",
    // Skewed rows.
    "powerlaw:rows=20000,avg=8,alpha=2.2,max=2000",
    "powerlaw:rows=200000,avg=8,alpha=2.2,max=20000",
    "rmat:scale=14,edge=8",
    "rmat:scale=17,edge=16",
    "circuit:rows=20000",
    "circuit:rows=200000",
    // Others of the suite.
    "epidemic:n=640",
    "qcd:l=8",
    "chessboard:m=7,n=8,k=5",
    "mycielskian:k=12",
    "lp:rows=428,cols=109689",
    "dense:n=632",
};

} // namespace specmv::cli
