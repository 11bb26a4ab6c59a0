//! Patterns that keep copies of a row, or entries for it, under other keys.

use super::changes::Changes;
use super::field::{field, fields};
use super::lookup::Lookup;
use super::{entities, made, names, states, values};
use crate::convert;
use crate::entity::TableEntity;
use crate::error::raise;
use entable::patterns;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Finds a row by a second property whose values are unique, through a copy of the row under a key with that value.
///
/// ``SecondaryIndex(table, prefix, field)`` keeps the copies in the row's partition, under the prefix and the value.
/// ``in_partitions`` and ``in_table`` keep them elsewhere. With ``select`` a copy holds these properties only. A row without
/// the property has no copy.
///
/// >>> by_email = SecondaryIndex("Employees", "email_", "Email")
/// >>> jones = {"PartitionKey": "Sales", "RowKey": "empid_000223", "Email": "jonesj@contoso.com"}
/// >>> by_email.changes(None, jones).group.keys
/// [('Sales', 'empid_000223'), ('Sales', 'email_jonesj@contoso.com')]
/// >>> by_email.find("Sales", "jonesj@contoso.com").filter
/// "PartitionKey eq 'Sales' and RowKey eq 'email_jonesj@contoso.com'"
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct SecondaryIndex(patterns::SecondaryIndex);

impl SecondaryIndex {
    fn selecting(index: patterns::SecondaryIndex, select: Option<&Bound<'_, PyAny>>) -> PyResult<SecondaryIndex> {
        Ok(SecondaryIndex(match select {
            Some(select) => index.select(names(select, "select")?),
            None => index,
        }))
    }
}

