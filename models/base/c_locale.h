// The C locale for one thread and one scope.
#pragma once

#include <locale.h> // newlocale and uselocale are POSIX's, which <clocale> need not have

namespace specmv {

// While an object lives, libraries that call strtod or snprintf (LLVM's JSON) read and write
// decimal points, whatever locale the application has set. If there is no memory for it, the locale
// stays.
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
