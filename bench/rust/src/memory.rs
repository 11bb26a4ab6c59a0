//! Memory: what reads allocate, and what a process that has read keeps.
#![allow(unsafe_code, reason = "a global allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The system's allocator, which counts while it is told to. At other times that costs one load.
struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is handed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count(bytes);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, bytes) }
    }
}

#[inline]
fn count(bytes: usize) {
    if IS_COUNTING.load(Relaxed) {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
        if IS_SHOWING.load(Relaxed) {
            IS_COUNTING.store(false, Relaxed);
            eprintln!("    {bytes} bytes");
            IS_COUNTING.store(true, Relaxed);
        }
    }
}

/// Whether each allocation is told as it comes, to explain their number.
pub(crate) static IS_SHOWING: AtomicBool = AtomicBool::new(false);

/// How many allocations the job made through Rust's allocator, and of how many bytes. C's own are not seen.
pub(crate) fn allocations(job: impl FnOnce()) -> (u64, u64) {
    let before = (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed));
    IS_COUNTING.store(true, Relaxed);
    job();
    IS_COUNTING.store(false, Relaxed);
    (ALLOCATIONS.load(Relaxed) - before.0, BYTES.load(Relaxed) - before.1)
}

/// KiB of memory that are this process's own: Rust's heap, C's, stacks. Pages of mapped files are not among them.
pub(crate) fn own_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the process's status");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("the kernel tells RssAnon");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number of KiB")
}
