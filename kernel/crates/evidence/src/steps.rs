//! Bits of evidence in whole steps.

/// Bits of evidence are whole multiples of one over this, so that sums of them are exact in any order.
const STEPS: f64 = 1024.0;

/// Bits of evidence, rounded to whole steps.
pub fn in_steps(bits: f64) -> f64 {
    (bits * STEPS).round_ties_even() / STEPS
}
