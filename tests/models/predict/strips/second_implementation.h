// The formulas of strips (Guo and Wang 2012) and statistics (Wang, Gu and Li 2017) implemented a
// second time, slowly and plainly, in long double: tests compare models/predict/strips/ with them.
// Written from the papers, not from that code.
//
// The points that the papers leave open, and the choices made here. "Given" was fixed beforehand
// for both implementations, so their agreement does not confirm it; the other readings were made
// here.
//  1. A line is fitted by ordinary least squares, each point or slope with weight one (given).
//  2. A line through fewer than two distinct abscissae is NaN, as is all that is made from it.
//  3. ELL's slope over I is a line, as statistics 3.2.2 has it; strips only plots it (given).
//  4. A number of strips with fewer than two P_NZ gives no slope (given).
//  5. e(I) is a line through the measured times at P_NZ = x1 (given).
//  6. The fixed I, P_NZ and x1 are the caller's; P_NZ is the nominal value, not a drawn mean.
//  7. t1 is of the matrix that both lines have in common (given); of several times the mean.
//  8. Points at P_NZ = 1024 are of both regimes, a target there of the first (given).
//  9. A fixed P_NZ outside of its regime has no points, hence NaN.
// 10. The mode of a tie is the smallest (given). Empty rows count; without rows it is 0.
// 11. COO has no P_NZ: 0.
// 12. S of ELL is by warps x 32 in strips, by threads in statistics, as printed.
// 13. I is rounded up from the exact quotient; no rows (COO: entries) are 0 strips.
// 14. A COO point's strips are those of entries (given).
// 15. g(Y) = e(Y) - f(Y) Y as printed is of strips' ELL, and so of HYB's, alone (given).
// 16. HYB's K: as many rows as the larger of 4096 and N/3 reach it (given), N/3 exact.
// 17. HYB's ELL part has all rows, its COO part the entries beyond K; a part without entries takes
//     0, not its line's intercept (given).
// 18. In statistics a target's P_NZ is the longest row and a benchmark's the mean, as printed.
// 19. Nothing is clamped: a line may go below 0.
// 20. ELL, CSR-S and JAD have one regime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace paper {

struct Point {
  double strips; // I
  double perRow; // P_NZ
  double us;     // T
};

struct Gpu {
  long sms, warpsPerSm, threadsPerSm;
};

enum class Kernel { stripsCsr, stripsEll, stripsCoo, statCsrV, statCsrS, statEll, statJad };
enum class Reading { asPrinted, corrected, unrounded };

// --- A straight line (neither paper names the method: choices 1 and 2) ---

struct Line {
  long double slope = std::numeric_limits<long double>::quiet_NaN();
  long double intercept = std::numeric_limits<long double>::quiet_NaN();
  long double at(long double x) const { return slope * x + intercept; }
};

using Pairs = std::vector<std::pair<long double, long double>>; // abscissa, ordinate

inline bool hasTwoAbscissae(const Pairs &pairs) {
  std::set<long double> distinct;
  for (const auto &pair : pairs)
    distinct.insert(pair.first);
  return distinct.size() >= 2;
}

// Normal equations about the mean: slope = sum (x - mx)(y - my) / sum (x - mx)^2, intercept = my -
// slope mx.
inline Line fitLine(const Pairs &pairs) {
  Line line;
  if (!hasTwoAbscissae(pairs))
    return line;
  const long double count = static_cast<long double>(pairs.size());
  long double meanX = 0, meanY = 0;
  for (const auto &[x, y] : pairs) {
    meanX += x;
    meanY += y;
  }
  meanX /= count;
  meanY /= count;
  long double xx = 0, xy = 0;
  for (const auto &[x, y] : pairs) {
    xx += (x - meanX) * (x - meanX);
    xy += (x - meanX) * (y - meanY);
  }
  line.slope = xy / xx;
  line.intercept = meanY - line.slope * meanX;
  return line;
}

// --- The size of a strip: [strips] III-B, [statistics] 3.1, equations (1) to (3) ---

inline long stripSize(Kernel kernel, const Gpu &gpu) {
  const long threadsPerWarp = 32; // [strips] Table II
  switch (kernel) {
  case Kernel::stripsCsr:
    return gpu.sms * gpu.warpsPerSm; // III-B1: one warp per row
  case Kernel::stripsEll:
    return gpu.sms * gpu.warpsPerSm * threadsPerWarp; // III-B2: one thread per row
  case Kernel::statCsrV:
    return gpu.sms * (gpu.warpsPerSm * 2); // (1): half-warps
  case Kernel::stripsCoo:                  // III-B3: one thread per entry
  case Kernel::statCsrS:                   // (2)
  case Kernel::statEll:                    // (3)
  case Kernel::statJad:                    // (3)
    return gpu.sms * gpu.threadsPerSm;
  }
  return 0;
}

// --- The target matrix: [strips] III-E, [statistics] 3.1, equation (6) and the paragraph after it
// ---

inline double stripsOf(Kernel kernel, const Gpu &gpu, long rows, long nnz, Reading reading) {
  const long n = kernel == Kernel::stripsCoo ? nnz : rows;
  const long s = stripSize(kernel, gpu);
  if (reading == Reading::unrounded)
    return static_cast<double>(static_cast<long double>(n) / static_cast<long double>(s));
  const long ceiling = n / s + (n % s != 0 ? 1 : 0);
  return static_cast<double>(ceiling);
}

