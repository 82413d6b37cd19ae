// Utilities for the tests of packs: a compiler that answers immediately, packs, and runs with them.
#pragma once

#include "tests/tool/tool_testing.h"

namespace tooltest {

// Uses the compiler that answers immediately.
inline Setting quickly(const std::string &cache, const Strings &more = {}) {
  Strings environment = {"SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT,
                         "SPECMV_CACHE_DIR=" + scratch(cache)};
  environment.insert(environment.end(), more.begin(), more.end());
  return {environment, ""};
}

// Uses packs, and a compiler that compiles nothing.
inline Setting withPack(const std::string &pack, const std::string &cache) {
  return quickly(cache, {"SPECMV_CACHE_PATH=" + pack, "SPECMV_FAKE_NVRTC=compile"});
}

// Makes a pack of that name in the scratch directory, for the host of runOnHost().
inline std::string packed(const std::string &name, const Strings &arguments,
                          const Strings &environment = {}) {
  Strings call = {"pregen", "--target", "host", "-o", scratch(name)};
  call.insert(call.end(), arguments.begin(), arguments.end());
  const Outcome outcome = tool(call, quickly("pregen-cache", environment));
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(messages(outcome, "error") + messages(outcome, "warning") == 0);
  return scratch(name);
}

inline Outcome runOnHost(const Strings &more, const Setting &setting) {
  Strings call = {"run", "--json", "--quiet", "--target", "host"};
  call.insert(call.end(), more.begin(), more.end());
  return tool(call, setting);
}

} // namespace tooltest
