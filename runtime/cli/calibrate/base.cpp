// Finds the base model of a calibration from a session's description of its GPU.
#include "runtime/cli/calibrate/base.h"
#include "runtime/plan/planning_model.h"

#include "models/gpus/borrow.h"
#include "runtime/machine.h"

namespace specmv::cli {

namespace json = llvm::json;

namespace {
struct DeviceNumber {
  const char *name;
  int GpuInfo::*narrow; // or
  int64_t GpuInfo::*wide;
};
} // namespace

constexpr DeviceNumber kDeviceNumbers[] = {
    {"sms", &GpuInfo::sms, nullptr},
    {"threadsPerSm", &GpuInfo::threadsPerSm, nullptr},
    {"clockKHz", &GpuInfo::clockKHz, nullptr},
    {"memoryClockKHz", &GpuInfo::memoryClockKHz, nullptr},
    {"busBits", &GpuInfo::busBits, nullptr},
    {"memoryBytes", nullptr, &GpuInfo::memoryBytes},
    {"l2Bytes", nullptr, &GpuInfo::l2Bytes},
    {"sharedBytesPerBlock", nullptr, &GpuInfo::sharedBytesPerBlock}};

json::Object deviceJson(const GpuInfo &info) {
  json::Object out;
  for (const DeviceNumber &number : kDeviceNumbers)
    out[number.name] =
        number.narrow ? static_cast<int64_t>(info.*number.narrow) : info.*number.wide;
  return out;
}

llvm::Expected<GpuInfo> deviceIn(const json::Object &session, const std::string &log) {
  GpuInfo out;
  out.name = session.getString("machine").value_or("").str();
  out.arch = session.getString("arch").value_or("").str();
  const json::Object *device = session.getObject("device");
  for (const DeviceNumber &number : kDeviceNumbers) {
    const json::Value *value = device ? device->get(number.name) : nullptr;
    const int64_t most = number.narrow ? INT32_MAX : int64_t{1} << 50;
    const int64_t given = value ? value->getAsInteger().value_or(-1) : -1;
    if (!value || given < 0 || given > most)
      return fail(Status::badInput, "{0}: device.{1} is {2}, not a whole number in 0 .. {3}", log,
                  number.name, value ? *value : json::Value("missing"), most);
    if (number.narrow)
      out.*number.narrow = static_cast<int>(given);
    else
      out.*number.wide = given;
  }
  return out;
}

static llvm::Expected<BaseModel> namedBase(const std::string &name) {
  auto text = gpuModelText(name);
  if (!text)
    return text.takeError();
  return BaseModel{name, std::move(*text)};
}

static llvm::Expected<BaseModel> borrowedBase(const json::Object &session, const std::string &log) {
  auto device = deviceIn(session, log);
  if (!device)
    return device.takeError();
  const std::string name = modelNameOf(device->name);
  auto text = borrowedModelText(toldBy(*device), name);
  if (!text)
    return text.takeError();
  return BaseModel{name, std::move(*text)};
}

llvm::Expected<BaseModel> baseOf(const Options &options, const json::Object &session,
                                 const std::string &log) {
  if (!options.machine.gpuModel.empty())
    return namedBase(options.machine.gpuModel);
  const std::string machine = session.getString("machine").value_or("an unknown GPU").str();
  if (const std::string known = builtInModelOf(machine); !known.empty())
    return namedBase(known);
  if (session.getObject("device"))
    return borrowedBase(session, log);
  return fail(Status::badCall,
              "{0} was measured on {1}, which has no model, and does not describe that GPU; write "
              "a model with the numbers of its data sheet and the rates of another GPU (\"rates\": "
              "\"h200\"), and pass it with --gpu FILE.json",
              log, machine);
}

} // namespace specmv::cli
