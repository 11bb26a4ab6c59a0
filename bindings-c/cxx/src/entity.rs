//! Entities between C++ and the core.

use crate::bridge::EntitySink;
use crate::failure::{Failure, Raised, boundary};
use crate::query::Names;
use crate::value::{choose, date_time, mode, text, unix_ticks};
use entable::{
    Addend, DateTime, ETag, EntityInput, Error, ErrorCode, Guid, InputValue, IntoEntity, JsonOptions, Metadata, Value,
    ValueRef,
};
use std::mem;
use std::pin::Pin;

type Done = Result<(), Raised>;

/// An entity on its way, and what a merge is to add and to remove.
pub(crate) struct Entity(pub(crate) entable::Entity, Vec<(Box<str>, InputValue)>);

impl From<entable::Entity> for Entity {
    fn from(entity: entable::Entity) -> Self {
        Entity(entity, Vec::new())
    }
}

pub(crate) fn new_entity(partition_key: &[u8], row_key: &[u8]) -> Result<Box<Entity>, Raised> {
    boundary(|| {
        let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
        Ok(Box::new(entable::Entity::new(partition_key, row_key).into()))
    })
}

pub(crate) fn entity_from_json(json: &[u8], number: u8) -> Result<Box<Entity>, Raised> {
    boundary(|| {
        let input = entable::entity_from_json(text(json, "text")?, mode(number)?)?;
        let mut read = entable::Entity::new(input.partition_key(), input.row_key());
        for (name, value) in input.properties() {
            match value {
                InputValue::Typed(value) => read.insert(name, value.clone()),
                // JSON types every number (S2.5), and changes nothing.
                InputValue::Untyped(_) | InputValue::Add(_) | InputValue::Remove => {
                    return Err(Error::new(ErrorCode::Internal).into());
                }
            };
        }
        Ok(Box::new(read.into()))
    })
}

impl Entity {
    fn set(&mut self, name: &[u8], value: impl FnOnce(&str) -> Result<Value, Box<Failure>>) -> Done {
        boundary(|| {
            let name = text(name, "name")?;
            self.0.insert(name, value(name)?);
            Ok(())
        })
    }

    pub(crate) fn set_int32(&mut self, name: &[u8], value: i32) -> Done {
        self.set(name, |_| Ok(value.into()))
    }

    pub(crate) fn set_int64(&mut self, name: &[u8], value: i64) -> Done {
        self.set(name, |_| Ok(value.into()))
    }

    pub(crate) fn set_double(&mut self, name: &[u8], value: f64) -> Done {
        self.set(name, |_| Ok(value.into()))
    }

    pub(crate) fn set_date_time(&mut self, name: &[u8], ticks: i64) -> Done {
        self.set(name, |name| Ok(date_time(ticks, name)?.into()))
    }

    pub(crate) fn set_guid(&mut self, name: &[u8], value: &[u8; 16]) -> Done {
        self.set(name, |_| Ok(Guid::from_bytes(*value).into()))
    }

    pub(crate) fn set_boolean(&mut self, name: &[u8], value: bool) -> Done {
        self.set(name, |_| Ok(value.into()))
    }

    pub(crate) fn set_string(&mut self, name: &[u8], value: &[u8]) -> Done {
        self.set(name, |name| Ok(text(value, name)?.into()))
    }

    pub(crate) fn set_binary(&mut self, name: &[u8], value: &[u8]) -> Done {
        self.set(name, |_| Ok(value.into()))
    }

    /// What a write takes.
    pub(crate) fn input(self) -> Result<EntityInput, Box<Failure>> {
        let mut input = self.0.into_input()?;
        self.1.into_iter().for_each(|(name, change)| input.push(&name, change));
        Ok(input)
    }

    /// Has a merge add what `of` has under this name.
    pub(crate) fn add(&mut self, name: &[u8], of: &Entity) -> Done {
        boundary(|| {
            let name = text(name, "name")?;
            let number = of.0.get(name).cloned().ok_or_else(|| Failure::misuse("number", "There is none."))?;
            let addend = Addend::try_from(InputValue::Typed(number));
            let addend = addend.map_err(|_| Failure::misuse("number", "Only a number can be added."))?;
            self.1.push((name.into(), InputValue::Add(addend)));
            Ok(())
        })
    }

    /// Has a merge take a property out.
    pub(crate) fn erase(&mut self, name: &[u8]) -> Done {
        boundary(|| {
            self.1.push((text(name, "name")?.into(), InputValue::Remove));
            Ok(())
        })
    }

    pub(crate) fn read_into(&self, sink: Pin<&mut EntitySink>) -> Done {
        boundary(|| Ok(read_into(&self.0, sink)?))
    }

    /// Takes the entity out and puts it back with another version.
    fn version(&mut self, timestamp: Option<DateTime>, etag: Option<&ETag>) {
        self.0 = mem::take(&mut self.0).with_version(timestamp, etag);
    }

    pub(crate) fn set_timestamp(&mut self, ticks: i64) -> Done {
        boundary(|| {
            let (timestamp, etag) = (date_time(ticks, "timestamp")?, self.0.etag());
            self.version(Some(timestamp), etag.as_ref());
            Ok(())
        })
    }

    pub(crate) fn set_etag(&mut self, etag: &[u8]) -> Done {
        boundary(|| {
            let etag: ETag = text(etag, "etag")?.parse()?;
            self.version(self.0.timestamp(), Some(&etag));
            Ok(())
        })
    }

    pub(crate) fn to_json(&self, metadata: u8, selects: bool, names: &Names) -> Result<String, Raised> {
        boundary(|| {
            let metadata = choose(metadata, &[Metadata::None, Metadata::Minimal, Metadata::Full], "metadata")?;
            let names: Vec<&str> = names.0.iter().map(|name| &**name).collect();
            let select = selects.then_some(&*names);
            Ok(entable::entity_to_json(&self.0, &JsonOptions { metadata, select, ..JsonOptions::default() }))
        })
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.0.size_bytes()
    }
}

/// Gives an entity to C++, each text and value once.
pub(crate) fn read_into(entity: &entable::Entity, mut sink: Pin<&mut EntitySink>) -> Result<(), cxx::Exception> {
    sink.as_mut().set_keys(entity.partition_key(), entity.row_key())?;
    if let Some(etag) = entity.etag() {
        sink.as_mut().set_etag(&etag.to_string())?;
    }
    if let Some(timestamp) = entity.timestamp() {
        sink.as_mut().set_timestamp(unix_ticks(timestamp))?;
    }
    for (name, value) in entity.properties() {
        let sink = sink.as_mut();
        match value.as_ref() {
            ValueRef::Int32(value) => sink.add_int32(name, value)?,
            ValueRef::Int64(value) => sink.add_int64(name, value)?,
            ValueRef::Double(value) => sink.add_double(name, value)?,
            ValueRef::DateTime(value) => sink.add_date_time(name, unix_ticks(value))?,
            ValueRef::Guid(value) => sink.add_guid(name, value.as_bytes())?,
            ValueRef::Boolean(value) => sink.add_boolean(name, value)?,
            ValueRef::String(value) => sink.add_string(name, value)?,
            ValueRef::Binary(value) => sink.add_binary(name, value)?,
        }
    }
    Ok(())
}
