//! Patterns that keep one entity for a value, whatever the number of rows that have it.

use super::changes::Changes;
use super::field::{field, fields};
use super::lookup::Lookup;
use super::{entities, states, values};
use crate::convert;
use crate::error::raise;
use entable::patterns;
use pyo3::prelude::*;

/// Finds rows by values that need not be unique, through one entity for each value that lists the RowKeys of its rows.
///
/// The list is text in the property ``list_property``, with commas between the ids, and goes on in further properties and
/// entities where one is full. It lies in the row's partition, under the prefix and the value; with ``lists`` in that table,
/// in partitions named by ``partition_prefix`` and the row's PartitionKey. ``composed`` puts several values together by
/// ``keys.compose``, for those that may hold ``_``.
///
/// A list is read, changed and written on condition of its ETag: ``reads`` says what to read, and ``changes`` takes it.
///
/// >>> by_name = IndexEntities("Employees", "LastName_", ["LastName"])
/// >>> jones = {"PartitionKey": "Sales", "RowKey": "000223", "LastName": "Jones"}
/// >>> by_name.changes(None, jones, []).group.keys
/// [('Sales', '000223'), ('Sales', 'LastName_Jones')]
/// >>> by_name.rows("Sales", [{"PartitionKey": "Sales", "RowKey": "LastName_Jones", "Ids": "000223,000242"}])
/// [('Sales', '000223'), ('Sales', '000242')]
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct IndexEntities(patterns::IndexEntities);

#[pymethods]
impl IndexEntities {
    #[new]
    #[pyo3(signature = (table, prefix, fields, *, lists = None, partition_prefix = "", list_property = "Ids", composed = false))]
    fn new(
        table: &str,
        prefix: &str,
        fields: &Bound<'_, PyAny>,
        lists: Option<&str>,
        partition_prefix: &str,
        list_property: &str,
        composed: bool,
    ) -> PyResult<IndexEntities> {
        let index = patterns::IndexEntities::new(table, prefix, self::fields(fields)?);
        let index = index.placed(lists.unwrap_or(table), partition_prefix).list_property(list_property);
        Ok(IndexEntities(if composed { index.composed() } else { index }))
    }

