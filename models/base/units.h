// Numbers with units for people: one decimal, two below ten, in the unit in which the number is
// below 1000. Numbers for further computation are written exactly, by decimalText().
#pragma once

#include <cstdint>
#include <string>

namespace specmv {

std::string shortTime(double us);                 // "4.1 us", "17.6 ms", "2.5 s"
std::string shortBytes(double bytes);             // "812 bytes", "1.7 MB"; 1 MB is 10^6 bytes
std::string shortRate(double gigabytesPerSecond); // "412.3 GB/s", "6.2 TB/s"
std::string counted(uint64_t count, const std::string &one, const std::string &more); // "1 entry"

} // namespace specmv
