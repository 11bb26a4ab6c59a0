//! What the test binaries of this crate share.

pub mod acks;
pub mod folders;
pub mod projected;
pub mod protections;
pub mod random;
pub mod rows;
pub mod shim;
pub mod steps;
pub mod tier;
pub mod vectors;
