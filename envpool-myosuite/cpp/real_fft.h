// SPDX-License-Identifier: Apache-2.0
// np.fft.irfft for lengths with the factors 2, 4 and 5, to the last bit: real numbers from the
// first half of their spectrum. NumPy computes it by pocketfft (Martin Reinecke, BSD-3-Clause:
// https://gitlab.mpcdf.mpg.de/mtr/pocketfft); this is its order of additions, after FFTPACK (Paul
// N. Swarztrauber): one pass per factor from one array to another, with twiddle factors, each a
// product of two numbers from short tables.
//
//   const RealFft transform(2000);
//   transform.Backward(values, scratch);   // 2000 numbers each
//
// The spectrum is in `values` as the real part of the first, then alternating real and imaginary
// parts, then the real part of the last.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

namespace envpool::myosuite {

class RealFft {
 public:
  /// Throws std::invalid_argument if a length has another factor.
  explicit RealFft(std::size_t length) : length_(length) {
    std::size_t rest = length;
    for (; rest % 4 == 0; rest /= 4) passes_.push_back({4, 0, 0, {}});
    if (rest % 2 == 0) {
      rest /= 2;
      passes_.insert(passes_.begin(), {2, 0, 0, {}});
    }
    for (; rest % 5 == 0; rest /= 5) passes_.push_back({5, 0, 0, {}});
    if (rest != 1) throw std::invalid_argument("a length has other factors than 2, 4 and 5");
    const Twiddles twiddles(length);
    std::size_t done = 1;
    for (Pass& pass : passes_) {
      pass.groups = done;
      pass.inner = length / (done * pass.factor);
      for (std::size_t j = 1; j < pass.factor; ++j) {
        for (std::size_t i = 1; i <= (pass.inner - 1) / 2; ++i) {
          const Complex turn = twiddles.At(j * done * i);
          pass.turns.push_back(turn);
        }
      }
      done *= pass.factor;
    }
  }

  /// Overwrites both arrays; the result is in the first.
  void Backward(double* values, double* scratch) const {
    double *from = values, *to = scratch;
    for (const Pass& pass : passes_) {
      if (pass.factor == 2) Two(pass, from, to);
      if (pass.factor == 4) Four(pass, from, to);
      if (pass.factor == 5) Five(pass, from, to);
      std::swap(from, to);
    }
    const double share = 1.0 / static_cast<double>(length_);
    for (std::size_t i = 0; i < length_; ++i) values[i] = share * from[i];
  }

 private:
  struct Complex {
    double re, im;
  };
  /// exp(2 pi i k / n) for all k, computed from two short tables.
  class Twiddles {
   public:
    explicit Twiddles(std::size_t n) : n_(n) {
      const std::size_t half = (n + 2) / 2;
      shift_ = 1;
      while ((std::size_t{1} << shift_) * (std::size_t{1} << shift_) < half) ++shift_;
      const std::size_t size = std::size_t{1} << shift_;
      for (std::size_t i = 0; i < size; ++i) fine_.push_back(Exact(i));
      for (std::size_t i = 0; i * size < half; ++i) coarse_.push_back(Exact(i * size));
    }
    Complex At(std::size_t k) const {
      const bool second_half = 2 * k > n_;
      if (second_half) k = n_ - k;
      const Complex a = fine_[k & ((std::size_t{1} << shift_) - 1)], b = coarse_[k >> shift_];
      const double re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re;
      return {re, second_half ? -im : im};
    }

   private:
    /// From the sine and the cosine of an angle in the first eighth of a turn.
    Complex Exact(std::size_t k) const {
      const std::size_t n = n_;
      if (k == 0) return {1, 0};
      std::size_t eighths = 8 * k;  // of a turn, in units of 1 / n
      const bool lower = eighths >= 4 * n;
      if (lower) eighths = 8 * n - eighths;
      const bool left = eighths >= 2 * n;
      if (left) eighths -= 2 * n;
      const bool far = eighths >= n;
      if (far) eighths = 2 * n - eighths;
      const auto step = static_cast<double>(0.25L * std::numbers::pi_v<long double> /
                                            static_cast<long double>(n));
      const double angle = static_cast<double>(eighths) * step;
      double x = std::cos(angle), y = std::sin(angle);
      if (far) std::swap(x, y);
      if (left) {
        std::swap(x, y);
        x = -x;
      }
      return {x, lower ? -y : y};
    }

