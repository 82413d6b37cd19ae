// The tables of the fields of a GPU model's JSON, used to read, write and hash it.
#pragma once

#include "models/gpu.h"
#include "models/gpus/fields.h"

namespace specmv {

struct IntegerField {
  const char *name;
  int64_t GpuModel::*member;
  int64_t max; // keeps every product in the models within 64 bits
};
struct TextField {
  const char *name;
  std::string GpuModel::*member;
};
struct RatesField {
  const char *name;
  Rates GpuModel::*member;
};

constexpr TextField kTexts[] = {{"name", &GpuModel::name}, {"arch", &GpuModel::arch}};

constexpr NumberField<GpuModel> kReals[] = {
    {"pcieGBs", &GpuModel::pcieGBs, kGBs},
    {"intRate", &GpuModel::intRate, kGHz},
    {"singleRate", &GpuModel::singleRate, kGHz},
    {"doubleRate", &GpuModel::doubleRate, kGHz},
    {"memoryClockGHz", &GpuModel::memoryClockGHz, kGHz},
    {"dramGBs", &GpuModel::dramGBs, kGBs},
    {"l2GBs", &GpuModel::l2GBs, kGBs},
    {"gatherGBs", &GpuModel::gatherGBs, kGBs},
    {"launchUs", &GpuModel::launchUs, kUsOrNs},
    {"periodUs", &GpuModel::periodUs, kUsOrNs},
    {"loadNs", &GpuModel::loadNs, kUsOrNs},
    {"chainNs", &GpuModel::chainNs, kUsOrNs},
    {"waveNs", &GpuModel::waveNs, kUsOrNs},
    {"dramDelay", &GpuModel::dramDelay, kTimes},
};

constexpr IntegerField kIntegers[] = {
    {"busBits", &GpuModel::busBits, 1 << 20},
    {"cores", &GpuModel::cores, 1 << 30},
    {"warpSize", &GpuModel::warpSize, 1024},
    {"blockSize", &GpuModel::blockSize, 1 << 20},
    {"indexBytes", &GpuModel::indexBytes, 8},
    {"sms", &GpuModel::sms, 1 << 20},
    {"warpsPerSm", &GpuModel::warpsPerSm, 1 << 20},
    {"threadsPerSm", &GpuModel::threadsPerSm, 1 << 20},
    {"l2Bytes", &GpuModel::l2Bytes, int64_t{1} << 40},
    {"sharedBytesPerBlock", &GpuModel::sharedBytesPerBlock, 1 << 30},
};

constexpr RatesField kRates[] = {{"rates", &GpuModel::rates}, {"setup", &GpuModel::setup}};

} // namespace specmv
