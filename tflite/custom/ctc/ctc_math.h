// Labels out of the output of a net that was trained with connectionist
// temporal classification (https://www.cs.toronto.edu/~graves/icml_2006.pdf).
#ifndef TFLITE_CUSTOM_CTC_CTC_MATH_H_
#define TFLITE_CUSTOM_CTC_CTC_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tflite::custom::ctc_ops {

// The logits of one example: a row of classes for each step.
template <typename T>
struct Logits {
  const T* first;
  int64_t steps;
  int64_t classes;
  int64_t stride;  // From one step to the next.

  const T* Step(int64_t step) const { return first + step * stride; }
};

// Takes the largest class of each step; calls emit(label) for each that is not
// blank, and of a run of the same only for the first where `merge_repeated`
// holds. Returns the sum of the largest logits, negated.
template <typename T, typename F>
T DecodeGreedily(const Logits<T>& logits, int64_t blank, bool merge_repeated,
                 const F& emit) {
  T sum = 0;
  int64_t previous = -1;
  for (int64_t step = 0; step < logits.steps; ++step) {
    const T* row = logits.Step(step);
    int64_t largest = 0;
    for (int64_t i = 1; i < logits.classes; ++i) {
      if (row[i] > row[largest]) largest = i;
    }
    sum -= row[largest];
    if (largest != blank && !(merge_repeated && largest == previous)) {
      emit(largest);
    }
    previous = largest;
  }
  return sum;
}

// The logarithm of the sum of two numbers, whose logarithms are given.
template <typename T>
T LogSum(T a, T b) {
  const T larger = std::max(a, b);
  if (larger == -std::numeric_limits<T>::infinity()) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// The search for the labels that are most probable over all ways to emit them,
// by prefixes of which the best `width` are kept from step to step. The last
// class is the blank.
template <typename T>
class BeamSearch {
 public:
  explicit BeamSearch(size_t width) : width_(width) {
    entries_.push_back({-1, -1, {}, {0, 0, kZero}});
    leaves_.push_back(0);
  }

  void Step(const T* row, int64_t classes) {
    const T largest = *std::max_element(row, row + classes);
    T sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(row[i] - largest);
    const T norm = largest + std::log(sum);

    const std::vector<int64_t> branches = Sorted();
    leaves_.clear();
    for (const int64_t index : branches) {
      entries_[index].old_score = entries_[index].score;
    }
    for (const int64_t index : branches) {
      Entry& entry = entries_[index];
      if (entry.parent >= 0) {
        const Entry& parent = entries_[entry.parent];
        if (parent.Active()) {
          entry.score.label =
              LogSum(entry.score.label, Before(parent, entry.label));
        }
        entry.score.label += row[entry.label] - norm;
      }
      entry.score.blank = entry.old_score.total + row[classes - 1] - norm;
      entry.score.total = LogSum(entry.score.blank, entry.score.label);
      Push(index);
    }
    for (const int64_t index : branches) {
      if (!IsCandidate(entries_[index].old_score.total)) continue;
      for (int64_t label = 0; label + 1 < classes; ++label) {
        const auto found = children_.find({index, label});
        const bool known = found != children_.end();
        if (known && entries_[found->second].Active()) continue;
        const T score = row[label] - norm + Before(entries_[index], label);
        if (!IsCandidate(score)) {
          // TensorFlow forgets what a leaf that is no more one was.
          if (known) entries_[found->second].old_score = {};
          continue;
        }
        if (leaves_.size() == width_) Drop();
        int64_t child = static_cast<int64_t>(entries_.size());
        if (known) {
          child = found->second;
        } else {
          children_[{index, label}] = child;
          entries_.push_back({index, label, {}, {}});
        }
        entries_[child].score = {score, kZero, score};
        Push(child);
      }
    }
  }

  size_t size() const { return leaves_.size(); }

  // The best prefixes, best first.
  std::vector<int64_t> Sorted() {
    std::sort_heap(leaves_.begin(), leaves_.end(), Order());
    const std::vector<int64_t> sorted = leaves_;
    std::make_heap(leaves_.begin(), leaves_.end(), Order());
    return sorted;
  }
  T LogProbability(int64_t index) const { return entries_[index].score.total; }
  std::vector<int64_t> Labels(int64_t index, bool merge_repeated) const {
    std::vector<int64_t> labels;
    int64_t previous = -1;
    for (; entries_[index].parent >= 0; index = entries_[index].parent) {
      const int64_t label = entries_[index].label;
      if (!merge_repeated || label != previous) labels.push_back(label);
      previous = label;
    }
    std::reverse(labels.begin(), labels.end());
    return labels;
  }

 private:
  static constexpr T kZero = -std::numeric_limits<T>::infinity();

  // Logarithms of probabilities: of all ways to emit the prefix, and of those
  // that end in a blank and in its last label.
  struct Score {
    T total = kZero, blank = kZero, label = kZero;
  };
  struct Entry {
    bool Active() const { return score.total != kZero; }
    int64_t parent;
    int64_t label;
    Score old_score;
    Score score;
  };
  struct Child {
    bool operator==(const Child& other) const {
      return parent == other.parent && label == other.label;
    }
    int64_t parent, label;
  };
  struct Hash {
    size_t operator()(const Child& child) const {
      return std::hash<int64_t>()(child.parent * 0x9E3779B9 + child.label);
    }
  };

  // Of the ways to emit a prefix those that another label can follow; the same
  // one only after a blank.
  static T Before(const Entry& prefix, int64_t label) {
    return prefix.label == label ? prefix.old_score.blank
                                 : prefix.old_score.total;
  }
  auto Order() const {
    return [this](int64_t a, int64_t b) {
      return entries_[a].score.total > entries_[b].score.total;
    };
  }
  bool IsCandidate(T total) const {
    return total > kZero && (leaves_.size() < width_ ||
                             total > entries_[leaves_.front()].score.total);
  }
  void Push(int64_t index) {
    leaves_.push_back(index);
    std::push_heap(leaves_.begin(), leaves_.end(), Order());
  }
  // Takes the worst leaf off.
  void Drop() {
    std::pop_heap(leaves_.begin(), leaves_.end(), Order());
    entries_[leaves_.back()].score = {};
    leaves_.pop_back();
  }

  size_t width_;
  std::vector<Entry> entries_;  // The empty prefix first.
  std::unordered_map<Child, int64_t, Hash> children_;
  std::vector<int64_t> leaves_;  // A heap, the worst on top.
};

}  // namespace tflite::custom::ctc_ops

#endif  // TFLITE_CUSTOM_CTC_CTC_MATH_H_
