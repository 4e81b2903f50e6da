#include "tflite/custom/benchmark/plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tflite/custom/benchmark/canvas.h"
#include "tflite/custom/benchmark/latencies.h"
#include "tflite/custom/benchmark/op_profiler.h"
#include "tflite/custom/benchmark/report.h"

namespace tflite::custom::benchmark {
namespace {

enum : uint8_t { kPaper, kInk, kGrid, kFirst, kSecond, kMark };

std::vector<Color> Palette() {
  return {{255, 255, 255}, {30, 30, 30},   {222, 222, 222},
          {66, 120, 190},  {226, 128, 40}, {190, 40, 60}};
}

constexpr int kWidth = 1200;
constexpr int kMargin = 30;
constexpr int kLeft = 110;
constexpr int kChartTop = 130;
constexpr int kChartHeight = 360;
constexpr int kChartWidth = kWidth - kLeft - kMargin;
constexpr int kAxisSpace = 70;
constexpr int kBins = kChartWidth / 10;
constexpr int kBarHeight = 26;
constexpr int kOpLabelWidth = 480;
constexpr size_t kMostOps = 24;
// A few slow runs would squeeze all others into one bin.
constexpr double kShownPercent = 99;

std::string Number(double value) {
  std::ostringstream text;
  text.precision(3);
  // No exponents: 1230 rather than 1.23e+03.
  if (value >= 100) {
    text << std::llround(value);
  } else {
    text << value;
  }
  return text.str();
}

// A time in the unit that suits it.
std::string Time(double nanos) {
  if (nanos < 1e3) return Number(nanos) + " ns";
  if (nanos < 1e6) return Number(nanos / 1e3) + " us";
  if (nanos < 1e9) return Number(nanos / 1e6) + " ms";
  return Number(nanos / 1e9) + " s";
}

std::string Shorten(const std::string& text, int width) {
  const size_t most = static_cast<size_t>(width / Canvas::TextWidth("x"));
  if (text.size() <= most) return text;
  return ".." + text.substr(text.size() - most + 2);
}

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// 1, 2 or 5 times a power of ten, so that there are at most `count` steps.
double Step(double range, int count) {
  const double rough = range / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

// The share of the runs in each bin of the axis, in percent.
std::vector<double> Bin(const Latencies& times, double low, double high) {
  std::vector<double> bins(kBins);
  for (const Latencies::Bucket& bucket : times.buckets()) {
    const double middle = static_cast<double>(bucket.low + bucket.high - 1) / 2;
    const double position = (middle - low) / (high - low) * kBins;
    if (position < 0 || position >= kBins) continue;
    bins[static_cast<size_t>(position)] += 100 *
                                           static_cast<double>(bucket.count) /
                                           static_cast<double>(times.count());
  }
  return bins;
}

std::string Legend(const ModelResults& model) {
  const Latencies& times = model.inference.ns;
  return BaseName(model.path) + " in " + model.runtime + ": " +
         std::to_string(times.count()) + " runs, mean " + Time(times.mean()) +
         ", p50 " + Time(times.percentile(50)) + ", p99 " +
         Time(times.percentile(99)) + ", max " + Time(times.percentile(100));
}

class Chart {
 public:
  Chart(Canvas& canvas, const Results& results) : canvas_(canvas) {
    models_.push_back(&results.model);
    if (results.other) models_.push_back(&*results.other);
    low_ = 1e300;
    high_ = 0;
    for (const ModelResults* model : models_) {
      const Latencies& times = model->inference.ns;
      low_ = std::min(low_, times.percentile(0));
      high_ = std::max(high_, times.percentile(kShownPercent));
    }
    const double space = std::max(1.0, 0.1 * (high_ - low_));
    low_ = std::max(0.0, low_ - space);
    high_ += space;
  }

  void Draw() {
    std::vector<std::vector<double>> bins;
    double top = 0;
    for (const ModelResults* model : models_) {
      bins.push_back(Bin(model->inference.ns, low_, high_));
      top = std::max(top,
                     *std::max_element(bins.back().begin(), bins.back().end()));
    }
    top = std::max(top * 1.1, 1e-3);
    DrawGrid(top);
    for (size_t i = 0; i < bins.size(); ++i) DrawBins(bins[i], top, i > 0);
    for (const double percent : {50.0, 90.0, 99.0}) DrawMark(percent);
    canvas_.Fill(kLeft, kChartTop + kChartHeight, kChartWidth, 2, kInk);
    canvas_.Fill(kLeft - 2, kChartTop, 2, kChartHeight + 2, kInk);
  }

 private:
  int X(double nanos) const {
    return kLeft +
           static_cast<int>((nanos - low_) / (high_ - low_) * kChartWidth);
  }

  void DrawGrid(double top) {
    const double percent_step = Step(top, 6);
    for (double percent = 0; percent <= top; percent += percent_step) {
      const int y = kChartTop + kChartHeight -
                    static_cast<int>(percent / top * kChartHeight);
      canvas_.Fill(kLeft, y, kChartWidth, 1, kGrid);
      const std::string label = Number(percent) + "%";
      canvas_.Text(kLeft - 12 - Canvas::TextWidth(label),
                   y - Canvas::TextHeight() / 2, label, kInk);
    }
    const double time_step = Step(high_ - low_, 9);
    for (double time = std::ceil(low_ / time_step) * time_step; time < high_;
         time += time_step) {
      canvas_.Fill(X(time), kChartTop, 1, kChartHeight + 8, kGrid);
      const std::string label = Time(time);
      canvas_.Text(X(time) - Canvas::TextWidth(label) / 2,
                   kChartTop + kChartHeight + 14, label, kInk);
    }
  }

  void DrawBins(const std::vector<double>& bins, double top, bool second) {
    constexpr int kBinWidth = kChartWidth / kBins;
    for (size_t i = 0; i < bins.size(); ++i) {
      int height = static_cast<int>(bins[i] / top * kChartHeight);
      // What is there is to be seen.
      if (bins[i] > 0) height = std::max(height, 1);
      const int x = kLeft + static_cast<int>(i) * kChartWidth / kBins;
      const int y = kChartTop + kChartHeight - height;
      if (second) {
        canvas_.FillThin(x, y, kBinWidth, height, kSecond);
        canvas_.Fill(x, y, kBinWidth, std::min(height, 2), kSecond);
      } else {
        canvas_.Fill(x, y, kBinWidth - 1, height, kFirst);
      }
    }
  }

  // The first model's percentile as a line over the chart.
  void DrawMark(double percent) {
    const double time = models_.front()->inference.ns.percentile(percent);
    if (time < low_ || time > high_) return;
    for (int y = kChartTop; y < kChartTop + kChartHeight; y += 8) {
      canvas_.Fill(X(time), y, 2, 5, kMark);
    }
    // Percentiles may be close together, their labels must not.
    const std::string label = "p" + Number(percent);
    label_x_ = std::max(X(time) - Canvas::TextWidth(label) / 2, label_x_);
    canvas_.Text(label_x_, kChartTop - 20, label, kMark);
    label_x_ += Canvas::TextWidth(label) + 10;
  }

  Canvas& canvas_;
  std::vector<const ModelResults*> models_;
  double low_;
  double high_;
  int label_x_ = 0;
};

// The ops that took longest, longest first.
std::vector<OpTimes> LongestOps(const ModelResults& model) {
  std::vector<OpTimes> ops;
  if (model.ops != nullptr) ops = model.ops->ops();
  std::sort(ops.begin(), ops.end(), [](const OpTimes& a, const OpTimes& b) {
    return a.sum_ns != b.sum_ns ? a.sum_ns > b.sum_ns : a.order < b.order;
  });
  if (ops.size() > kMostOps) ops.resize(kMostOps);
  return ops;
}

// The type, and as much of the name's end as there is room for.
std::string OpLabel(const OpTimes& op) {
  const std::string type = Shorten(op.type, kOpLabelWidth) + " ";
  const int room = kOpLabelWidth - Canvas::TextWidth(type);
  if (room < Canvas::TextWidth("..:1234")) return type;
  return type + Shorten(op.name, room);
}

void DrawOps(Canvas& canvas, int top, const ModelResults& model,
             const std::vector<OpTimes>& ops) {
  double all = 0;
  for (const OpTimes& op : model.ops->ops()) {
    if (!op.internal) all += static_cast<double>(op.sum_ns);
  }
  all = std::max(all, 1.0);
  const double longest = std::max(1.0, static_cast<double>(ops.front().sum_ns));
  const double runs =
      std::max<double>(1, static_cast<double>(model.ops->totals().count()));
  canvas.Text(kMargin, top, "Ops by time, mean of a run", kInk);
  top += 34;
  constexpr int kBarLeft = kMargin + kOpLabelWidth + 12;
  constexpr int kBarSpace = kWidth - kBarLeft - 250;
  for (const OpTimes& op : ops) {
    const double time = static_cast<double>(op.sum_ns);
    canvas.Text(kMargin, top + 2, OpLabel(op), kInk);
    const int width = std::max(1, static_cast<int>(time / longest * kBarSpace));
    canvas.Fill(kBarLeft, top, width, kBarHeight - 6,
                op.internal ? kSecond : kFirst);
    canvas.Text(kBarLeft + width + 10, top + 2,
                Time(time / runs) + "  " + Number(100 * time / all) + "%",
                kInk);
    top += kBarHeight;
  }
}

}  // namespace

Canvas Plot(const Results& results) {
  const std::vector<OpTimes> ops = LongestOps(results.model);
  const int chart_bottom = kChartTop + kChartHeight + kAxisSpace;
  const int ops_height =
      ops.empty() ? 0
                  : 34 + static_cast<int>(ops.size()) * kBarHeight + kMargin;
  Canvas canvas(kWidth, chart_bottom + ops_height, Palette());

  std::string title = "Time of a run: " + BaseName(results.model.path);
  if (results.ratio) {
    title += ", compared: x" + Number(results.ratio->median);
  }
  canvas.Text(kMargin, 16, Shorten(title, kWidth - 2 * kMargin), kInk);
  if (results.model.inference.ns.count() == 0) {
    canvas.Text(kMargin, kChartTop, "no runs", kInk);
    return canvas;
  }
  const int legend_width = kWidth - 3 * kMargin - 20;
  canvas.Fill(kMargin, 44, 16, 16, kFirst);
  canvas.Text(kMargin + 26, 46, Shorten(Legend(results.model), legend_width),
              kInk);
  if (results.other) {
    canvas.Fill(kMargin, 70, 16, 16, kSecond);
    canvas.Text(kMargin + 26, 72, Shorten(Legend(*results.other), legend_width),
                kInk);
  }
  Chart(canvas, results).Draw();
  const std::string note =
      "share of the runs by their time; the slowest 1% may lie beyond";
  canvas.Text(kLeft + (kChartWidth - Canvas::TextWidth(note)) / 2,
              kChartTop + kChartHeight + 40, note, kInk);
  if (!ops.empty()) DrawOps(canvas, chart_bottom, results.model, ops);
  return canvas;
}

}  // namespace tflite::custom::benchmark
