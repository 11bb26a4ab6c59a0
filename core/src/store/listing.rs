//! The listing of tables, as its filter sees them.

use crate::filter::ast::{Expr, Property};
use crate::filter::eval;
use crate::{DateTime, EdmType, Error, Result, ValueRef};

/// The one property of a table.
const TABLE_NAME: &str = "TableName";

/// The filter of a listing knows one property, a String (S5.8).
pub(super) fn check_table_filter(filter: &Expr) -> Result<()> {
    for leaf in filter.leaves() {
        if let Some(name) = leaf.property().map(Property::name).filter(|name| *name != TABLE_NAME) {
            return Err(Error::invalid(format!("Tables are listed by {TABLE_NAME} alone.")).property(name));
        }
        if let Some(value) = leaf.constants().iter().find(|value| value.edm_type() != EdmType::String) {
            let fact = format!("{TABLE_NAME} is a String, and was compared with a {}.", value.edm_type());
            return Err(Error::invalid(fact).property(TABLE_NAME));
        }
    }
    Ok(())
}

/// A table as its listing's filter sees it.
pub(super) struct Listed<'a>(pub(super) &'a str);

impl eval::Properties for Listed<'_> {
    fn partition_key(&self) -> &str {
        ""
    }

    fn row_key(&self) -> &str {
        ""
    }

    fn timestamp(&self) -> DateTime {
        DateTime::now()
    }

    fn property(&self, _name: &str) -> Option<ValueRef<'_>> {
        Some(ValueRef::String(self.0))
    }
}
