pub(crate) mod keyset;
