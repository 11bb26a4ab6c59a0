//! Transactions that a program is in the middle of.

use crate::failure::{Raised, boundary};
use crate::store::texts;
use crate::table::Table;
use crate::value::text;
use entable_c::place::Place;
use entable_c::transaction::Held;

type Done<T> = Result<T, Raised>;

/// Rolled back when it is dropped, if it is still open.
pub(crate) struct Transaction(pub(crate) Held);

impl Drop for Transaction {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

impl Transaction {
    pub(crate) fn table(&self, name: &[u8]) -> Done<Box<Table>> {
        boundary(|| Ok(Box::new(Table(Place::inside(&self.0, text(name, "name")?)?))))
    }

    pub(crate) fn create_table(&self, name: &[u8], may_exist: bool) -> Done<Box<Table>> {
        boundary(|| {
            let name = text(name, "name")?;
            self.0.with(|transaction| match may_exist {
                true => transaction.create_table_if_not_exists(name).map(|_| ()),
                false => transaction.create_table(name).map(|_| ()),
            })?;
            Ok(Box::new(Table(Place::inside(&self.0, name)?)))
        })
    }

    pub(crate) fn delete_table(&self, name: &[u8]) -> Done<()> {
        boundary(|| {
            let name = text(name, "name")?;
            Ok(self.0.with(|transaction| transaction.delete_table(name))?)
        })
    }

    pub(crate) fn list_tables(&self) -> Done<Vec<String>> {
        boundary(|| Ok(texts(self.0.with(entable::Transaction::list_tables)?)))
    }

    pub(crate) fn commit(&self) -> Done<()> {
        boundary(|| Ok(self.0.commit()?))
    }

    pub(crate) fn roll_back(&self) -> Done<()> {
        boundary(|| Ok(self.0.roll_back()?))
    }
}
