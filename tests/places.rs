//! Where stores are, and what is in the way there.
