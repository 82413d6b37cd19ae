// Tests bench --setup on the fake driver: which states it measures, and what it leaves behind.
#include "tests/tool/tool_testing.h"

#include <map>

using namespace tooltest;

namespace {

struct FakeBench {
  Outcome outcome;
  std::map<std::string, int> lines; // of ours, for each state and side
};

FakeBench benchOnFakeGpu(std::vector<std::string> options, const std::string &temporary,
                         const std::string &cache) {
  std::vector<std::string> call{"bench",    "--setup",    "--json",
                                "--format", "csr-scalar", "stencil5:n=8"};
  call.insert(call.end(), options.begin(), options.end());
  FakeBench out{tooltest::tool(
                    call, {{std::string("LD_LIBRARY_PATH=") + SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
                            std::string("SPECMV_CUDA_HOME=") + SPECMV_FAKE_TOOLKIT,
                            "TMPDIR=" + temporary, "SPECMV_CACHE_DIR=" + cache},
                           ""}),
                {}};
  for (const llvm::json::Object &line : objectsOf(out.outcome.out))
    if (line.getString("contender") == llvm::StringRef("specmv"))
      ++out.lines[(*line.getString("state") + " " + *line.getString("from")).str()];
  return out;
}

} // namespace

TEST_CASE("bench --setup on the fake driver measures all states in a cache of its own") {
  const std::string temporary = scratch("temporary"), cache = scratch("untouched");
  std::filesystem::create_directories(temporary);
  const auto [outcome, lines] = benchOnFakeGpu({}, temporary, cache);
  CHECK(outcome.status == 1); // the kernels of the fake driver do nothing
  CHECK(outcome.err.find("specmv first from the device gives a wrong product") !=
        std::string::npos);
  CHECK(lines == std::map<std::string, int>{{"first device", 5},
                                            {"first host", 5},
                                            {"cold device", 5},
                                            {"pack device", 5},
                                            {"pack host", 5},
                                            {"new device", 5},
                                            {"new host", 5},
                                            {"again device", 5},
                                            {"again host", 5},
                                            {"structure device", 5},
                                            {"structure host", 5},
                                            {"now device", 1}, // why there is none
                                            {"products device", 4},
                                            {"products host", 4}});
  CHECK(std::filesystem::is_empty(temporary));
  CHECK_FALSE(std::filesystem::exists(cache));
}

TEST_CASE("bench --setup measures the states and the side that are asked for, without the others") {
  const std::string temporary = scratch("some"), cache = scratch("untouched");
  std::filesystem::create_directories(temporary);
  using Lines = std::map<std::string, int>;
  CHECK(benchOnFakeGpu({"--states", "structure,pack", "--from", "host"}, temporary, cache).lines ==
        Lines{{"pack host", 5}, {"structure host", 5}});
  CHECK(benchOnFakeGpu({"--states", "products", "--from", "device"}, temporary, cache).lines ==
        Lines{{"products device", 4}});
  CHECK(benchOnFakeGpu({"--states", "structure", "--from", "device"}, temporary, cache).lines ==
        Lines{{"structure device", 5}});
  CHECK(std::filesystem::is_empty(temporary));
}
