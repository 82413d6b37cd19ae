// Tests of numbers with units, and of suggestions for misspelt words.
#include "models/base/text.h"

#include <doctest/doctest.h>

using namespace specmv;

TEST_CASE("a number has the unit in which it is below 1000, and few digits") {
  CHECK(shortTime(0) == "0.0 us");
  CHECK(shortTime(4.1) == "4.1 us");
  CHECK(shortTime(4.567) == "4.57 us");
  CHECK(shortTime(9.996) == "10.0 us");
  CHECK(shortTime(999.94) == "999.9 us");
  CHECK(shortTime(999.96) == "1.0 ms");
  CHECK(shortTime(17600) == "17.6 ms");
  CHECK(shortTime(2552791) == "2.55 s");
  CHECK(shortTime(3.6e9) == "3600.0 s");
  CHECK(shortBytes(0) == "0 bytes");
  CHECK(shortBytes(812) == "812 bytes");
  CHECK(shortBytes(1700000) == "1.7 MB");
  CHECK(shortBytes(64e9) == "64.0 GB");
  CHECK(shortRate(412.34) == "412.3 GB/s");
  CHECK(shortRate(6196.6) == "6.2 TB/s");
  CHECK(shortRate(0.05) == "50.0 MB/s");
  CHECK(counted(0, "entry", "entries") == "0 entries");
  CHECK(counted(1, "entry", "entries") == "1 entry");
  CHECK(counted(2, "entry", "entries") == "2 entries");
}

TEST_CASE("the nearest word differs in few letters, in two that are swapped, or is longer") {
  const llvm::StringRef known[] = {"run", "analyze", "csr-vector", "ell", "ell.width"};
  CHECK(nearestTo("rnu", known) == "run");
  CHECK(nearestTo("ana", known) == "analyze");
  CHECK(nearestTo("ANALYSE", known) == "analyze");
  CHECK(nearestTo("csr-vektor", known) == "csr-vector");
  CHECK(nearestTo("elll", known) == "ell");
  CHECK(nearestTo("ellwidth", known) == "ell.width");
  for (const char *far : {"", "x", "xyz", "frobnicate", "scalar"})
    CHECK_MESSAGE(nearestTo(far, known) == "", std::string(far));
  CHECK(meantBy("rnu", known) == " (did you mean 'run'?)");
  CHECK(meantBy("xyz", known) == "");
}