#[pymethods]
impl SecondaryIndex {
    #[new]
    #[pyo3(signature = (table, prefix, field, *, select = None))]
    fn new(
        table: &str,
        prefix: &str,
        field: &Bound<'_, PyAny>,
        select: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SecondaryIndex> {
        SecondaryIndex::selecting(patterns::SecondaryIndex::new(table, prefix, self::field(field)?), select)
    }

    /// Copies in other partitions: ``row_prefix`` and the rest is where the rows are, ``prefix`` and the same rest is where
    /// the copies are, their RowKey the value.
    #[staticmethod]
    #[pyo3(signature = (table, row_prefix, prefix, field, *, select = None))]
    fn in_partitions(
        table: &str,
        row_prefix: &str,
        prefix: &str,
        field: &Bound<'_, PyAny>,
        select: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SecondaryIndex> {
        let index = patterns::SecondaryIndex::in_partitions(table, row_prefix, prefix, self::field(field)?);
        SecondaryIndex::selecting(index, select)
    }

    /// Copies in another table, under the row's PartitionKey and the value.
    #[staticmethod]
    #[pyo3(signature = (table, copies, field, *, select = None))]
    fn in_table(
        table: &str,
        copies: &str,
        field: &Bound<'_, PyAny>,
        select: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SecondaryIndex> {
        SecondaryIndex::selecting(patterns::SecondaryIndex::in_table(table, copies, self::field(field)?), select)
    }

    /// All that is to be written when a row goes from one state to the next; ``None`` is no row.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// The steps that bring the copies to the row's state of now: ``current``, or ``None``. ``seen`` are states whose copies
    /// may be left over. The row itself is not written.
    fn reconcile(&self, seen: &Bound<'_, PyAny>, current: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (seen, current) = (entities(seen, "seen")?, states(current, None)?.0);
        Changes::made(self.0.reconcile(&seen.iter().collect::<Vec<_>>(), current.as_ref()))
    }

    /// The copy with this value, of a row in this partition: a point read.
    fn find(&self, partition_key: &str, value: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(partition_key, convert::asked_value(value, "value")?).map(Lookup).map_err(raise)
    }

    /// The copies whose value begins so, in the order of values.
    fn starting_with(&self, partition_key: &str, text: &str) -> PyResult<Lookup> {
        self.0.starting_with(partition_key, text).map(Lookup).map_err(raise)
    }

    /// The copies with values from the first to the last, both included, in the order of values.
    fn between(&self, partition_key: &str, first: &Bound<'_, PyAny>, last: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        let (first, last) = (convert::asked_value(first, "first")?, convert::asked_value(last, "last")?);
        self.0.between(partition_key, first, last).map(Lookup).map_err(raise)
    }

    /// All copies for the rows of a partition: each value once.
    fn list(&self, partition_key: &str) -> PyResult<Lookup> {
        self.0.list(partition_key).map(Lookup).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Finds rows by values that need not be unique, through a table whose PartitionKey is the value and whose RowKey is the
/// row's.
///
/// An entry holds the whole row (``full``), the keys of the row alone (``normalized``), or some properties and the keys
/// (``partial``). Several properties make one PartitionKey, with ``separator`` between them; entries are then found by the
/// first ones, too. ``composed`` puts them together by ``keys.compose``, for any values. With ``by_both_keys`` the RowKey of
/// an entry is made of both keys of the row. With ``shards`` the rows are spread over so many partitions, and the
/// PartitionKey of a row is that of ``shard_key``.
///
/// >>> by_town = IndexTable.partial("Customers", "ByTown", ["Town", "LastName"], ["LastName"])
/// >>> smith = {"PartitionKey": "1", "RowKey": "1", "Town": "Redmond", "LastName": "Smith"}
/// >>> [(step.table, step.keys) for step in by_town.changes(None, smith).steps]
/// [('ByTown', [('Redmond_Smith', '1')]), ('Customers', [('1', '1')])]
/// >>> by_town.find(["Redmond", "Smith"]).filter
/// "PartitionKey eq 'Redmond_Smith'"
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct IndexTable(patterns::IndexTable);

impl IndexTable {
    fn keyed(
        index: patterns::IndexTable,
        separator: Option<&str>,
        composed: bool,
        by_both_keys: bool,
        shards: Option<u32>,
    ) -> PyResult<IndexTable> {
        let index = match (separator, composed) {
            (None, false) => index,
            (Some(separator), false) => index.separator(separator),
            (None, true) => index.composed(),
            (Some(_), true) => return Err(PyTypeError::new_err("composed keys have no separator")),
        };
        let index = if by_both_keys { index.by_both_keys() } else { index };
        Ok(IndexTable(match shards {
            Some(shards) => index.sharded(shards),
            None => index,
        }))
    }
}

#[pymethods]
impl IndexTable {
    /// Entries that hold the whole row: one read. Each of them is written at every change.
    #[staticmethod]
    #[pyo3(signature = (table, entries, fields, *, separator = None, composed = false, by_both_keys = false, shards = None))]
    fn full(
        table: &str,
        entries: &str,
        fields: &Bound<'_, PyAny>,
        separator: Option<&str>,
        composed: bool,
        by_both_keys: bool,
        shards: Option<u32>,
    ) -> PyResult<IndexTable> {
        let index = patterns::IndexTable::full(table, entries, self::fields(fields)?);
        IndexTable::keyed(index, separator, composed, by_both_keys, shards)
    }

    /// Entries that hold the row's keys: two reads. Written when a value changes.
    #[staticmethod]
    #[pyo3(signature = (table, entries, fields, *, separator = None, composed = false, by_both_keys = false, shards = None))]
    fn normalized(
        table: &str,
        entries: &str,
        fields: &Bound<'_, PyAny>,
        separator: Option<&str>,
        composed: bool,
        by_both_keys: bool,
        shards: Option<u32>,
    ) -> PyResult<IndexTable> {
        let index = patterns::IndexTable::normalized(table, entries, self::fields(fields)?);
        IndexTable::keyed(index, separator, composed, by_both_keys, shards)
    }

    /// Entries that hold the row's keys and the properties of ``select``: one read for what is asked often.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    #[pyo3(signature = (table, entries, fields, select, *, separator = None, composed = false, by_both_keys = false, shards = None))]
    fn partial(
        table: &str,
        entries: &str,
        fields: &Bound<'_, PyAny>,
        select: &Bound<'_, PyAny>,
        separator: Option<&str>,
        composed: bool,
        by_both_keys: bool,
        shards: Option<u32>,
    ) -> PyResult<IndexTable> {
        let select = names(select, "select")?;
        let index = patterns::IndexTable::partial(table, entries, self::fields(fields)?, select);
        IndexTable::keyed(index, separator, composed, by_both_keys, shards)
    }

    /// All that is to be written when a row goes from one state to the next; ``None`` is no row.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// The steps that bring the entries to the row's state of now: ``current``, or ``None``. ``seen`` are states whose entries
    /// may be left over. The row itself is not written.
    fn reconcile(&self, seen: &Bound<'_, PyAny>, current: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (seen, current) = (entities(seen, "seen")?, states(current, None)?.0);
        Changes::made(self.0.reconcile(&seen.iter().collect::<Vec<_>>(), current.as_ref()))
    }

    /// The PartitionKey of a row with this RowKey: the number of its shard, padded to the width of the largest.
    fn shard_key(&self, row_key: &str) -> PyResult<String> {
        self.0.shard_key(row_key).map_err(raise)
    }

    /// The entries with these values: of all properties, or of the first ones.
    fn find(&self, values: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(self::values(values)?).map(Lookup).map_err(raise)
    }

    /// The entries whose last value given begins so, the others being equal.
    fn starting_with(&self, values: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.starting_with(self::values(values)?).map(Lookup).map_err(raise)
    }

    /// The entries of values of the first property from one to another, both included.
    fn between(&self, first: &Bound<'_, PyAny>, last: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        let (first, last) = (convert::asked_value(first, "first")?, convert::asked_value(last, "last")?);
        self.0.between(first, last).map(Lookup).map_err(raise)
    }

    /// The first entry of the next value: asked again with that entry's PartitionKey, it lists each value once.
    #[pyo3(signature = (after = None))]
    fn next_value(&self, after: Option<&str>) -> PyResult<Lookup> {
        self.0.next_value(after).map(Lookup).map_err(raise)
    }

    /// ``(partition_key, row_key)`` of the rows that the entries stand for, for ``get_many``.
    fn rows(&self, entries: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
        self.0.rows(&entities(entries, "entries")?).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Keeps a value unique: an entity whose key holds the value is inserted with the row, and a second row's insert fails.
///
/// ``UniqueGuard(table, prefix, field)`` keeps the guards in the row's partition, where the whole fails with
/// ``ResourceExistsError``: unique within the partition. With ``guards`` and ``partition_key`` they are in one partition of that
/// table, for rows of all partitions; the prefix may then be empty.
///
/// >>> unique = UniqueGuard("People", "Uname_", "UserName")
/// >>> person = {"PartitionKey": "Employee", "RowKey": "Id_012345", "UserName": "jbloggs"}
/// >>> unique.changes(None, person).group.keys
/// [('Employee', 'Id_012345'), ('Employee', 'Uname_jbloggs')]
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct UniqueGuard(patterns::UniqueGuard);

#[pymethods]
impl UniqueGuard {
    #[new]
    #[pyo3(signature = (table, prefix, field, *, guards = None, partition_key = None))]
    fn new(
        table: &str,
        prefix: &str,
        field: &Bound<'_, PyAny>,
        guards: Option<&str>,
        partition_key: Option<&str>,
    ) -> PyResult<UniqueGuard> {
        let guard = patterns::UniqueGuard::new(table, prefix, self::field(field)?);
        match (guards, partition_key) {
            (None, None) => Ok(UniqueGuard(guard)),
            (Some(guards), Some(partition_key)) => Ok(UniqueGuard(guard.across(guards, partition_key))),
            _ => Err(PyTypeError::new_err("guards and partition_key are given both, or none of them")),
        }
    }

    /// All that is to be written when a row goes from one state to the next; ``None`` is no row.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// The steps that bring the guards to the row's state of now: ``current``, or ``None``. ``seen`` are states whose guards
    /// may be left over. The row itself is not written.
    fn reconcile(&self, seen: &Bound<'_, PyAny>, current: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (seen, current) = (entities(seen, "seen")?, states(current, None)?.0);
        Changes::made(self.0.reconcile(&seen.iter().collect::<Vec<_>>(), current.as_ref()))
    }

    /// The guard of a value: if it is there, the value is taken. ``partition_key`` is that of the rows.
    fn find(&self, partition_key: &str, value: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(partition_key, convert::asked_value(value, "value")?).map(Lookup).map_err(raise)
    }

    /// ``(partition_key, row_key)`` of the row that holds the value.
    fn holder(&self, guard: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
        self.0.holder(&convert::read_entity(guard, None)?).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Finds rows by a text whatever its case: the row holds the folded text as a property of its own (``property``), or is
/// copied to a key that begins with it (``keyed``).
///
/// >>> jones = {"PartitionKey": "Sales", "RowKey": "000223", "LastName": "JONES"}
/// >>> by_property = FoldedKey.property("Employees", "LastName", "LastNameFolded")
/// >>> by_property.row_of(jones)["LastNameFolded"]
/// 'jones'
/// >>> by_property.find("Sales", "Jones").filter
/// "PartitionKey eq 'Sales' and LastNameFolded eq 'jones'"
/// >>> FoldedKey.keyed("Employees", "name_", "LastName").changes(None, jones).group.keys
/// [('Sales', '000223'), ('Sales', 'name_jones_000223')]
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct FoldedKey(patterns::FoldedKey);

#[pymethods]
impl FoldedKey {
    /// The folded text is a property of the row, named ``folded``.
    #[staticmethod]
    fn property(table: &str, property: &str, folded: &str) -> FoldedKey {
        FoldedKey(patterns::FoldedKey::property(table, property, folded))
    }

    /// A copy of the row in its partition, under the prefix, the folded text, ``_`` and the row's RowKey.
    #[staticmethod]
    fn keyed(table: &str, prefix: &str, property: &str) -> FoldedKey {
        FoldedKey(patterns::FoldedKey::keyed(table, prefix, property))
    }

    /// The row as it is stored: with the property, if it is the pattern's way to have one.
    fn row_of<'py>(&self, row: &Bound<'py, PyAny>) -> PyResult<Bound<'py, TableEntity>> {
        made(row.py(), self.0.row_of(&convert::read_entity(row, None)?))
    }

    /// All that is to be written when a row goes from one state to the next; ``None`` is no row.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// The steps that bring the copies to the row's state of now: ``current``, or ``None``. ``seen`` are states whose copies
    /// may be left over. The row itself is not written.
    fn reconcile(&self, seen: &Bound<'_, PyAny>, current: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (seen, current) = (entities(seen, "seen")?, states(current, None)?.0);
        Changes::made(self.0.reconcile(&seen.iter().collect::<Vec<_>>(), current.as_ref()))
    }

    /// The rows, or their copies, that have this text in any case.
    fn find(&self, partition_key: &str, text: &str) -> PyResult<Lookup> {
        self.0.find(partition_key, text).map(Lookup).map_err(raise)
    }

    /// Those whose text begins so.
    fn starting_with(&self, partition_key: &str, text: &str) -> PyResult<Lookup> {
        self.0.starting_with(partition_key, text).map(Lookup).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}
