//! Entities as their rows have them: for those who make objects of their own of them.

use super::project::{HandedOut, Projection, of_row};
use crate::catalog::TableView;
use crate::codec::row::Row;
use crate::model::KeyPair;
use crate::{DateTime, ETag, Entity, Result, ValueRef};
use std::sync::Arc;

/// An entity that was read, in one piece of memory: its values are read where they lie, when they are asked for.
///
/// For bindings and others who make objects of their own of what is read: an [`Entity`] has memory of its own for each text.
/// It is as it was when it was read, and outlives the store.
///
/// # Example
/// ```
/// use entable::{entity, Store, ValueRef};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001", "Customer" => "Bonn AG", "Lines" => 3 })?;
/// let order = orders.get_stored_entity("DE", "0001")?;
/// let properties = order.properties()?;
/// assert!(matches!(properties[..], [("Customer", ValueRef::String("Bonn AG")), ("Lines", ValueRef::Int32(3))]));
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StoredEntity(Form);

#[derive(Clone, Debug)]
enum Form {
    /// The bytes have been compared with their CRC, and their frame with the shapes.
    Row {
        table: Arc<TableView>,
        keys: KeyPair,
        version: DateTime,
        bytes: Box<[u8]>,
    },
    Decoded(Entity),
}

impl StoredEntity {
    /// The PartitionKey; empty where a projection does not name it.
    pub fn partition_key(&self) -> &str {
        match &self.0 {
            Form::Row { keys, .. } => keys.partition_key(),
            Form::Decoded(entity) => entity.partition_key(),
        }
    }

    /// The RowKey; empty where a projection does not name it.
    pub fn row_key(&self) -> &str {
        match &self.0 {
            Form::Row { keys, .. } => keys.row_key(),
            Form::Decoded(entity) => entity.row_key(),
        }
    }

    /// When the entity was last written; `None` where a projection does not name `Timestamp`.
    pub fn timestamp(&self) -> Option<DateTime> {
        match &self.0 {
            Form::Row { version, .. } => Some(*version),
            Form::Decoded(entity) => entity.timestamp(),
        }
    }

    /// The version, for conditional writes.
    pub fn etag(&self) -> Option<ETag> {
        match &self.0 {
            Form::Row { version, .. } => Some(ETag::from_timestamp(*version)),
            Form::Decoded(entity) => entity.etag(),
        }
    }

    /// The properties in their order, without keys and Timestamp.
    ///
    /// # Errors
    /// [`ErrorCode::Damaged`](crate::ErrorCode::Damaged) if the bytes of one are no value of its type.
    pub fn properties(&self) -> Result<Vec<(&str, ValueRef<'_>)>> {
        match &self.0 {
            // The key is looked at for the CRC alone.
            Form::Row { table, keys, bytes, .. } => Row::new(&[], bytes, &table.shapes)
                .and_then(|row| row.borrowed_properties())
                .map_err(|error| error.table(&table.record.name).keys(keys.partition_key(), keys.row_key())),
            Form::Decoded(entity) => Ok(entity.properties().map(|(name, value)| (name, value.as_ref())).collect()),
        }
    }
}

impl From<Entity> for StoredEntity {
    fn from(entity: Entity) -> StoredEntity {
        StoredEntity(Form::Decoded(entity))
    }
}

impl HandedOut for StoredEntity {
    fn of_row(
        table: &Arc<TableView>,
        keys: (&str, &str),
        row: &Row<'_>,
        bytes: &[u8],
        select: Option<&Projection>,
    ) -> Result<StoredEntity> {
        if select.is_some() {
            return of_row(keys, row, select).map(StoredEntity::from);
        }
        let (table, keys) = (Arc::clone(table), KeyPair::new(keys.0, keys.1));
        Ok(StoredEntity(Form::Row { table, keys, version: row.timestamp(), bytes: bytes.into() }))
    }

    fn partition_key(&self) -> &str {
        self.partition_key()
    }
}
