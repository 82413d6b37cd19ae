// The C locale for one thread and one scope.
#pragma once

#include <locale.h> // newlocale and uselocale are POSIX's, which <clocale> need not have

namespace specmv {

// While an object lives, this thread reads and writes decimal points, whatever locale the
// application has set: LLVM's numbers and JSON call strtod and snprintf. glibc allocates nothing
// for it. If there is no memory for it elsewhere, the locale stays.
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
  // Remembers the locale that this thread has outside of all such scopes; null outside of them.
  static locale_t &ofApplication() {
    static thread_local locale_t locale = nullptr;
    return locale;
  }

  locale_t own_, before_ = nullptr;
  bool isOutermost_ = false;
};

// The locale that the application has set, for the scope of a call of one of its functions.
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
