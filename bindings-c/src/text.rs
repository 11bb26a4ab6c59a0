//! Text and bytes: a pointer and a length, borrowed.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, c_text};
use std::ffi::c_char;
use std::ptr;

/// Text in UTF-8, borrowed: a pointer and a length in bytes. It need not end with a NUL, and may hold one.
///
/// As an argument it is read during the call only. As a result it belongs to the object that it was asked of, and is
/// good until that object is freed or changed. `data` is NULL where there is no text; an empty text that is there
/// has another pointer. As an argument NULL with length 0 is the empty text.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_str {
    /// The first byte, or NULL.
    pub data: *const c_char,
    /// How many bytes.
    pub length: usize,
}

/// Bytes, borrowed, by the rules of `entable_str`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_bytes {
    /// The first byte, or NULL.
    pub data: *const u8,
    /// How many bytes.
    pub length: usize,
}

impl Default for entable_str {
    /// No text.
    fn default() -> Self {
        entable_str { data: ptr::null(), length: 0 }
    }
}

impl Default for entable_bytes {
    /// No bytes.
    fn default() -> Self {
        entable_bytes { data: ptr::null(), length: 0 }
    }
}

impl From<&str> for entable_str {
    fn from(text: &str) -> entable_str {
        entable_str { data: text.as_ptr().cast(), length: text.len() }
    }
}

impl From<Option<&str>> for entable_str {
    fn from(text: Option<&str>) -> entable_str {
        text.map_or_else(entable_str::default, Into::into)
    }
}

impl From<&[u8]> for entable_bytes {
    fn from(bytes: &[u8]) -> entable_bytes {
        entable_bytes { data: bytes.as_ptr(), length: bytes.len() }
    }
}

/// The text that ends before the first NUL, borrowed from `text`: good as long as that is. NULL gives no text.
/// For a literal `ENTABLE_STR("...")` does the same without counting. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_str_of(text: *const c_char) -> entable_str {
    answer(entable_str::default(), || {
        let bytes = c_text(text)?.to_bytes();
        Some(entable_str { data: text, length: bytes.len() })
    })
}