    /// The lists that a change touches: to be read, and handed to ``changes``.
    fn reads(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Lookup>> {
        let (former, new) = states(former, new)?;
        let reads = self.0.reads(former.as_ref(), new.as_ref()).map_err(raise)?;
        Ok(reads.into_iter().map(Lookup).collect())
    }

    /// All that is to be written when a row goes from one state to the next; ``None`` is no row. ``lists`` is what ``reads``
    /// led to, as it was read.
    fn changes(
        &self,
        former: Option<&Bound<'_, PyAny>>,
        new: Option<&Bound<'_, PyAny>>,
        lists: &Bound<'_, PyAny>,
    ) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref(), &entities(lists, "lists")?))
    }

    /// The steps that bring the lists to the row's state of now: in those of ``current``, in none of the others that ``seen``
    /// had. ``lists`` is what ``reads`` leads to for each pair of a state seen and the present one, and for ``None`` and the
    /// present one.
    fn reconcile(
        &self,
        seen: &Bound<'_, PyAny>,
        current: Option<&Bound<'_, PyAny>>,
        lists: &Bound<'_, PyAny>,
    ) -> PyResult<Changes> {
        let (seen, current) = (entities(seen, "seen")?, states(current, None)?.0);
        let lists = entities(lists, "lists")?;
        Changes::made(self.0.reconcile(&seen.iter().collect::<Vec<_>>(), current.as_ref(), &lists))
    }

    /// The list for these values, of rows in this partition: as many entities as it has parts, mostly one.
    fn find(&self, partition_key: &str, values: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(partition_key, self::values(values)?).map(Lookup).map_err(raise)
    }

    /// All lists for the rows of a partition: each value once, its further parts after it.
    fn list(&self, partition_key: &str) -> PyResult<Lookup> {
        self.0.list(partition_key).map(Lookup).map_err(raise)
    }

    /// The ids in the lists, in the order of parts.
    fn ids(&self, lists: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        Ok(self.0.ids(&entities(lists, "lists")?))
    }

    /// ``(partition_key, row_key)`` of the rows in the lists, for ``get_many``.
    fn rows(&self, partition_key: &str, lists: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
        Ok(self.0.rows(partition_key, &entities(lists, "lists")?))
    }

    /// The value that a list is for, as it stands in the key; ``None`` for a further part and for other entities.
    fn value_of(&self, list: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        Ok(self.0.value_of(&convert::read_entity(list, None)?).map(str::to_owned))
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Lists the values that a partition's rows have, each once: an entity for each value, under a prefix of its own, with the
/// number of rows that have it in ``Count``.
///
/// The count is written in the row's group, on condition of the ETag it was read with: ``reads`` says what to read, and
/// ``changes`` takes it. ``row_prefix`` is what the RowKeys of rows begin with, where other entities lie beside them.
///
/// >>> cities = DistinctList("Employees", "City_", "City")
/// >>> row = {"PartitionKey": "Sales", "RowKey": "000223", "City": "Palo Alto"}
/// >>> cities.reads(None, row)
/// [('Sales', 'City_Palo Alto')]
/// >>> cities.counts([{"PartitionKey": "Sales", "RowKey": "City_Palo Alto", "Count": 2}])
/// [('Palo Alto', 2)]
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct DistinctList(patterns::DistinctList);

#[pymethods]
impl DistinctList {
    #[new]
    #[pyo3(signature = (table, prefix, field, *, row_prefix = ""))]
    fn new(table: &str, prefix: &str, field: &Bound<'_, PyAny>, row_prefix: &str) -> PyResult<DistinctList> {
        Ok(DistinctList(patterns::DistinctList::new(table, prefix, self::field(field)?).row_prefix(row_prefix)))
    }

    /// ``(partition_key, row_key)`` of the counts that a change touches: for ``get_many``, whose answer ``changes`` takes.
    fn reads(
        &self,
        former: Option<&Bound<'_, PyAny>>,
        new: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<(String, String)>> {
        let (former, new) = states(former, new)?;
        self.0.reads(former.as_ref(), new.as_ref()).map_err(raise)
    }

    /// What is to be written when a row goes from one state to the next; ``None`` is no row. ``counts`` is what is stored
    /// under ``reads``, as it was read.
    fn changes(
        &self,
        former: Option<&Bound<'_, PyAny>>,
        new: Option<&Bound<'_, PyAny>>,
        counts: &Bound<'_, PyAny>,
    ) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref(), &entities(counts, "counts")?))
    }

    /// The steps that make the counts of a partition anew from all its rows; ``counts`` is all of ``list``. Nobody should
    /// write rows meanwhile.
    fn rebuild(&self, partition_key: &str, rows: &Bound<'_, PyAny>, counts: &Bound<'_, PyAny>) -> PyResult<Changes> {
        let (rows, counts) = (entities(rows, "rows")?, entities(counts, "counts")?);
        Changes::made(self.0.rebuild(partition_key, &rows, &counts))
    }

    /// The entities of a partition's values: a range, each value once.
    fn list(&self, partition_key: &str) -> PyResult<Lookup> {
        self.0.list(partition_key).map(Lookup).map_err(raise)
    }

    /// The entity of a value: a point read.
    fn find(&self, partition_key: &str, value: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(partition_key, convert::asked_value(value, "value")?).map(Lookup).map_err(raise)
    }

    /// The values, as they stand in keys, and their numbers of rows.
    fn counts(&self, entities: &Bound<'_, PyAny>) -> PyResult<Vec<(String, i64)>> {
        self.0.counts(&self::entities(entities, "entities")?).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}
