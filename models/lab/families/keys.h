// The keys of the families: names, defaults, limits and meanings.
#pragma once

#include "models/lab/families/build.h"
#include "models/lab/families/twins.h"

namespace specmv {

// --- Keys ----------------------------------------------------------------------------------------

// The keys of each family: names, defaults, limits and meanings.

constexpr SpecKey kSeed = integerKey("seed", "0", 0, std::numeric_limits<int64_t>::max(),
                                     "another seed gives another matrix of the same kind");
constexpr SpecKey kUnusedSeed = integerKey("seed", "0", 0, std::numeric_limits<int64_t>::max(),
                                           "accepted in every family; nothing is random here");
constexpr SpecKey kN = integerKey("n", "1000", 1, kMaxIndex, "rows and columns");
constexpr SpecKey kRows = integerKey("rows", "n", 1, kMaxIndex, "rows");
constexpr SpecKey kCols = integerKey("cols", "n|rows", 1, kMaxIndex, "columns");
constexpr SpecKey kValues = choiceKey("values", "random", "random|integer",
                                      "uniform in (-1,1), or an integer in -4..4; never 0");
constexpr SpecKey kCoef = choiceKey("coef", "constant", "constant|random",
                                    "the integers of the Laplacian, or values uniform in (-1,1)");
constexpr SpecKey kBoundary =
    choiceKey("boundary", "open", "open|periodic",
              "opposite sides of a periodic grid are neighbours; it needs 3 points per side");
constexpr SpecKey kNx = integerKey("nx", "n", 1, kMaxIndex, "points along x, numbered first");
constexpr SpecKey kNy = integerKey("ny", "n", 1, kMaxIndex, "points along y");
constexpr SpecKey kNz = integerKey("nz", "n", 1, kMaxIndex, "points along z");

constexpr SpecKey kGrid2d[] = {
    integerKey("n", "100", 1, kMaxIndex, "points per side"), kNx, kNy, kBoundary, kCoef, kSeed};
constexpr SpecKey kGrid3d[] = {
    integerKey("n", "20", 1, kMaxIndex, "points per side"), kNx, kNy, kNz, kBoundary, kCoef, kSeed};
constexpr SpecKey kRandom[] = {
    kN,
    kRows,
    kCols,
    integerKey("k", "16", 0, kMaxIndex, "mean number of entries of a row"),
    realKey("spread", "0", 0, 1, "row lengths are uniform in k(1-spread) .. k(1+spread)"),
    kValues,
    kSeed};
constexpr SpecKey kFeatures[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "rows"),
    integerKey("cols", "20000", 1, kMaxIndex, "features, of skewed popularity"),
    integerKey("k", "30", 0, kMaxIndex, "mean number of entries of a row"),
    realKey("spread", "0.5", 0, 1, "row lengths are uniform in k(1-spread) .. k(1+spread)"),
    kValues,
    kSeed};
constexpr SpecKey kWidetable[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "rows"),
    integerKey("cols", "100000", 1, kMaxIndex, "columns"),
    integerKey("least", "4", 1, kMaxIndex, "entries of the shortest rows; lengths are log-uniform"),
    integerKey("most", "10000", 1, kMaxIndex,
               "entries of the longest rows; the default is 10000 or cols, if that is less"),
    kValues,
    kSeed};
constexpr SpecKey kHypersparse[] = {
    kN,
    kRows,
    kCols,
    realKey("filled", "0.1", 0, 1, "probability that a row has entries"),
    integerKey("k", "3", 0, kMaxIndex, "entries of a filled row; fewer if fewer columns are near"),
    integerKey("half", "cols", 0, kMaxIndex,
               "columns on either side of the diagonal that are near"),
    kValues,
    kSeed};
constexpr SpecKey kArrow[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "rows and columns"),
    integerKey("half", "1", 0, kMaxIndex,
               "columns of the band on either side of the diagonal, all full"),
    integerKey("full", "3", 0, kMaxIndex,
               "full rows and full columns, the last ones; at most rows"),
    kValues, kSeed};
constexpr SpecKey kBand[] = {
    kN,
    kRows,
    kCols,
    integerKey("k", "17", 1, kMaxIndex, "entries of a row; fewer if the band has fewer columns"),
    integerKey("half", "100", 0, kMaxIndex, "columns of the band on either side of the diagonal"),
    kValues,
    kSeed};
