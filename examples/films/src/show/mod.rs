//! What the store does, one part after the other.

mod conflict;
mod group;
mod indexes;
mod mistake;
pub(crate) mod paging;
mod plans;
mod questions;
mod typed;
pub(crate) mod ways;

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::report::Report;
use entable::{ErrorCode, Options, Store};
use std::path::Path;

/// Shows everything on the store file that is there.
pub(crate) fn run(arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    let store = open(&arguments.store)?;
    questions::show(&store, report)?;
    plans::show(&store, report)?;
    conflict::show(&store, arguments, report)?;
    group::show(&store, report)?;
    paging::show(&store, arguments, report)?;
    mistake::show(&store, report)?;
    typed::show(&store, report)?;
    indexes::show(&store, report)?;
    ways::show(&store, &arguments.store, report)?;
    store.close();
    Ok(())
}

/// Opens the store file, which must be there.
pub(crate) fn open(path: &Path) -> Outcome<Store> {
    Store::open_with(path, &Options::new().must_exist(true)).map_err(|error| match error.code() {
        ErrorCode::StoreNotFound => Failure::missing(path, "`make run`, or the command `load`, makes it."),
        _ => Failure::from(error).at(path.display()),
    })
}
