// Sets the age of files for a test.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

inline void setAge(const std::string &path, std::chrono::seconds age) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}
