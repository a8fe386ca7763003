#pragma once
// Evaluates the expressions of a user's pattern: warp by warp, or once for all launches with the same number of
// accesses.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/pattern/expression_evaluator.hpp"
#include "probes/user/pattern/user_pattern.hpp"

namespace gpumem::global {

/// The elements that the lanes of one warp access.
struct WarpElements {
  const pattern::WarpValues& element;  ///< of active lanes; until the next warp is evaluated
  std::uint32_t active = 0;
};

/// Evaluates both expressions. May be used by one thread at a time.
class PatternEvaluator {
 public:
  PatternEvaluator(const UserPattern& pattern, std::int64_t n);

  /// Returns the elements of the accesses `at`. Lanes that do not take part become inactive in `at`.
  [[nodiscard]] WarpElements operator()(pattern::WarpAccesses& at);

 private:
  /// Throws a usage error if the element of an active lane is negative.
  void refuse_negative(const pattern::WarpAccesses& at, const pattern::WarpValues& element) const;

  std::string option_;
  std::string text_;
  pattern::Evaluator element_;
  std::optional<pattern::Evaluator> active_;
};

/// A pool of evaluators. They are expensive to make and cannot be shared between threads.
class EvaluatorPool {
 public:
  EvaluatorPool(UserPattern pattern, std::int64_t n) : pattern_(std::move(pattern)), n_(n) {}

  template <class Use>
  void with_one(const Use& use) {
    std::unique_ptr<PatternEvaluator> evaluator = take();
    use(*evaluator);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(evaluator));
  }

 private:
  std::unique_ptr<PatternEvaluator> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto evaluator = std::move(idle_.back());
        idle_.pop_back();
        return evaluator;
      }
    }
    return std::make_unique<PatternEvaluator>(pattern_, n_);
  }

  UserPattern pattern_;
  std::int64_t n_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PatternEvaluator>> idle_;
};

/// Evaluates both expressions of a pattern for launches with `n` accesses. Once `n` accesses were asked for, all are
/// evaluated and kept, unless there are too many.
class Evaluation {
 public:
  Evaluation(UserPattern pattern, std::uint64_t n) : n_(n), pool_(std::move(pattern), static_cast<std::int64_t>(n)) {}

  /// Fills in requests like FillRequests.
  void fill(const Launch& launch, std::uint64_t first, std::span<access::WarpRequest> requests);

 private:
  static constexpr std::uint64_t most_listed = std::uint64_t{1} << 24U;
  static constexpr std::uint32_t inactive = ~std::uint32_t{0};

  [[nodiscard]] bool is_listed(std::uint64_t accesses);
  void make_list();
  /// Writes accesses [first, end) to the list. Returns false if an element does not fit into it.
  static bool evaluate_into(PatternEvaluator& evaluate, std::vector<std::uint32_t>& list, std::uint64_t first,
                            std::uint64_t end);
  void fill_from_list(const Launch& launch, std::uint64_t first, std::span<access::WarpRequest> requests) const;

  std::uint64_t n_;
  EvaluatorPool pool_;
  std::atomic<std::uint64_t> evaluated_ = 0;  ///< accesses asked for
  std::once_flag once_;
  std::vector<std::uint32_t> list_;  ///< the element of each access, or `inactive`
};

}  // namespace gpumem::global
