//! The numbers that decide, which are those of `winnow_ci.matching.constants`: it says what each means.

/// Bounds, distances and weights. Bits are those of evidence, lengths and distances are in tokens.
#[derive(Clone, Copy, Default)]
pub struct Numbers {
    /// Bits are whole multiples of one over this.
    pub steps: f64,
    /// The first sketch bytes of identifiers, numbers and strings.
    pub identifiers: u8,
    pub numbers: u8,
    pub strings: u8,
    // What several steps share.
    pub context: usize,
    pub least_score: f64,
    pub same_text: f64,
    pub rare: f64,
    pub most_of_all: f64,
    pub same: f64,
    pub least_of_text: f64,
    // Which contents are read.
    pub significant: f64,
    pub most_of_kgram: f64,
    pub next_hit: i64,
    pub hit_band: i64,
    pub window: usize,
    pub voting_band: i64,
    pub text_gain: f64,
    pub nearly: f64,
    // Seeds, segments and neighbourhoods.
    pub longest_without_seed: usize,
    pub most_diagonals: usize,
    pub least_promise: f64,
    pub mismatch: f64,
    pub reach: usize,
    pub near: usize,
    pub band: i64,
    pub shortest: usize,
    pub least_aside: f64,
    pub largest: usize,
    pub widest: i64,
    pub most_runs: usize,
    pub groups_compared: usize,
    // Chains.
    pub longest_gap: i64,
    pub gap_cost: f64,
    pub gap_token_cost: f64,
    pub shift_cost: f64,
    pub shift_token_cost: f64,
    pub most_shared: f64,
    pub most_chains: usize,
    pub look_back: usize,
    pub apart: usize,
    pub apart_there: usize,
    pub least_block: usize,
    pub least_together: f64,
    pub longer: usize,
    pub most_candidates: usize,
    pub least_worth: f64,
    pub verbatim_bits: f64,
    pub most_verbatim: usize,
    // Candidates.
    pub beside: usize,
    pub phrase_band: i64,
    pub short_runs: usize,
    pub plain_text: usize,
    pub whole_line: f64,
    pub other_gap: f64,
    pub disagrees: f64,
    pub segment_break: f64,
    pub shift: f64,
    pub jump: f64,
    pub chance_numbers: f64,
    pub chance_strings: f64,
    pub shortest_line: usize,
    // Ends of regions, and which regions stay.
    pub most_stray: usize,
    pub most_empty: i32,
    pub least_end: f64,
    pub each_line: f64,
    pub each_break: f64,
    pub verbatim_gain: f64,
}

impl Numbers {
    /// The structural class of a sketch byte.
    pub fn class(&self, sketch: u8) -> u8 {
        if sketch < self.identifiers {
            sketch
        } else if sketch < self.numbers {
            self.identifiers
        } else if sketch < self.strings {
            self.numbers
        } else {
            self.strings
        }
    }

    pub fn classes(&self, sketch: &[u8]) -> Vec<u8> {
        sketch.iter().map(|&one| self.class(one)).collect()
    }

    pub fn is_identifier(&self, sketch: u8) -> bool {
        (self.identifiers..self.numbers).contains(&sketch)
    }

    pub fn is_number(&self, sketch: u8) -> bool {
        (self.numbers..self.strings).contains(&sketch)
    }

    pub fn is_string(&self, sketch: u8) -> bool {
        sketch >= self.strings
    }
}
