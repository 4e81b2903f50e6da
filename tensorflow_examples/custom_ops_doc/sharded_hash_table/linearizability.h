// Checks a history of calls on one key of a map for linearizability: whether
// there is one order of the calls that explains every result and agrees with
// the order in which calls ended before others began.

#ifndef TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_LINEARIZABILITY_H_
#define TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_LINEARIZABILITY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace custom_op_examples {

struct Call {
  enum Kind { kInsert, kAccumulate, kRemove, kFind };
  Kind kind;
  int64_t argument;  // What kInsert sets and kAccumulate adds.
  // What kFind found, and what the sum of kAccumulate is. For kRemove, any
  // value if there was one.
  std::optional<int64_t> result;
  // Numbers that grow with time, each only once.
  int64_t begin;
  int64_t end;
};

// The value of a key; none if the map does not have it.
using KeyState = std::optional<int64_t>;

// Does a call to `state`. Returns false if its result would be another.
inline bool Apply(const Call& call, KeyState* state) {
  switch (call.kind) {
    case Call::kInsert:
      *state = call.argument;
      return true;
    case Call::kAccumulate:
      *state = state->value_or(0) + call.argument;
      return *state == call.result;
    case Call::kRemove: {
      const bool removed = state->has_value();
      state->reset();
      return removed == call.result.has_value();
    }
    case Call::kFind:
      return *state == call.result;
  }
  return false;
}

// Goes through the beginnings and ends of calls in time, and keeps every
// possible past: the state, and which of the calls under way have had their
// effect. A call may have it at any time before its end, so it is enough to
// try, at the end of each call, the orders in which those under way can have
// had theirs; that call must be among them. There are few pasts at a time, as
// each thread has one call under way.
inline bool IsLinearizable(const std::vector<Call>& calls,
                           KeyState initial = std::nullopt) {
  struct Event {
    int64_t time;
    size_t call;
    bool is_end;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < calls.size(); ++i) {
    events.push_back({calls[i].begin, i, false});
    events.push_back({calls[i].end, i, true});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.time < b.time; });

  // The state, and the calls under way that have had their effect.
  using Past = std::pair<KeyState, std::set<size_t>>;
  std::set<Past> pasts = {{initial, {}}};
  std::set<size_t> under_way;
  for (const Event& event : events) {
    if (!event.is_end) {
      under_way.insert(event.call);
      continue;
    }
    std::set<Past> after;
    std::set<Past> seen = pasts;
    std::vector<Past> to_do(pasts.begin(), pasts.end());
    while (!to_do.empty()) {
      Past past = std::move(to_do.back());
      to_do.pop_back();
      if (past.second.count(event.call)) {
        past.second.erase(event.call);
        after.insert(std::move(past));
        continue;
      }
      for (const size_t call : under_way) {
        if (past.second.count(call)) continue;
        Past next = past;
        if (!Apply(calls[call], &next.first)) continue;
        next.second.insert(call);
        if (seen.insert(next).second) to_do.push_back(std::move(next));
      }
    }
    under_way.erase(event.call);
    pasts = std::move(after);
    if (pasts.empty()) return false;
  }
  return true;
}

}  // namespace custom_op_examples

#endif  // TENSORFLOW_EXAMPLES_CUSTOM_OPS_DOC_SHARDED_HASH_TABLE_LINEARIZABILITY_H_
