// Chains steps that may fail, so that a sequence of steps reads as a list.
#pragma once

#include "llvm/Support/Error.h"

#include <type_traits>
#include <utility>

namespace specmv {

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
