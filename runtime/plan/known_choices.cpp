// Holds the choices that this process knows.
#include "runtime/plan/known_choices.h"

#include "models/base/lasting.h"
#include "runtime/plan/recall.h"

namespace specmv {

ChoicesInMemory &inMemory() {
  static Lasting<ChoicesInMemory> choices;
  return *choices;
}

void forgetChoices() { inMemory().clear(); }

} // namespace specmv
