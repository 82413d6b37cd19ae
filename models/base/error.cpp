// Implements the one error type of the library: a status and a sentence.
#include "models/base/error.h"

namespace specmv {

bool isMissing(Status status) {
  switch (status) {
  case Status::missing:
  case Status::noGpu:
  case Status::hostMemory:
  case Status::gpuMemory:
  case Status::overMaxBytes:
  case Status::noNvrtc:
  case Status::notInPacks:
    return true;
  case Status::badInput:
  case Status::badCall:
  case Status::notApplicable:
  case Status::internal:
    break;
  }
  return false;
}

char SpecmvError::ID = 0;

void SpecmvError::log(llvm::raw_ostream &out) const { out << sentence_; }

std::error_code SpecmvError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

llvm::Error failWith(Status status, std::string sentence) {
  return llvm::make_error<SpecmvError>(status, std::move(sentence));
}

std::pair<Status, std::string> describe(llvm::Error error) {
  std::pair<Status, std::string> result{Status::internal, ""};
  llvm::handleAllErrors(
      std::move(error),
      [&](const SpecmvError &ours) {
        result = {ours.status(), ours.message()};
      },
      [&](const llvm::ErrorInfoBase &other) { result.second = other.message(); });
  return result;
}

} // namespace specmv
