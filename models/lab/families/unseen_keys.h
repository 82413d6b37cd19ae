// The keys of the families that no fit has seen: names, defaults, limits and meanings.
#pragma once

#include "models/lab/families/keys.h"

namespace specmv {

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
