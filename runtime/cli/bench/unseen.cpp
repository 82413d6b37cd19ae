// Lists the matrices of the suite "unseen". Their families are used for no fit of a model, and few
// of their sizes are round numbers or powers.
#include "runtime/cli/bench/suite.h"

namespace specmv::cli {

// CSR in float takes 100 to 600 MB.
static constexpr const char *kBeyondL2[] = {"spin:n=21",
                                            "spin:n=24,up=10",
                                            "spin:n=26,up=8",
                                            "transfer:n=113",
                                            "transfer:nx=1201,ny=1733,nz=1",
                                            "transfer:n=127,of=restriction",
                                            "kkt:n=109",
                                            "kkt:nx=1371,ny=1009,nz=1",
                                            "lattice:l=19,t=35,b=3",
                                            "lattice:l=14,t=29,b=7",
                                            "queue:s=3,room=131",
                                            "queue:s=4,room=37",
                                            "queue:s=6,room=9",
                                            "factor:rows=700000,width=9,fill=5",
                                            "factor:rows=1900000,width=3,fill=4,band=3000",
                                            "molecule:atoms=7400,near=21",
                                            "molecule:atoms=19000,near=6",
                                            "knn:rows=1300000,k=17",
                                            "knn:rows=3700000,k=9",
                                            "road:rows=8300000",
                                            "road:rows=5100000,order=random",
                                            "prefer:rows=1700000,m=7",
                                            "prefer:rows=900000,m=19,order=age",
                                            "kron:scale=13,edge=9",
                                            "kron:scale=12,edge=31",
                                            "genes:rows=30000,cols=600000,avg=2390",
                                            "genes:rows=9000,cols=31000,avg=3100,sigma=0.4",
                                            "genes:rows=270000,cols=27000,avg=110",
                                            "text:rows=610000,cols=170000",
                                            "text:rows=230000,cols=1300000,avg=130,sigma=1.1"};

// CSR in float takes 0.1 to 50 MB.
static constexpr const char *kWithinL2[] = {"spin:n=12",
                                            "spin:n=17",
                                            "spin:n=19,up=7",
                                            "transfer:n=13",
                                            "transfer:n=41",
                                            "transfer:n=47,of=restriction",
                                            "transfer:nx=211,ny=157,nz=1,of=restriction",
                                            "kkt:n=11",
                                            "kkt:n=43",
                                            "kkt:nx=173,ny=121,nz=1",
                                            "lattice:l=5,t=7,b=3",
                                            "lattice:l=9,t=13,b=5",
                                            "queue:s=5,room=3",
                                            "queue:s=4,room=14",
                                            "factor:rows=3100",
                                            "factor:rows=67000,width=4,fill=9",
                                            "molecule:atoms=130",
                                            "molecule:atoms=1100,near=17",
                                            "knn:rows=7300,k=6",
                                            "knn:rows=190000,k=15",
                                            "road:rows=41000",
                                            "road:rows=730000",
                                            "prefer:rows=9100,m=5",
                                            "prefer:rows=210000,m=11",
                                            "kron:scale=9,edge=6",
                                            "kron:scale=11,edge=13",
                                            "genes:rows=700,cols=33000,avg=1900",
                                            "genes:rows=8000,cols=19000,avg=300,sigma=0.9",
                                            "text:rows=4700,cols=61000",
                                            "text:rows=33000,cols=28000,avg=140"};

std::vector<std::string> unseenSpecs() {
  std::vector<std::string> specs(std::begin(kBeyondL2), std::end(kBeyondL2));
  specs.insert(specs.end(), std::begin(kWithinL2), std::end(kWithinL2));
  return specs;
}

} // namespace specmv::cli
