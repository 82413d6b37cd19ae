// Writes and reads the text of a signature, and computes its id.
#include "models/signature/signature.h"

#include "models/base/digest.h"
#include "models/base/error.h"
#include "models/signature/fields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

#include <charconv>
#include <tuple>

namespace specmv {

using llvm::StringRef;

constexpr char kHeader[] = "specmv-signature 4\n";

static void appendNumber(std::string &text, Count number) {
  char digits[24];
  const std::to_chars_result end = std::to_chars(std::begin(digits), std::end(digits), number);
  text.append(" ").append(digits, end.ptr);
}

static Count checksum(StringRef text) {
  const auto digest = llvm::BLAKE3::hash<8>(llvm::arrayRefFromStringRef(text));
  return static_cast<Count>(llvm::support::endian::read64le(digest.data()) >> 1);
}

// Returns the header and the lines of these fields.
static std::string linesOf(std::span<const SignatureField> fields, const SparsityProfile &p) {
  std::string text = kHeader;
  for (const SignatureField &field : fields) {
    Integers numbers;
    field.write(p, numbers);
    text += field.key;
    for (Count number : numbers)
      appendNumber(text, number);
    text += '\n';
  }
  return text;
}

std::string serializeProfile(const SparsityProfile &p) {
  std::string text = linesOf(signatureFields(), p);
  const Count sum = checksum(text);
  text += "checksum";
  appendNumber(text, sum);
  text += '\n';
  return text;
}

static bool readNumbers(StringRef text, Integers &numbers) {
  while (!text.empty()) {
    Count number;
    if (!text.consume_front(" ") || text.consumeInteger(10, number))
      return false;
    numbers.push_back(number);
  }
  return true;
}

// Returns the number of the first line in which two texts differ.
static size_t firstDifference(StringRef a, StringRef b) {
  const size_t common = std::min(a.size(), b.size());
  size_t place = 0;
  while (place < common && a[place] == b[place])
    ++place;
  return a.take_front(place).count('\n') + 1;
}

static bool readField(const SignatureField &field, StringRef line, SparsityProfile &p) {
  Integers numbers;
  return line.consume_front(field.key) && readNumbers(line, numbers) && field.read(numbers, p);
}

llvm::Expected<SparsityProfile> parseProfile(StringRef text, StringRef origin) {
  StringRef rest = text;
  if (!rest.consume_front(kHeader))
    return fail(Status::badInput,
                "{0}:1: not a signature of version 4: its first line must be 'specmv-signature 4'",
                origin);
  SparsityProfile p;
  size_t line = 1;
  for (const SignatureField &field : signatureFields()) {
    StringRef content;
    std::tie(content, rest) = rest.split('\n');
    ++line;
    if (!readField(field, content, p))
      return fail(Status::badInput, "{0}:{1}: this line must be '{2}' and its numbers", origin,
                  line, field.key);
    if (!field.holds(p))
      return fail(Status::badInput, "{0}:{1}: no matrix can have these numbers of '{2}'", origin,
                  line, field.key);
  }
  // Catches all other changes: another notation of a number, a wrong checksum, text after the end.
  if (const std::string own = serializeProfile(p); own != text)
    return fail(
        Status::badInput,
        "{0}:{1}: this line is not what specmv writes for this profile; the file was changed",
        origin, firstDifference(own, text));
  return p;
}

static std::string idOf(const std::string &text) { return llvm::toHex(digestOfBytes(text), true); }

std::string signatureId(const SparsityProfile &p) { return idOf(serializeProfile(p)); }

std::string patternId(const MatrixSize &size, const Fingerprint &fingerprint) {
  SparsityProfile p;
  p.rows = size.rows;
  p.cols = size.cols;
  p.nnz = size.nnz;
  p.fingerprint = fingerprint;
  return idOf(linesOf(signatureFields().first(kIdentifyingFields), p));
}

std::string valuesId(const ValueFacts &facts) { return idOf(facts.text()); }

} // namespace specmv