constexpr SpecKey kBlocks[] = {
    integerKey("n", "900", 1, kMaxIndex, "rows and columns, a multiple of b"),
    kRows,
    kCols,
    integerKey("b", "3", 1, kMaxIndex, "rows and columns of a block"),
    integerKey("k", "27", 1, kMaxIndex, "blocks of a block row; fewer if the band has fewer"),
    integerKey("band", "100", 0, kMaxIndex, "block columns on either side of the diagonal block"),
    kValues,
    kSeed};
constexpr SpecKey kAlpha =
    realKey("alpha", "2.2", 1, 10, "exponent of the density of row lengths, above 1");
constexpr SpecKey kLongest =
    integerKey("max", "20000", 1, kMaxIndex,
               "entries of the longest row; the default is 20000 or cols, if that is less");
constexpr SpecKey kPowerlaw[] = {
    kN,     kRows,    kCols,   realKey("avg", "8", 0, kMaxIndex, "mean number of entries of a row"),
    kAlpha, kLongest, kValues, kSeed};
constexpr SpecKey kWeb[] = {
    kN,
    kRows,
    kCols,
    realKey("avg", "16", 0, kMaxIndex, "mean number of entries of a row"),
    kAlpha,
    kLongest,
    realKey("near", "0.75", 0, 1, "share of a row's entries in pages of the same host"),
    integerKey("half", "200", 0, kMaxIndex,
               "pages of the host on either side; as many as entries, where a row has more"),
    kValues,
    kSeed};
constexpr SpecKey kSpike[] = {kN,
                              kRows,
                              kCols,
                              integerKey("k", "4", 0, kMaxIndex, "entries of an ordinary row"),
                              integerKey("spikes", "1", 0, kMaxIndex, "number of long rows"),
                              integerKey("length", "cols", 0, kMaxIndex, "entries of a long row"),
                              kValues,
                              kSeed};
constexpr SpecKey kShape[] = {kN, kRows, kCols, kValues, kSeed};
constexpr SpecKey kEmpty[] = {integerKey("n", "1000", 0, kMaxIndex, "rows and columns"),
                              integerKey("rows", "n", 0, kMaxIndex, "rows"),
                              integerKey("cols", "n|rows", 0, kMaxIndex, "columns"), kUnusedSeed};
// Numbering a face takes a step for each row of the board, so larger boards with k = 1 would take
// hours.
constexpr int64_t kMaxBoard = 1000;
constexpr SpecKey kChessboard[] = {integerKey("m", "7", 1, kMaxBoard, "rows of the board"),
                                   integerKey("n", "8", 1, kMaxBoard, "columns of the board"),
                                   integerKey("k", "5", 1, kMaxBoard, "dimension: k + 1 rooks"),
                                   kUnusedSeed};
constexpr SpecKey kElasticity[] = {
    integerKey("n", "10", 1, kMaxIndex, "points per side"),
    kNx,
    kNy,
    kNz,
    integerKey("materials", "0", 0, kMaxIndex,
               "kinds of points on a uniform mesh, in no order: a block depends on the kind and on "
               "the direction of the neighbour alone, so that 27 blocks of a kind repeat; 0: all "
               "blocks have values of their own"),
    kValues,
    kSeed};
constexpr SpecKey kMeshOrder = choiceKey("order", "natural", "natural|random",
                                         "numbering of the nodes: by Cuthill-McKee or at random");
constexpr SpecKey kFem2d[] = {integerKey("rows", "1000", 1, kMaxIndex, "nodes of the mesh"),
                              kMeshOrder, kValues, kSeed};
constexpr SpecKey kFem3d[] = {
    integerKey("n", "12", 1, kMaxIndex, "nodes per side of the grid"),
    kNx,
    kNy,
    kNz,
    realKey("removed", "0.1", 0, 1, "share of the nodes that are removed, below 1"),
    choiceKey("order", "natural", "natural|random|cuthill",
              "numbering of the nodes: as in the grid, at random or by Cuthill-McKee"),
    kValues,
    kSeed};
