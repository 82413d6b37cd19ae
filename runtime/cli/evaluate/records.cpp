// Writes measurements as JSON lines.
#include "runtime/cli/evaluate/records.h"

#include "models/gpus/fields.h"
#include "models/signature/signature.h"
#include "runtime/cli/json.h"

#include <map>

namespace specmv::cli {

namespace json = llvm::json;

static json::Object predictionsJson(const std::vector<Judged> &judged, size_t plan) {
  json::Object out;
  const std::vector<TimeModel> models = timeModels();
  for (size_t i = 0; i < judged.size(); ++i)
    out[models[i].name] = judged[i].predictedUs[plan];
  return out;
}

static json::Object regretsJson(const std::vector<Judged> &judged) {
  json::Object out;
  const auto regret = [](const Judged &each) {
    return each.choice ? json::Value(each.regret()) : json::Value(nullptr);
  };
  const std::vector<TimeModel> models = timeModels();
  for (size_t i = 0; i < judged.size(); ++i)
    out[models[i].name] = regret(judged[i]);
  out["runoff"] = regret(afterTrial(judged.back()));
  return out;
}

static json::Object headOf(const Measured &m) {
  return json::Object{{"matrix", json::fixUTF8(m.matrix)}, {"type", nameOf(m.type)}};
}

// Returns a line for each format, with the fastest plan and all plans.
static std::map<std::string, json::Object> formatLines(const Measured &m,
                                                       const std::vector<Judged> &judged) {
  std::map<std::string, json::Object> lines;
  for (size_t i = 0; i < m.plans.size(); ++i) {
    const auto &[plan, us, usReplay, usMean] = m.plans[i];
    json::Object &line = lines.try_emplace(plan.format, headOf(m)).first->second;
    if (us < line.getNumber("measuredUs").value_or(us + 1)) {
      line["format"] = plan.format;
      line["params"] = paramsOf(plan);
      line["measuredUs"] = us;
      line["predictedUs"] = predictionsJson(judged, i);
    }
    line.try_emplace("plans", json::Array());
    line.getArray("plans")->push_back(json::Object{{"params", paramsOf(plan)},
                                                   {"us", us},
                                                   {"usReplay", orNull(usReplay)},
                                                   {"usMean", orNull(usMean)},
                                                   {"predictedUs", predictionsJson(judged, i)}});
  }
  return lines;
}

static json::Object summaryOf(const Measured &m, const std::vector<Judged> &judged, bool verified) {
  json::Object out = headOf(m);
  out["rows"] = m.profile.rows;
  out["cols"] = m.profile.cols;
  out["nnz"] = m.profile.nnz;
  out["csrBytes"] = csrBytesOf(m);
  out["signature"] = signatureId(m.profile);
  out["profile"] = serializeProfile(m.profile);
  out["regret"] = regretsJson(judged);
  out["decisionUs"] = m.decisionUs;
  out["profileUs"] = m.profileUs;
  out["verified"] = verified;
  out["summary"] = true;
  return out;
}

std::string curvesLine(const Curves &curves) {
  return jsonLine("calibrate", json::Object{{kCurvesField, curvesJson(curves)}});
}

std::string linesOf(const Measured &m, const GpuModel &gpu, bool verified,
                    const StripsReading &reading) {
  std::vector<Judged> judged;
  for (const TimeModel &model : timeModels(reading))
    judged.push_back(judge(m, model, gpu, Candidates::ours));
  std::string out;
  for (auto &[format, line] : formatLines(m, judged))
    out += jsonLine("evaluate", std::move(line));
  return out + jsonLine("evaluate", summaryOf(m, judged, verified));
}

} // namespace specmv::cli