    const std::size_t n_;
    std::size_t shift_;
    std::vector<Complex> fine_, coarse_;
  };
  struct Pass {
    std::size_t factor, groups, inner;  // `inner` numbers for each factor of each group
    std::vector<Complex> turns;         // for each factor but the first
  };
  /// The accesses of a pass: number i of part j in group k.
  struct Reads {
    const double* at;
    std::size_t inner, factor;
    double operator()(std::size_t i, std::size_t j, std::size_t k) const {
      return at[i + inner * (j + factor * k)];
    }
  };
  struct Writes {
    double* at;
    std::size_t inner, groups;
    double& operator()(std::size_t i, std::size_t k, std::size_t j) const {
      return at[i + inner * (k + groups * j)];
    }
    /// Rotates a complex number.
    void Turned(const Pass& pass, std::size_t i, std::size_t k, std::size_t j, double re,
                double im) const {
      const Complex turn = pass.turns[(j - 1) * ((inner - 1) / 2) + i / 2 - 1];
      (*this)(i, k, j) = turn.re * im + turn.im * re;
      (*this)(i - 1, k, j) = turn.re * re - turn.im * im;
    }
  };

  static void Two(const Pass& pass, const double* from, double* to) {
    const std::size_t n = pass.inner;
    const Reads in{from, n, 2};
    const Writes out{to, n, pass.groups};
    for (std::size_t k = 0; k < pass.groups; ++k) {
      out(0, k, 0) = in(0, 0, k) + in(n - 1, 1, k);
      out(0, k, 1) = in(0, 0, k) - in(n - 1, 1, k);
      if (n % 2 == 0) {
        out(n - 1, k, 0) = 2 * in(n - 1, 0, k);
        out(n - 1, k, 1) = -2 * in(0, 1, k);
      }
      for (std::size_t i = 2; i < n; i += 2) {
        const std::size_t m = n - i;
        out(i - 1, k, 0) = in(i - 1, 0, k) + in(m - 1, 1, k);
        out(i, k, 0) = in(i, 0, k) - in(m, 1, k);
        out.Turned(pass, i, k, 1, in(i - 1, 0, k) - in(m - 1, 1, k), in(i, 0, k) + in(m, 1, k));
      }
    }
  }
  static void Four(const Pass& pass, const double* from, double* to) {
    constexpr double kRoot = std::numbers::sqrt2;
    const std::size_t n = pass.inner;
    const Reads in{from, n, 4};
    const Writes out{to, n, pass.groups};
    for (std::size_t k = 0; k < pass.groups; ++k) {
      const double sum = in(0, 0, k) + in(n - 1, 3, k), less = in(0, 0, k) - in(n - 1, 3, k);
      const double second = 2 * in(n - 1, 1, k), third = 2 * in(0, 2, k);
      out(0, k, 0) = sum + second;
      out(0, k, 2) = sum - second;
      out(0, k, 3) = less + third;
      out(0, k, 1) = less - third;
      if (n % 2 == 0) {
        const double im_sum = in(0, 3, k) + in(0, 1, k), im_less = in(0, 3, k) - in(0, 1, k);
        const double re_sum = in(n - 1, 0, k) + in(n - 1, 2, k);
        const double re_less = in(n - 1, 0, k) - in(n - 1, 2, k);
        out(n - 1, k, 0) = re_sum + re_sum;
        out(n - 1, k, 1) = kRoot * (re_less - im_sum);
        out(n - 1, k, 2) = im_less + im_less;
        out(n - 1, k, 3) = -kRoot * (re_less + im_sum);
      }
      for (std::size_t i = 2; i < n; i += 2) {
        const std::size_t m = n - i;
        const double tr1 = in(i - 1, 0, k) - in(m - 1, 3, k);
        const double tr2 = in(i - 1, 0, k) + in(m - 1, 3, k);
        const double ti1 = in(i, 0, k) + in(m, 3, k), ti2 = in(i, 0, k) - in(m, 3, k);
        const double tr4 = in(i, 2, k) + in(m, 1, k), ti3 = in(i, 2, k) - in(m, 1, k);
        const double tr3 = in(i - 1, 2, k) + in(m - 1, 1, k);
        const double ti4 = in(i - 1, 2, k) - in(m - 1, 1, k);
        out(i - 1, k, 0) = tr2 + tr3;
        out(i, k, 0) = ti2 + ti3;
        out.Turned(pass, i, k, 1, tr1 - tr4, ti1 + ti4);
        out.Turned(pass, i, k, 2, tr2 - tr3, ti2 - ti3);
        out.Turned(pass, i, k, 3, tr1 + tr4, ti1 - ti4);
      }
    }
  }
  static void Five(const Pass& pass, const double* from, double* to) {
    // Cosines and sines of a fifth and of two fifths of a turn.
    constexpr double kCos1 = 0.3090169943749474241, kSin1 = 0.95105651629515357212;
    constexpr double kCos2 = -0.8090169943749474241, kSin2 = 0.58778525229247312917;
    const std::size_t n = pass.inner;
    const Reads in{from, n, 5};
    const Writes out{to, n, pass.groups};
    for (std::size_t k = 0; k < pass.groups; ++k) {
      {
        const double ti5 = in(0, 2, k) + in(0, 2, k), ti4 = in(0, 4, k) + in(0, 4, k);
        const double tr2 = in(n - 1, 1, k) + in(n - 1, 1, k);
        const double tr3 = in(n - 1, 3, k) + in(n - 1, 3, k);
        out(0, k, 0) = in(0, 0, k) + tr2 + tr3;
        const double cr2 = in(0, 0, k) + kCos1 * tr2 + kCos2 * tr3;
        const double cr3 = in(0, 0, k) + kCos2 * tr2 + kCos1 * tr3;
        const double ci5 = ti5 * kSin1 + ti4 * kSin2, ci4 = ti5 * kSin2 - ti4 * kSin1;
        out(0, k, 4) = cr2 + ci5;
        out(0, k, 1) = cr2 - ci5;
        out(0, k, 3) = cr3 + ci4;
        out(0, k, 2) = cr3 - ci4;
      }
      for (std::size_t i = 2; i < n; i += 2) {
        const std::size_t m = n - i;
        const double tr2 = in(i - 1, 2, k) + in(m - 1, 1, k);
        const double tr5 = in(i - 1, 2, k) - in(m - 1, 1, k);
        const double ti5 = in(i, 2, k) + in(m, 1, k), ti2 = in(i, 2, k) - in(m, 1, k);
        const double tr3 = in(i - 1, 4, k) + in(m - 1, 3, k);
        const double tr4 = in(i - 1, 4, k) - in(m - 1, 3, k);
        const double ti4 = in(i, 4, k) + in(m, 3, k), ti3 = in(i, 4, k) - in(m, 3, k);
        out(i - 1, k, 0) = in(i - 1, 0, k) + tr2 + tr3;
        out(i, k, 0) = in(i, 0, k) + ti2 + ti3;
        const double cr2 = in(i - 1, 0, k) + kCos1 * tr2 + kCos2 * tr3;
        const double ci2 = in(i, 0, k) + kCos1 * ti2 + kCos2 * ti3;
        const double cr3 = in(i - 1, 0, k) + kCos2 * tr2 + kCos1 * tr3;
        const double ci3 = in(i, 0, k) + kCos2 * ti2 + kCos1 * ti3;
        const double cr5 = tr5 * kSin1 + tr4 * kSin2, cr4 = tr5 * kSin2 - tr4 * kSin1;
        const double ci5 = ti5 * kSin1 + ti4 * kSin2, ci4 = ti5 * kSin2 - ti4 * kSin1;
        out.Turned(pass, i, k, 1, cr2 - ci5, ci2 + cr5);
        out.Turned(pass, i, k, 2, cr3 - ci4, ci3 + cr4);
        out.Turned(pass, i, k, 3, cr3 + ci4, ci3 - cr4);
        out.Turned(pass, i, k, 4, cr2 + ci5, ci2 - cr5);
      }
    }
  }

  const std::size_t length_;
  std::vector<Pass> passes_;
};

}  // namespace envpool::myosuite
