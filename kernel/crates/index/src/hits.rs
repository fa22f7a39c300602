//! Chosen postings → hits (`winnow_ci.index.lookup`).

use hashbrown::HashSet;

use super::postings::{Posting, SIZE};

/// Positions that are more than places (`winnow_ci.index.schema`).
#[derive(Clone, Copy)]
pub struct Marks {
    /// Added to the position of a posting of a crowd.
    pub crowded: u32,
    /// The position of a whole file, which is no place of a k-gram.
    pub whole: u32,
}

/// Some ranges of postings for each query.
pub struct Ranges<'a> {
    postings: &'a [u8],
    pairs: Vec<(&'a [i64], &'a [i64])>,
}

impl<'a> Ranges<'a> {
    /// None if a range is not inside of the postings.
    pub fn new(postings: &'a [u8], pairs: Vec<(&'a [i64], &'a [i64])>) -> Option<Self> {
        let count = (postings.len() / SIZE) as i64;
        let are_inside = |(starts, stops): &(&[i64], &[i64])| {
            let mut both = starts.iter().zip(*stops);
            both.all(|(&start, &stop)| 0 <= start && start <= stop && stop <= count)
        };
        pairs.iter().all(are_inside).then_some(Self { postings, pairs })
    }

    fn of(&self, query: usize) -> impl Iterator<Item = Posting> + '_ {
        self.pairs.iter().flat_map(move |(starts, stops)| {
            let (start, stop) = (starts[query] as usize, stops[query] as usize);
            let bytes = &self.postings[start * SIZE..stop * SIZE];
            bytes.chunks_exact(SIZE).map(Posting::read)
        })
    }

    fn len(&self) -> usize {
        let lengths = |(starts, stops): &(&[i64], &[i64])| -> i64 {
            stops.iter().sum::<i64>() - starts.iter().sum::<i64>()
        };
        self.pairs.iter().map(lengths).sum::<i64>() as usize
    }
}

/// Places where queries stand, in the order of the queries.
pub struct Hits {
    pub queries: Vec<i64>,
    pub contents: Vec<i64>,
    pub positions: Vec<u32>,
    pub checks: Vec<u32>,
}

impl Hits {
    /// Those of shapes, and those of texts that are not among them.
    pub fn new(queries: &[i64], shapes: &Ranges, texts: &Ranges, marks: Marks) -> Self {
        let most = shapes.len() + texts.len();
        let mut hits = Self {
            queries: Vec::with_capacity(most),
            contents: Vec::with_capacity(most),
            positions: Vec::with_capacity(most),
            checks: Vec::with_capacity(most),
        };
        let mut seen = HashSet::new();
        for (number, &query) in queries.iter().enumerate() {
            let first = hits.queries.len();
            for posting in shapes.of(number) {
                hits.add(query, &posting, marks);
            }
            seen.clear();
            for posting in texts.of(number) {
                if seen.is_empty() {
                    let places = hits.contents[first..].iter().zip(&hits.positions[first..]);
                    seen.extend(places.map(|(&content, &position)| (content, position)));
                }
                if seen.insert((posting.content, posting.position & !marks.crowded)) {
                    hits.add(query, &posting, marks);
                }
            }
        }
        hits
    }

    fn add(&mut self, query: i64, posting: &Posting, marks: Marks) {
        let position = posting.position & !marks.crowded;
        if position != marks.whole {
            self.queries.push(query);
            self.contents.push(posting.content);
            self.positions.push(position);
            self.checks.push(posting.check);
        }
    }
}
