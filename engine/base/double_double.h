#pragma once

namespace lethe {

// A double-double number: an unevaluated sum high + low with about 106 bits. The ledger subtracts
// logarithms that are sums of millions of terms; a plain double would lose the digits that matter.
// A value type.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  // Knuth's two-sum, then normalised.
  DoubleDouble operator+(double x) const {
    const double sum = high + x;
    const double part = sum - high;
    const double error = (high - (sum - part)) + (x - part);
    return Normalised(sum, low + error);
  }

  // The difference as a double, correct to a few units in the last place.
  double Minus(const DoubleDouble& other) const { return (high - other.high) + (low - other.low); }

  friend bool operator==(const DoubleDouble&, const DoubleDouble&) = default;

 private:
  static DoubleDouble Normalised(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
};

}  // namespace lethe
