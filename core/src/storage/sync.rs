//! The locks that the writer's queue stands on, in one place so that a test may put a model of them there.

pub(super) use std::sync::atomic::AtomicU8;
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
