//! Who was faster: the writer that begins a job, or the caller who gives it up while it waits.

use super::sync::AtomicU8;
use std::sync::atomic::Ordering;

/// Whether a queued group has been begun, or its caller was faster and gave up.
#[derive(Debug)]
pub(crate) struct Begun(AtomicU8);

impl Default for Begun {
    fn default() -> Begun {
        Begun(AtomicU8::new(Begun::QUEUED))
    }
}

impl Begun {
    const QUEUED: u8 = 0;
    const BEGUN: u8 = 1;
    const CANCELLED: u8 = 2;

    fn move_to(&self, next: u8) -> bool {
        let outcome = self.0.compare_exchange(Begun::QUEUED, next, Ordering::AcqRel, Ordering::Acquire);
        // Begun again where a commit came to nothing; given up twice.
        outcome.is_ok() || outcome == Err(next)
    }

    /// Begins the group; false if it has been given up.
    pub(crate) fn begin(&self) -> bool {
        self.move_to(Begun::BEGUN)
    }

    /// Gives the group up; false if it has been begun.
    pub(crate) fn cancel(&self) -> bool {
        self.move_to(Begun::CANCELLED)
    }
}
