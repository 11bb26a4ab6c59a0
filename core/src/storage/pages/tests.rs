//! Any bytes whatever are read to an end.
