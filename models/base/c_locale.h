// The C locale for one thread and one scope.
#pragma once

#include <locale.h> // newlocale and uselocale are POSIX's, which <clocale> need not have

namespace specmv {

// What calls strtod or snprintf in another library (LLVM's JSON) reads and writes decimal points,
// whatever locale the application has set. Where there is no memory for it, the locale stays.
class CLocale {
public:
  CLocale() : own_(newlocale(LC_ALL_MASK, "C", nullptr)) {
    if (own_)
      before_ = uselocale(own_);
  }
  CLocale(const CLocale &) = delete;
  CLocale &operator=(const CLocale &) = delete;
  ~CLocale() {
    if (!own_)
      return;
    uselocale(before_);
    freelocale(own_);
  }

private:
  locale_t own_, before_ = nullptr;
};

} // namespace specmv
