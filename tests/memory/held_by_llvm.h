// A failed call may keep so much memory.
#pragma once

// The number of objects held by LLVM functions through which an exception passed, which cannot free
// them (models/base/memory.h): lists and texts of a message, never a matrix or a plan.
constexpr long kHeldByLlvm = 6;
