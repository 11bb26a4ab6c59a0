//! Threads told from each other.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a thread: it is never given again.
pub(crate) type ThreadNumber = u64;

/// The number of this thread, to its very end: `thread::current` panics where the destructors of a thread's values have
/// run, and what a C program lets go of there calls the store.
pub(crate) fn this_thread() -> ThreadNumber {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        /// 0 before it was asked for.
        static NUMBER: Cell<ThreadNumber> = const { Cell::new(0) };
    }
    match NUMBER.get() {
        0 => {
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            NUMBER.set(number);
            number
        }
        number => number,
    }
}
