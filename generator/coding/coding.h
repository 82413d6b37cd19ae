// Codings: ways to store the values of a matrix. A format finds a slot for each entry. The coding
// of the plan (Plan::values) says which arrays have the values of the slots. Kernels read the
// values through the coding's view (templates/shared/operands.cuh).
#pragma once

#include "generator/fields.h"
#include "models/plan.h"
#include "models/problem.h"
#include "models/profile/value_facts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

struct Coding {
  const char *name; // as in a plan's text: "values=ones"
  // The template that defines the view, and the view's type in device code for values of a type;
  // "" and null if the view is a pointer to values.
  const char *header = "";
  std::string (*view)(const Plan &, ElementType stored) = nullptr;
  // The arrays or numbers that form the view of `slots` slots; together they are the field `val`.
  Fields (*fields)(const Plan &, ElementType stored, int64_t slots);

  // Plans of this format only; null: of all formats.
  const char *format = nullptr;
  // Says why a plan of that format cannot have the coding; "" if it can. Null if all can.
  std::string (*whyNotPlan)(const Plan &) = nullptr;
  // The type of the values without which the coding saves nothing; nullopt: any type.
  std::optional<ValueType> type = std::nullopt;
  // Tells whether values with these facts can be stored in this way, and says in a sentence why
  // not;
  // "" if they can. Each set-up asks the first for many plans, and a sentence takes as long to
  // write as a plan to price. Both are null if no facts are needed: all values can be stored, or
  // packing finds out.
  bool (*fits)(const ValueFacts &) = nullptr;
  std::string (*whyNot)(const ValueFacts &) = nullptr;
  // True if that depends on ValueFacts::constantAlongDiagonals.
  bool comparesDiagonals = false;

  // Tells packing what to do with each entry: kStoreValue or kStoreNothing (setup/sizes.cuh).
  int entryTask;
  // The name and type of an array with an element for each slot; null if there is none. Formats
  // pack plain values for it, of which encode.h makes the elements: the value in a shorter type, or
  // the number of the value in the table.
  const char *codes = nullptr;
  ElementType codeType = ElementType::u8;
  int slotsPerCode = 1; // 2: an element of the array has the numbers of two slots, of 4 bits each
  // If this is not 0, the codes number whole blocks of BCSR, as many different ones as this at
  // most. Packing finds them (store_blocks.h), since they depend on the shape of blocks. It fails
  // if there are more.
  int mostBlocks = 0;
  // The bits of the few values that follow from the facts; null if there are none. They become
  // numbers of the layout, or the array `table`, or both.
  std::vector<uint64_t> (*listed)(const Plan &, const ValueFacts &) = nullptr;
  const char *table = nullptr;
  const char *(*numberName)(size_t) = nullptr;

  // True if new values of the same matrix can always be stored in this way.
  bool survivesNewValues;
  const char *gist = ""; // a clause for messages: what the coding saves
};

// All codings, in the order of codings.def.
llvm::ArrayRef<const Coding *> codings();
// The coding of that name, "" for the plain one; nullptr if there is none.
const Coding *findCoding(const std::string &name);
// The coding of a plan that passed Format::check().
const Coding &codingOf(const Plan &plan);

// The values of a kernel's arguments: the arrays or numbers of the plan's coding.
Fields valueFields(const Plan &plan, const Problem &problem, int64_t slots);

// The bytes of so many values in the coding of that name, for offers that weigh what plans store. A
// coding of whole blocks counts as plain values, so that all shapes of blocks are weighed alike.
int64_t bytesOfValues(const std::string &coding, ValueType type, int64_t slots);

// "" if the plan can have the coding for values of this type, else why not.
std::string whyNotCoding(const Coding &coding, const Plan &plan, ValueType type);

// The coding that a plan gets for values with these facts, if nobody names one: the first in
// codings.def that can store them, but for the plain one; null if none can. The facts do not tell
// which blocks are equal, so it is no coding of whole blocks.
const Coding *codingThatFits(const Plan &plan, const ValueFacts &facts);

// The argument `diagonals` of valueFacts(): nullopt if the coding compares values along diagonals,
// else a number so large that none are compared.
std::optional<int64_t> diagonalsFor(const Coding &coding);

// True if facts about the matrix do not tell whether the coding can store its values in the order:
// the permuted matrix has other diagonals.
bool needsFactsInOrder(const Coding &coding, const std::string &order);

// Fails with Status::notApplicable if the coding cannot store values with these facts.
llvm::Error checkFacts(const Coding &coding, const ValueFacts &facts);

// Fails with Status::notApplicable if new values need not fit the coding of the plan.
llvm::Error checkNewValues(const Plan &plan);

#define SPECMV_CODING(constant) extern const Coding constant;
#include "generator/coding/codings.def"
#undef SPECMV_CODING

} // namespace specmv
