// Makes stored bytes, arrays and arguments from a table of fields.
#include "generator/fields.h"

#include "generator/fusion/step.h"
#include "models/base/memory.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace specmv {

static Field argument(const char *name, Binding binding, ElementType type, int64_t count = 0,
                      const char *stored = "") {
  return {Field::Kind::argument, {name, binding, type, stored}, count};
}

Field array(const char *name, ElementType type, int64_t count, const char *stored) {
  return argument(name, Binding::array, type, count, stored);
}
Field scratch(const char *name, ElementType type, int64_t count) {
  return argument(name, Binding::scratch, type, count);
}
Field number(const char *name, ElementType type, int64_t value, const char *stored) {
  return argument(name, Binding::integer, type, value, stored);
}
Field hostArray(const char *name, ElementType type, int64_t count) {
  return {Field::Kind::hostArray, {name, Binding::array, type}, count};
}
Field ifGeneral(bool isGeneral, Field field) {
  if (!isGeneral)
    field.kind = Field::Kind::unused;
  return field;
}

Field pointerIf(bool isUsed, Field field) {
  if (!isUsed)
    field.kind = Field::Kind::null;
  return field;
}

static Field ofVectors(const char *name, Binding binding, const Problem &problem) {
  return argument(name, binding, elementOf(vectorTypeOf(problem)));
}

Field fieldOfX(const Problem &problem) { return ofVectors("x", Binding::x, problem); }

Fields addedVectors(const Problem &problem) {
  return {fieldOfX(problem), ofVectors("y", Binding::y, problem),
          ofVectors("alpha", Binding::alpha, problem)};
}

Fields vectors(const Problem &problem) {
  if (problem.fusion)
    return fusedVectors(problem);
  Fields out = addedVectors(problem);
  out.push_back(ofVectors("beta", Binding::beta, problem));
  if (problem.resultIsApart) {
    out.push_back(ofVectors("added", Binding::added, problem));
    out.back().argument.field = "y";
  }
  if (problem.resultIsPlaced) {
    out.push_back(array("rowAt", ElementType::i32, 0, kOrderRowAt));
    out.back().argument.field = "y";
  }
  return out;
}

Fields joined(std::initializer_list<Fields> lists) {
  Fields out;
  size_t count = 0;
  for (const Fields &list : lists)
    count += list.size();
  out.reserve(count);
  for (const Fields &list : lists)
    out.append(list.begin(), list.end());
  return out;
}

static bool isStored(const Field &field) {
  return field.argument.binding == Binding::array && field.kind != Field::Kind::unused;
}

static bool haveOneName(const Argument &a, const Argument &b) {
  const char *ofA = *a.source ? a.source : a.name, *ofB = *b.source ? b.source : b.name;
  return *ofA == *ofB && std::strcmp(ofA, ofB) == 0;
}

// Of several fields with one name in the layout, the one that counts: the longest, and among
// equally long ones the first.
static bool isLongest(const Fields &fields, const Field &field) {
  for (const Field &other : fields)
    if (other.argument.binding == field.argument.binding &&
        (other.count > field.count || (other.count == field.count && &other < &field)) &&
        haveOneName(other.argument, field.argument))
      return false;
  return true;
}

int64_t storedBytesOf(const Fields &fields) {
  const bool shareNames =
      std::any_of(fields.begin(), fields.end(), [](const Field &f) { return *f.argument.source; });
  int64_t sum = 0;
  for (const Field &field : fields)
    if (isStored(field) && (!shareNames || isLongest(fields, field)))
      sum += field.count * static_cast<int64_t>(sizeOf(field.argument.type));
  return sum;
}

static void addField(Layout &layout, const Field &field) {
  const Argument &a = field.argument;
  if (a.binding == Binding::integer)
    layout.integers.emplace_back(a.layoutName(), field.count);
  else if (a.binding == Binding::scratch)
    layout.addScratch(a.layoutName(), a.type, field.count);
  else if (a.binding == Binding::array) {
    layout.add(a.layoutName(), a.type, field.count);
    layout.arrays.back().isSpare = field.kind == Field::Kind::unused;
    layout.arrays.back().staysOnHost = field.kind == Field::Kind::hostArray;
  }
}

// Looks at the memory before it is allocated: Linux hands out more than there is, and ends the
// process when it is used.
static void wantMemory(const Fields &fields) {
  int64_t bytes = 0, more = 0;
  for (const Field &field : fields)
    if ((field.argument.binding == Binding::array || field.argument.binding == Binding::scratch) &&
        isLongest(fields, field))
      if (__builtin_mul_overflow(field.count, int64_t(sizeOf(field.argument.type)), &more) ||
          __builtin_add_overflow(bytes, more, &bytes))
        throw TooLargeForHost(std::numeric_limits<int64_t>::max());
  if (!memoryHolds(bytes))
    throw TooLargeForHost(bytes);
}

void addFields(Layout &layout, const Fields &fields) {
  if (layout.isOnHost)
    wantMemory(fields);
  for (const Field &field : fields)
    if (isLongest(fields, field))
      addField(layout, field);
}

std::vector<Argument> argumentsOf(const Fields &fields) {
  std::vector<Argument> out;
  for (const Field &field : fields)
    if (field.kind == Field::Kind::argument || field.kind == Field::Kind::null)
      out.push_back(field.argument);
  return out;
}

} // namespace specmv
