//! Idioms: shapes that known code has in several wordings (`winnow_ci.matching.idioms`).

use super::candidate::Candidate;

/// A shape with this many wordings is an idiom.
const WORDINGS: usize = 3;
/// Wordings are compared where both cover this share of the shape.
const COVER: f64 = 0.5;
/// Two stretches are one wording if this share of their tokens agrees.
const AGREEMENT: f64 = 0.9;

/// Tell whether a structural candidate is an idiom, given all structural candidates of the changed file.
pub fn is_idiom<'a>(candidate: &Candidate, shapes: impl Iterator<Item = &'a Candidate>) -> bool {
    let mut wordings: Vec<&Candidate> = Vec::new();
    for shape in shapes {
        if covers(shape, candidate) && !wordings.iter().any(|known| agree(shape, known)) {
            wordings.push(shape);
            if wordings.len() == WORDINGS {
                return true;
            }
        }
    }
    false
}

fn covers(shape: &Candidate, candidate: &Candidate) -> bool {
    let span = candidate.span();
    let place = |token: usize| shape.here.partition_point(|&here| (here as usize) < token);
    (place(span.end) - place(span.start)) as f64 >= COVER * candidate.here.len() as f64
}

/// Whether two known stretches have the same text where both match the change.
fn agree(one: &Candidate, other: &Candidate) -> bool {
    let (mut both, mut equal, mut from) = (0_usize, 0_usize, 0);
    for (here, there) in one.here.iter().zip(&one.there) {
        from += other.here[from..]
            .iter()
            .take_while(|&place| place < here)
            .count();
        if other.here.get(from) == Some(here) {
            both += 1;
            equal += usize::from(other.there[from] == *there);
        }
    }
    both > 0 && equal as f64 / both as f64 >= AGREEMENT
}
