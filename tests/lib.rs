//! What the test binaries of this crate share.

pub mod rows;
pub mod shim;
pub mod vectors;
