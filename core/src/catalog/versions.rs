//! Versions: a new one for each write, or those that an import gives back.

use super::Edit;
use crate::{DateTime, Result};

impl Edit<'_, '_> {
    /// The version of a write: a given one, behind which all new ones come (S4.3.5), or the next.
    ///
    /// # Errors
    /// As [`Edit::next_timestamp`].
    pub(crate) fn version(&mut self, given: Option<DateTime>) -> Result<DateTime> {
        let Some(given) = given else { return self.next_timestamp() };
        self.header.last_tick = self.header.last_tick.max(given.ticks());
        Ok(given)
    }
}
