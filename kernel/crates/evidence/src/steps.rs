//! Bits of evidence in whole steps.

/// Bits of evidence, rounded to whole multiples of one over `steps`: so sums of them are exact in any order.
pub fn in_steps(bits: f64, steps: f64) -> f64 {
    (bits * steps).round_ties_even() / steps
}
