//! The writer's queue, and giving up what waits in it, in every order of their threads that few switches make: the files
//! are the core's own, over a model of the locks in place of the system's.
#![cfg(test)]

mod sync {
    pub(crate) use loom::sync::atomic::AtomicU8;
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

#[path = "../../core/src/storage/begun.rs"]
mod begun;
mod orders;
#[allow(dead_code, reason = "the store asks the queue more than these orders do")]
#[path = "../../core/src/storage/queue.rs"]
mod queue;
