//! Giving up a long answer in the midst of a page.

use crate::{Error, ErrorCode, Result};
use std::fmt;
use std::sync::Arc;

/// Rows and entries that are read between two questions whether to go on: a row may be large.
const EVERY: u64 = 256;

/// Whether an answer is not wanted any more.
#[derive(Clone)]
pub(crate) struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    pub(super) fn new(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(is_over))
    }

    /// Asks now and then, given how much has been read.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn check(&self, read: u64) -> Result<()> {
        match read.is_multiple_of(EVERY) && (self.0)() {
            true => Err(Error::new(ErrorCode::Cancelled)),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}
