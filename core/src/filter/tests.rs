//! Tests of the filter language.