inline long perRowOf(Kernel kernel, const std::vector<long> &rowLengths) {
  if (kernel == Kernel::stripsCoo || rowLengths.empty())
    return 0;
  if (kernel != Kernel::stripsCsr && kernel != Kernel::statCsrV) // the maximum
    return *std::max_element(rowLengths.begin(), rowLengths.end());
  std::map<long, long> timesSeen; // the mode, lengths in ascending order
  for (const long length : rowLengths)
    ++timesSeen[length];
  long mode = 0, most = 0;
  for (const auto &[length, times] : timesSeen) {
    if (times > most) { // strictly: of equals the first, the smallest, stays
      most = times;
      mode = length;
    }
  }
  return mode;
}

// --- The ratio form: [strips] III-F1 (CSR), [statistics] 3.2.1 (CSR-V) ---

inline double ratioTime(const std::vector<Point> &points, double fixedStrips,
                        double fixedPerRowShort, double fixedPerRowLong, double perRow,
                        double strips) {
  const double threshold = 1024;
  const bool isShort = perRow <= threshold;
  const double fixedPerRow = isShort ? fixedPerRowShort : fixedPerRowLong;

  Pairs overPerRow; // Relationship-1, T = A x + B
  Pairs overStrips; // Relationship-2, T' = C y + D
  long double sumOfCommon = 0;
  long double countOfCommon = 0;
  for (const Point &point : points) {
    const bool inRegime = isShort ? point.perRow <= threshold : point.perRow >= threshold;
    if (!inRegime)
      continue;
    if (point.strips == fixedStrips)
      overPerRow.emplace_back(point.perRow, point.us);
    if (point.perRow == fixedPerRow)
      overStrips.emplace_back(point.strips, point.us);
    if (point.strips == fixedStrips && point.perRow == fixedPerRow) {
      sumOfCommon += point.us;
      countOfCommon += 1;
    }
  }
  if (!(countOfCommon > 0))
    return std::numeric_limits<double>::quiet_NaN();

  const long double t0 = fitLine(overPerRow).at(perRow); // Step 2, first item
  const long double t1 = sumOfCommon / countOfCommon;    // the measured time of the matrix M
  const long double t2 = fitLine(overStrips).at(strips); // Step 2, second item
  return static_cast<double>((t0 / t1) *
                             t2); // Step 2, third item; [statistics] T_0 = T(P_0) / t_0 x E(I_0)
}

// --- The plane form: [strips] III-F2 (ELL), [statistics] 3.2.2 (CSR-S) and 3.2.3 (ELL, JAD) ---

inline double planeTime(const std::vector<Point> &points, double x1, double perRow, double strips,
                        Kernel kernel, Reading reading) {
  // Relationship-1 at each number of strips: T = f(y1) x + g(y1)
  std::map<double, Pairs> byStrips;
  for (const Point &point : points)
    byStrips[point.strips].emplace_back(point.perRow, point.us);

  // Relationship-2: the slopes f over the number of strips, f(I) = A I + B
  Pairs slopes;
  for (const auto &[someStrips, pairs] : byStrips)
    if (hasTwoAbscissae(pairs))
      slopes.emplace_back(someStrips, fitLine(pairs).slope);
  const Line f = fitLine(slopes);

  // Relationship-3: e(y) = f(y) x1 + g(y), fitted to the times at P_NZ = x1
  Pairs atX1;
  for (const Point &point : points)
    if (point.perRow == x1)
      atX1.emplace_back(point.strips, point.us);
  const Line e = fitLine(atX1);

  // Step 2
  const long double y = strips;
  const bool wrongFactor = kernel == Kernel::stripsEll && reading == Reading::asPrinted;
  const long double factor = wrongFactor ? y : static_cast<long double>(x1);
  const long double g = e.at(y) - f.at(y) * factor;
  return static_cast<double>(f.at(y) * perRow + g);
}

// --- COO: [strips] III-F3 ---

inline double lineTime(const std::vector<Point> &points, double strips) {
  Pairs overStrips;
  for (const Point &point : points)
    overStrips.emplace_back(point.strips, point.us);
  return static_cast<double>(fitLine(overStrips).at(strips));
}

// --- HYB: [strips] III-F4 ---

inline long hybThreshold(const std::vector<long> &rowLengths) {
  const long n = static_cast<long>(rowLengths.size());
  std::map<long, long> timesSeen;
  for (const long length : rowLengths)
    ++timesSeen[length];
  // Only a length that occurs can be the largest K: between two such lengths, the number of rows
  // that reach K is constant.
  long longEnough = 0;
  for (auto it = timesSeen.rbegin(); it != timesSeen.rend() && it->first > 0;
       ++it) { // from the longest
    longEnough += it->second;
    if (longEnough >= 4096 && longEnough * 3 >= n)
      return it->first;
  }
  return 0;
}

inline double hybTime(const std::vector<Point> &ell, double x1, const std::vector<Point> &coo,
                      const Gpu &gpu, const std::vector<long> &rowLengths, Reading reading) {
  const long rows = static_cast<long>(rowLengths.size());
  const long width = hybThreshold(rowLengths);
  long beyond = 0;
  for (const long length : rowLengths)
    beyond += std::max(0L, length - width);

  long double time = 0;
  if (width > 0) {
    const double strips = stripsOf(Kernel::stripsEll, gpu, rows, rows * width, reading);
    time += planeTime(ell, x1, static_cast<double>(width), strips, Kernel::stripsEll, reading);
  }
  if (beyond > 0)
    time += lineTime(coo, stripsOf(Kernel::stripsCoo, gpu, rows, beyond, reading));
  return static_cast<double>(time);
}

} // namespace paper
