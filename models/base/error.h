// The one error type of the library, and chains of steps that may fail.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>
#include <type_traits>
#include <utility>

namespace specmv {

// --- Error ---------------------------------------------------------------------------------------

// The one error type of the library: a status for the calling code and a sentence for people.

// The kinds of errors that calling code must distinguish. The tool maps them to its exit status,
// the C API to specmvStatus_t.
enum class Status {
  badInput,      // a file, matrix or value is wrong; the sentence names the number at fault
  badCall,       // the request itself is not valid (unknown format, missing argument)
  notApplicable, // the plan or format does not fit this matrix
  missing,       // the machine lacks what was asked for, and none of the next six says what
  noGpu,         // there is no usable GPU, or none of this number
  gpuMemory,     // the memory of the GPU is full
  overMaxBytes,  // no plan stores as little as the request allows
  noNvrtc,       // NVRTC is not found or cannot be used
  notInPacks,    // only packs are allowed, and none has the kernel
  internal,      // a bug in this library
  hostMemory,    // `missing`: the memory of the host does not suffice
};

// Returns true if the machine lacks something: for `missing` and the six kinds of it.
bool isMissing(Status status);

class SpecmvError : public llvm::ErrorInfo<SpecmvError> {
public:
  static char ID;
  SpecmvError(Status status, std::string sentence)
      : status_(status), sentence_(std::move(sentence)) {}
  Status status() const { return status_; }
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override;

private:
  Status status_;
  std::string sentence_;
};

llvm::Error failWith(Status status, std::string sentence);

// Makes an error from a formatv sentence: lower case, no full stop, with the actual numbers.
template <class... Args> llvm::Error fail(Status status, const char *format, Args &&...args) {
  return failWith(status, llvm::formatv(format, std::forward<Args>(args)...).str());
}

// Consumes an error and returns its status and sentence. An error of another class is `internal`.
std::pair<Status, std::string> describe(llvm::Error error);

// --- In turn -------------------------------------------------------------------------------------

// Chains steps that may fail, so that a sequence of steps reads as a list.

// Runs the steps in their order until one fails, and returns its error.
template <class... Steps> llvm::Error inTurn(Steps &&...steps) {
  llvm::Error error = llvm::Error::success();
  (void)(!error && ... && !(error = steps()));
  return error;
}

// The result type of andThen(): an Expected or an Error.
template <class T> struct Failable { using Type = llvm::Expected<T>; };
template <class T> struct Failable<llvm::Expected<T>> { using Type = llvm::Expected<T>; };
template <> struct Failable<llvm::Error> { using Type = llvm::Error; };

// Returns what `use` makes of the value, or the error if there is none.
template <class T, class Use>
auto andThen(llvm::Expected<T> from, Use &&use) ->
    typename Failable<std::invoke_result_t<Use, T>>::Type {
  if (!from)
    return from.takeError();
  return use(std::move(*from));
}

} // namespace specmv
