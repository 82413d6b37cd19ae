// Reads what a plan says of its learning, for tests.
#pragma once

#include "tests/api/start_testing.h"

#include <string>
#include <vector>

namespace apitest {

inline std::string textOf(specmvPlan_t plan) {
  const char *text = nullptr;
  REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  return text;
}

// The texts behind this key, in their order.
inline std::vector<std::string> textsIn(const std::string &json, const std::string &key) {
  const std::string begin = "\"" + key + "\":\"";
  std::vector<std::string> out;
  for (size_t at = json.find(begin); at != std::string::npos; at = json.find(begin, at)) {
    at += begin.size();
    out.push_back(json.substr(at, json.find('"', at) - at));
  }
  return out;
}

// Returns what the JSON says of the learning; "" if nothing is learned.
inline std::string learnedIn(const std::string &json) {
  const size_t at = json.find("\"learning\":{");
  return at == std::string::npos ? "" : json.substr(at, json.find("\"timed\":", at) - at);
}

inline std::string stateOf(specmvPlan_t plan) {
  const std::vector<std::string> states = textsIn(learnedIn(jsonOf(plan)), "state");
  return states.empty() ? "none" : states.front();
}

// The texts of the plans that take turns.
inline std::vector<std::string> plansOf(specmvPlan_t plan) {
  return textsIn(learnedIn(jsonOf(plan)), "text");
}

} // namespace apitest
