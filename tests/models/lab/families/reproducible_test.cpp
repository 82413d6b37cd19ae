// Tests that a SPEC gives the same bits on every machine: fingerprints of one small instance per
// family. A change of these numbers invalidates all recorded benchmarks.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace familytest;

namespace {

// FNV-1a over rowPtr, col and val as stored in memory (x86-64, like the library).
uint64_t fingerprint(const CsrMatrix &a) {
  uint64_t hash = 14695981039346656037U;
  const auto add = [&](const auto &numbers) {
    std::vector<unsigned char> bytes(numbers.size() * sizeof(numbers[0]));
    if (!bytes.empty())
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
    for (const unsigned char byte : bytes)
      hash = (hash ^ byte) * 1099511628211U;
  };
  add(a.rowPtr);
  add(a.col);
  add(a.val);
  return hash;
}

} // namespace

TEST_CASE("small instances have their fingerprints") {
  for (const auto &[given, expected] : std::vector<std::pair<std::string, uint64_t>>{
           {"stencil27:n=4,coef=random", 0x3e221ed1badecb4fU},
           {"random:n=60,k=5", 0xbffd7591e9570d3cU},
           {"band:n=60,k=7,half=12", 0xff2953084d2c96a8U},
           {"blocks:n=60,k=3,band=4", 0x20efa63940b02a12U},
           {"powerlaw:n=90,avg=4", 0xbe36950b75f25b66U},
           {"spike:n=60,spikes=2", 0x72a0bb605927616bU},
           {"chessboard:m=3,n=4,k=2", 0x95088a9ba463a645U},
           {"elasticity:n=3", 0x1895319a29243cceU},
           {"fem2d:rows=77", 0x21211a8e8671217dU},
           {"fem2d:rows=77,order=random", 0xed74fd48d95bd3cfU},
           {"circuit:rows=200", 0xe7bf0195417f9267U},
           {"epidemic:n=12", 0xed4c49e8296bf0f4U},
           {"qcd:l=3", 0xdd0c5d3a763a694dU},
           {"rmat:scale=7", 0x456be9eba4e27abaU},
           {"mycielskian:k=6", 0xd3c69063673786c1U},
           {"lp:rows=9,cols=900,avg=40", 0x925b6aca174286e6U},
           {"rowlengths:dist=poisson,n=60,mean=9.3", 0x1667c9e5f0984592U},
           {"rowlengths:dist=normal,n=60,mean=9.3", 0xbe026bcf33e7a471U},
           {"rowlengths:dist=uniform,n=60,mean=9", 0x2db450864ad20055U},
           {"stencil7:n=4,boundary=periodic,coef=random", 0xf9c79552154d542fU},
           {"fem3d:n=5", 0x232904926d01e467U},
           {"fem3d:n=5,order=cuthill", 0xbfe1eaf9d9e4079eU},
           {"coupled:n=3", 0x3fff0f963c90cabcU},
           {"dg:n=2", 0x28f484706cf08717U},
           {"communities:rows=300", 0xb51bf3e6428c7061U},
           {"web:n=300", 0xbc8e03d19f47eba0U},
           {"features:rows=30", 0x83af585fcb23d8d1U},
           {"widetable:rows=30,most=300", 0xf51c67a560a4f088U},
           {"hypersparse:n=200", 0x01403a3d9bce229cU},
           {"arrow:rows=30", 0x7dde7042af7297a3U},
           {"spin:n=6", 0xaf404e7916597431U},
           {"spin:n=9,up=4,values=integer", 0x3253de148463043dU},
           {"transfer:n=4", 0x531c337afe16b51eU},
           {"transfer:nx=4,ny=3,nz=1,of=restriction", 0x6f8cc1b408c31f1eU},
           {"kkt:n=3", 0xaffd634301aa198fU},
           {"lattice:l=3,b=2", 0x7d93e1c5cacdd518U},
           {"queue:s=3,room=2", 0xf5ed699c6eeaf023U},
           {"factor:rows=200", 0xfc5cf837bd76679cU},
           {"molecule:atoms=12", 0x968ea3db28a36d94U},
           {"knn:rows=150", 0xcea900657604dddfU},
           {"road:rows=90", 0x0cfa9785ecdaf4c0U},
           {"road:rows=90,order=random", 0xe2a34e25c1aa2352U},
           {"prefer:rows=90", 0x39f45e901d38c73fU},
           {"prefer:rows=90,m=3,order=age", 0x52d6b84d282b8d5cU},
           {"kron:scale=4", 0xc90118a838c0c016U},
           {"genes:rows=30", 0xfea115b80b063df7U},
           {"text:rows=30", 0x4432b9eaa24e6b41U},
           {"twin:bcsstk04", 0xdb10ad54068dde1aU},
           {"twin:bp_1600", 0x86a161609833bb09U},
           {"twin:meg4", 0x363cefc1baf18727U},
           {"twin:tuma2,as=paper", 0x6b796b2737836468U},
           {"twin:bayer09", 0xa3edf987cce292deU},
           {"twin:cavity05,seed=5", 0xafea186734c5213fU}}) {
    const std::string spec = given;
    CAPTURE(spec);
    CHECK(fingerprint(make(spec)) == expected);
  }
}
