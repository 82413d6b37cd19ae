// The C locale for one thread and one scope.
#pragma once

#include <locale.h> // newlocale and uselocale are POSIX's, which <clocale> need not have

namespace specmv {

// While an object of this class lives, this thread reads and writes decimal points, whatever locale
// the application has set. LLVM needs this, since its numbers and JSON call strtod and snprintf.
// glibc allocates no memory for this. If another C library has no memory for the locale, the
// application's locale stays.
class CLocale {
public:
  CLocale() : own_(newlocale(LC_ALL_MASK, "C", nullptr)) {
    if (!own_)
      return;
    before_ = uselocale(own_);
    isOutermost_ = !ofApplication();
    if (isOutermost_)
      ofApplication() = before_;
  }
  CLocale(const CLocale &) = delete;
  CLocale &operator=(const CLocale &) = delete;
  ~CLocale() {
    if (!own_)
      return;
    if (isOutermost_)
      ofApplication() = nullptr;
    uselocale(before_);
    freelocale(own_);
  }

private:
  friend class ApplicationsLocale;
  // The locale that this thread had before its outermost CLocale; null while there is none.
  static locale_t &ofApplication() {
    static thread_local locale_t locale = nullptr;
    return locale;
  }

  locale_t own_, before_ = nullptr;
  bool isOutermost_ = false;
};

// Restores the application's locale while the library calls one of the application's functions.
class ApplicationsLocale {
public:
  ApplicationsLocale() {
    if (const locale_t theirs = CLocale::ofApplication())
      before_ = uselocale(theirs);
  }
  ApplicationsLocale(const ApplicationsLocale &) = delete;
  ApplicationsLocale &operator=(const ApplicationsLocale &) = delete;
  ~ApplicationsLocale() {
    if (before_)
      uselocale(before_);
  }

private:
  locale_t before_ = nullptr;
};

} // namespace specmv
