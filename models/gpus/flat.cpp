// Writes models as tables and reads them back.
#include "models/gpus/flat.h"

#include "models/gpus/fields.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <cassert>
#include <cstdio>
#include <iterator>

namespace specmv {

GpuModel modelOf(const FlatGpuModel &flat) {
  assert(flat.texts.size() == std::size(kTexts) && flat.reals.size() == std::size(kReals) &&
         flat.integers.size() == std::size(kIntegers));
  GpuModel out;
  for (size_t i = 0; i < std::size(kTexts); ++i)
    out.*kTexts[i].member = flat.texts[i];
  for (size_t i = 0; i < std::size(kReals); ++i)
    out.*kReals[i].member = flat.reals[i];
  for (size_t i = 0; i < std::size(kIntegers); ++i)
    out.*kIntegers[i].member = flat.integers[i];
  out.rates = Rates(flat.rates);
  out.setup = Rates(flat.setup);
  out.ratesFrom = flat.ratesFrom;
  return out;
}

// Writes the value exactly, in hexadecimal: 0x1.8p+3.
static std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

// Writes the definition of an array; `each` writes one value.
template <class Values, class Each>
static void writeArray(llvm::raw_ostream &out, const char *type, const std::string &name,
                       const Values &values, const Each &each) {
  out << "constexpr " << type << ' ' << name << "[] = {";
  for (const auto &value : values) {
    each(value);
    out << ", ";
  }
  out << "};\n";
}

// The rates in a table of which at most half of the places are filled, so that most are found at
// their first place. A free place has an empty name.
static std::vector<std::pair<std::string, double>> tableOf(const Rates &rates) {
  const auto all = rates.all();
  std::vector<std::pair<std::string, double>> out(std::bit_ceil(2 * all.size()));
  for (const auto &rate : all)
    forPlaces(out, rateHash(rate.first), [&](auto &place) {
      const bool isFree = place.first.empty();
      if (isFree)
        place = rate;
      return isFree;
    });
  return out;
}

std::string flatText(llvm::ArrayRef<GpuModel> models) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const auto write = [&](const auto &value) { out << value; };
  const auto quote = [&](const std::string &value) { out << '"' << value << '"'; };
  for (size_t i = 0; i < models.size(); ++i) {
    const GpuModel &gpu = models[i];
    const auto named = [&](const char *name) { return name + std::to_string(i); };
    writeArray(out, "const char *", named("kTexts"), kTexts,
               [&](const TextField &field) { quote(gpu.*field.member); });
    writeArray(out, "double", named("kReals"), kReals,
               [&](const NumberField<GpuModel> &field) { write(exact(gpu.*field.member)); });
    writeArray(out, "int64_t", named("kIntegers"), kIntegers,
               [&](const IntegerField &field) { write(gpu.*field.member); });
    for (const RatesField &field : kRates)
      writeArray(out, "FlatRate", named(field.name), tableOf(gpu.*field.member),
                 [&](const auto &rate) {
                   if (rate.first.empty())
                     out << "{}";
                   else
                     out << '{' << rateHash(rate.first) << "U, \"" << rate.first << "\", "
                         << exact(rate.second) << '}';
                 });
  }
  out << "constexpr FlatGpuModel kFlatModels[] = {\n";
  for (size_t i = 0; i < models.size(); ++i)
    out << llvm::formatv("{{kTexts{0}, kReals{0}, kIntegers{0}, rates{0}, setup{0}, \"{1}\", "
                         "\"{2}\"},\n",
                         i, models[i].ratesFrom, digestOf(models[i]));
  out << "};\n";
  return text;
}

} // namespace specmv
