//! What unit tests of several modules need.

/// A small generator of numbers that are alike in every run (an xorshift). The seed is not 0.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// One of them.
    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}
