//! entable