// The limit of 1,000 unknowns keeps the products of entry counts within 64 bits.
constexpr SpecKey kCoupled[] = {
    integerKey("n", "10", 1, kMaxIndex, "points per side"),
    kNx,
    kNy,
    kNz,
    integerKey("b", "4", 1, 1000, "unknowns of a point"),
    choiceKey("stencil", "7", "7|27", "neighbours of a point, itself among them; 5 or 9 with nz=1"),
    realKey("missing", "0.3", 0, 1, "share of the couplings that are missing"),
    kValues,
    kSeed};
constexpr SpecKey kDg[] = {
    integerKey("n", "6", 1, 32767, "cells per side, each of 2 triangles or 6 tetrahedra"),
    integerKey("dim", "3", 2, 3, "dimensions"),
    integerKey("b", "4", 1, 1000,
               "unknowns of an element; 3, 6, 10 (2-D) or 4, 10, 20 (3-D) are of degree 1, 2, 3"),
    kValues, kSeed};
constexpr SpecKey kCircuit[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "nodes of the circuit"),
    realKey("avg", "6", 1, kMaxIndex,
            "mean number of entries of a row; repeated ones then count once"),
    integerKey("rails", "32", 0, kMaxIndex, "nodes that very many others connect to; at most rows"),
    realKey("share", "0.1", 0, 1, "share of the nodes that are connected to a rail"),
    kValues,
    kSeed};
// The limit of 10,000 vertices per community keeps the table of the law of sizes small.
constexpr SpecKey kCommunities[] = {
    integerKey("rows", "10000", 1, kMaxIndex, "vertices of the graph"),
    realKey("avg", "16", 0, kMaxIndex,
            "mean number of entries of a row; repeated ones then count once, loops not at all"),
    integerKey("size", "200", 1, 10000, "mean number of vertices of a community; at most rows"),
    realKey("share", "0.2", 0, 1, "share of the edges that may leave the community"),
    integerKey("hubs", "8", 0, kMaxIndex,
               "vertices that very many others are joined to; at most rows"),
    integerKey("degree", "1000", 1, kMaxIndex,
               "additional entries of a hub; the default is 1000 or rows/10, if that is less"),
    kValues,
    kSeed};
// A larger n has more than 2^31-1 states.
constexpr SpecKey kEpidemic[] = {integerKey("n", "100", 1, 65534, "people"), kValues, kSeed};
// With two sites per side, both directions would lead to the same neighbour; 116^4 sites would have
// too many rows.
constexpr SpecKey kQcd[] = {
    integerKey("l", "4", 3, 115, "sites along each side of the four-dimensional torus"), kValues,
    kSeed};
constexpr SpecKey kRmat[] = {integerKey("scale", "10", 1, 30, "2^scale rows and columns"),
                             integerKey("edge", "16", 0, kMaxIndex, "edges drawn for each row"),
                             kValues, kSeed};
constexpr SpecKey kMycielskian[] = {
    integerKey("k", "8", 2, 30, "chromatic number: 3 2^(k-2) - 1 rows"), kUnusedSeed};
constexpr SpecKey kLp[] = {
    integerKey("rows", "100", 1, kMaxIndex, "rows"),
    integerKey("cols", "25605", 1, kMaxIndex, "columns, including one slack column for each row"),
    realKey("avg", "2633.9944", 0, kMaxIndex,
            "mean number of entries of a row; row lengths are exponential"),
    choiceKey("values", "1..2", "1..2|random|integer",
              "1 or 2, uniform in (-1,1), or an integer in -4..4; never 0"),
    kSeed};
// The limit of 2^24 entries per row keeps the table of a law small.
constexpr SpecKey kRowlengths[] = {
    kN,
    kRows,
    kCols,
    choiceKey("dist", "fixed", "fixed|poisson|uniform|normal",
              "law of the row lengths; uniform in 0 .. 2 mean, normal cut off to 0 .. 2 mean"),
    realKey("mean", "16", 0, int64_t{1} << 24, "mean of the row lengths, P_NZ"),
    realKey("sigma", "0", 0, kMaxIndex,
            "standard deviation of the normal law before it is cut off; 0 means mean/4"),
    choiceKey("columns", "uniform", "uniform|band|windows|blocks",
              "anywhere; near the diagonal; in a window that 256 rows share; or 4 beside one "
              "another, anywhere"),
    kValues,
    kSeed};
