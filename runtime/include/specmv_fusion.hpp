// Fused steps of plans for specmv.hpp, which says what all classes have in common.
#ifndef SPECMV_FUSION_HPP
#define SPECMV_FUSION_HPP

#include "specmv_plans.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace specmv {

// A step of a plan whose vectors are of V, such as
//
//   auto step = specmv::FusedStep<double>::create(plan, SPECMV_FUSED_CG_UPDATE);
//   if (!step) return step.error().detail;
//   step->run({r, z, q, d}, {}, {rz, pq, rzNew, rr}, stream);
//
// Destroy it before its plan, as a variable that is declared after the plan is.
template <Value V> class FusedStep {
public:
  template <Value T>
  static Result<FusedStep> create(const Plan<T, V> &plan, const specmvFusion_t &fusion) {
    specmvFused_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateFused(&made, plan.get(), &fusion))
      return detail::lastError(status);
    return FusedStep(made, fusion);
  }
  // Puts the step on the stream: an address in GPU memory for each of the fusion's `vectors`, a
  // number for each of its `scalars`, and an address in GPU memory for each of its `gpuScalars` and
  // then of its `sums`. What the step does not write may be const.
  Result<void> run(std::span<const V *const> vectors, std::span<const V> scalars,
                   std::span<const V *const> onGpu, void *stream) {
    if (vectors.size() != vectors_ || scalars.size() != scalars_ || onGpu.size() != onGpu_)
      return detail::invalid(counted(vectors.size(), scalars.size(), onGpu.size(), " were given") +
                             "; the step needs " + counted(vectors_, scalars_, onGpu_, ""));
    Pointers ofVectors{}, ofNumbers{};
    for (size_t k = 0; k < vectors.size(); ++k)
      ofVectors[k] = const_cast<V *>(vectors[k]);
    for (size_t k = 0; k < scalars.size(); ++k)
      ofNumbers[k] = const_cast<V *>(&scalars[k]);
    for (size_t k = 0; k < onGpu.size(); ++k)
      ofNumbers[scalars.size() + k] = const_cast<V *>(onGpu[k]);
    return detail::resultOf(
        specmvExecuteFused(handle_.get(), ofVectors.data(), ofNumbers.data(), stream));
  }
  // Takes lists in braces.
  Result<void> run(std::initializer_list<const V *> vectors, std::initializer_list<V> scalars,
                   std::initializer_list<const V *> onGpu, void *stream) {
    return run(std::span<const V *const>(vectors.begin(), vectors.size()),
               std::span<const V>(scalars.begin(), scalars.size()),
               std::span<const V *const>(onGpu.begin(), onGpu.size()), stream);
  }
  specmvFused_t get() const { return handle_.get(); }

private:
  using Pointers = std::array<void *, 12>; // 8 scalars and 4 sums, or 8 vectors
  // The number of names in a list of a step that was made, so that they are right.
  static size_t namesIn(const char *list) {
    const std::string_view names = list ? list : "";
    return names.empty() ? 0 : 1 + static_cast<size_t>(std::ranges::count(names, ','));
  }
  static std::string counted(size_t vectors, size_t scalars, size_t onGpu, const char *verb) {
    return std::to_string(vectors) + " vectors, " + std::to_string(scalars) + " scalars and " +
           std::to_string(onGpu) + " scalars or sums on the GPU" + verb;
  }
  FusedStep(specmvFused_t made, const specmvFusion_t &fusion)
      : handle_(made), vectors_(namesIn(fusion.vectors)), scalars_(namesIn(fusion.scalars)),
        onGpu_(namesIn(fusion.gpuScalars) + namesIn(fusion.sums)) {}
  std::unique_ptr<std::remove_pointer_t<specmvFused_t>, detail::Destroy<specmvDestroyFused>>
      handle_;
  size_t vectors_, scalars_, onGpu_;
};

} // namespace specmv

#endif
