//! The way that a query is to take, whatever it costs: for tests, which compare the answers.

use super::Query;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Forced {
    Keys,
    /// Through the index of this name, if it leaves anything out.
    Index(String),
}

impl Query {
    /// For tests: by keys, whatever indexes there are.
    #[doc(hidden)]
    #[must_use]
    pub fn by_keys(mut self) -> Query {
        self.forced = Some(Forced::Keys);
        self
    }

    /// For tests: through this index, whatever it costs, or by keys if it leaves nothing out.
    #[doc(hidden)]
    #[must_use]
    pub fn through(mut self, index: impl Into<String>) -> Query {
        self.forced = Some(Forced::Index(index.into()));
        self
    }
}