constexpr SpecKey kTwin[] = {
    choiceKey("name", "bcsstk04", llvm::StringLiteral::withInnerNUL(kTwinNames.text),
              "the matrix; `name=` may be omitted"),
    choiceKey("as", "collection", "collection|paper",
              "number of non-zeros as in the SuiteSparse collection or as in the paper"),
    kSeed};

// --- Unseen keys ---------------------------------------------------------------------------------

// The keys of the families that no fit has seen: names, defaults, limits and meanings.

constexpr SpecKey kSpin[] = {
    integerKey("n", "10", 1, 62, "sites of the ring"),
    integerKey("up", "n", 1, 62, "spins that point up; with n, the default, any number of them"),
    kValues, kSeed};
constexpr SpecKey kTransfer[] = {
    integerKey("n", "10", 1, kMaxIndex, "coarse points per side; there are 2 n - 1 fine ones"),
    kNx,
    kNy,
    kNz,
    choiceKey("of", "prolongation", "prolongation|restriction",
              "from the coarse grid to the fine one, or back"),
    kValues,
    kSeed};
constexpr SpecKey kKkt[] = {
    integerKey("n", "10", 1, kMaxIndex, "cells per side"), kNx, kNy, kNz, kValues, kSeed};
constexpr SpecKey kSigma =
    realKey("sigma", "0.6", 0, 3, "standard deviation of the logarithm of a row's length");
constexpr SpecKey kGenes[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "cells"),
    integerKey("cols", "20000", 1, kMaxIndex, "genes"),
    realKey("avg", "80", 0, kMaxIndex,
            "mean number of entries of a row, as long as few rows are cut off at cols"),
    kSigma,
    kValues,
    kSeed};
constexpr SpecKey kText[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "documents"),
    integerKey("cols", "20000", 1, kMaxIndex, "words"),
    realKey("avg", "90", 0, kMaxIndex,
            "mean number of entries of a row, as long as few rows are cut off at cols"),
    realKey("sigma", "0.8", 0, 3, "standard deviation of the logarithm of a row's length"),
    kValues,
    kSeed};
constexpr SpecKey kKnn[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "points"),
    integerKey("k", "12", 0, 256, "neighbours of a point; at most rows - 1"), kValues, kSeed};
constexpr SpecKey kMolecule[] = {
    integerKey("atoms", "200", 1, kMaxIndex, "atoms, of 16 rows on average"),
    realKey("near", "12", 1, 1000, "mean number of atoms that an inner atom is coupled to"),
    kValues, kSeed};
constexpr SpecKey kPrefer[] = {integerKey("rows", "1000", 1, kMaxIndex, "nodes"),
                               integerKey("m", "8", 0, kMaxIndex, "edges that each new node draws"),
                               choiceKey("order", "random", "random|age",
                                         "numbering of the nodes: at random or the oldest first"),
                               kValues, kSeed};
constexpr SpecKey kKron[] = {integerKey("scale", "7", 1, 19, "3^scale rows and columns"),
                             integerKey("edge", "8", 0, kMaxIndex, "edges drawn for each row"),
                             kValues, kSeed};
constexpr SpecKey kRoad[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "crossings"),
    realKey("missing", "0.3", 0, 1,
            "share of the roads between neighbouring crossings that are missing"),
    kMeshOrder, kValues, kSeed};
constexpr SpecKey kQueue[] = {
    integerKey("s", "4", 1, 8, "stations"),
    integerKey(
        "room", "4", 1, kMaxIndex,
        "customers that the first station has room for; each next one has room for one more"),
    kValues, kSeed};
constexpr SpecKey kFactor[] = {
    integerKey("rows", "1000", 1, kMaxIndex, "rows and columns"),
    integerKey("width", "6", 1, 1000, "mean columns of a supernode, of 1 .. 2 width - 1"),
    integerKey("fill", "6", 0, 256, "mean number of earlier supernodes in a row"),
    integerKey("band", "100", 0, kMaxIndex, "supernodes before its own that a row can have"),
    kValues,
    kSeed};
// With two sites per side, both directions would lead to the same neighbour.
constexpr SpecKey kLattice[] = {integerKey("l", "4", 3, 200, "sites along each side in space"),
                                integerKey("t", "l", 3, 200, "sites in time"),
                                integerKey("b", "3", 1, 100, "unknowns of a site"), kValues, kSeed};

} // namespace specmv
