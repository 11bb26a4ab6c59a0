//! Entities: what is read, and what is handed in to be written.

use super::key_pair::KeyPair;
use super::properties::Properties;
use super::{Addend, DateTime, ETag, EdmType, Value, ValueRef, names, shared_name};
use crate::limits::{self, Limits, Mode};
use crate::{Error, ErrorCode, Result};
use std::collections::HashSet;
use std::ops::Index;
use std::sync::Arc;

/// An entity: PartitionKey, RowKey, and properties with a name and a typed value each.
///
/// Properties keep the order in which they were first written (S4.4.6). One that was read also has the
/// Timestamp and ETag that the store gave it; a query with a projection leaves the keys empty unless they are
/// selected (S7.7.2).
///
/// # Example
/// ```
/// use entable::{entity, Value};
/// let order = entity! { "DE", "0001", "Total" => 12.5, "Paid" => true };
/// assert_eq!(order["Total"], 12.5);
/// assert_eq!(order.get("Missing"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Entity {
    keys: KeyPair,
    timestamp: Option<DateTime>,
    version: Option<DateTime>,
    properties: Properties,
}

impl Entity {
    /// An entity with these keys and no properties.
    pub fn new(partition_key: impl Into<String>, row_key: impl Into<String>) -> Entity {
        Entity { keys: KeyPair::of(partition_key, row_key.into()), ..Entity::default() }
    }

    /// What a row of the store says: `timestamp` is `None` where a projection leaves it out,
    /// `version` is the row's in any case.
    pub(crate) fn stored(
        keys: KeyPair,
        timestamp: Option<DateTime>,
        version: DateTime,
        properties: Properties,
    ) -> Entity {
        Entity { keys, timestamp, version: Some(version), properties }
    }

    /// The same, with Timestamp and version of another.
    pub(crate) fn with_version_of(mut self, other: &Entity) -> Entity {
        (self.timestamp, self.version) = (other.timestamp, other.version);
        self
    }

    /// The PartitionKey.
    pub fn partition_key(&self) -> &str {
        self.keys.partition_key()
    }

    /// The RowKey.
    pub fn row_key(&self) -> &str {
        self.keys.row_key()
    }

    /// When the entity was last written; `None` for one that was not read from a store, or whose
    /// projection does not name `Timestamp`.
    pub fn timestamp(&self) -> Option<DateTime> {
        self.timestamp
    }

    /// The version, for conditional writes; `None` for an entity that was not read from a store.
    pub fn etag(&self) -> Option<ETag> {
        self.version.map(ETag::from_timestamp)
    }

    /// The entity with the Timestamp and ETag that a store has given it: for programs that keep what they read in types
    /// of their own, and want its JSON. To a write they say nothing.
    ///
    /// # Example
    /// ```
    /// use entable::{entity, entity_to_json, DateTime, ETag, JsonOptions};
    /// let at: DateTime = "2026-12-01T12:00:00Z".parse()?;
    /// let order = entity! { "DE", "0001" }.with_version(Some(at), Some(&ETag::from_timestamp(at)));
    /// assert!(entity_to_json(&order, &JsonOptions::default()).contains(r#""Timestamp":"2026-12-01T12:00:00Z""#));
    /// # Ok::<(), entable::Error>(())
    /// ```
    #[must_use]
    pub fn with_version(mut self, timestamp: Option<DateTime>, etag: Option<&ETag>) -> Entity {
        self.timestamp = timestamp;
        self.version = etag.and_then(ETag::timestamp);
        self
    }

    /// The value of a property.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.properties.get(name)
    }

    /// Sets a property, and gives back the value that it had. A new one comes last.
    ///
    /// The store sets `Timestamp` itself: a property of that name is not written (S1.4.4).
    pub fn insert(&mut self, name: impl AsRef<str>, value: impl Into<Value>) -> Option<Value> {
        self.properties.insert(name.as_ref(), value.into())
    }

    /// Takes a property out of this value (not out of the store: see
    /// [`UpdateMode::Replace`](crate::UpdateMode::Replace)).
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.properties.remove(name)
    }

    /// The properties in their order, without keys and Timestamp.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.properties.iter()
    }

    /// Bytes of the entity by the published formula, which the limit of 1 MiB counts (S3.1).
    ///
    /// # Example
    /// ```
    /// assert_eq!(entable::entity! { "a", "b", "N" => 1 }.size_bytes(), 22);
    /// ```
    pub fn size_bytes(&self) -> usize {
        let properties = self.properties.iter().map(|(name, value)| property_bytes(name, value.as_ref()));
        keys_bytes(self.partition_key(), self.row_key()) + properties.sum::<usize>()
    }
}

/// Equal if keys and properties are, in any order; Timestamp and ETag do not count.
impl PartialEq for Entity {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys
            && self.properties().len() == other.properties().len()
            && self.properties.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl Index<&str> for Entity {
    type Output = Value;

    /// # Panics
    /// If there is no such property: use [`Entity::get`] where that may be.
    fn index(&self, name: &str) -> &Value {
        match self.get(name) {
            Some(value) => value,
            None => panic!("the entity has no property {name:?}"),
        }
    }
}

/// Bytes of the two keys in the formula of S3.1.
pub(crate) fn keys_bytes(partition_key: &str, row_key: &str) -> usize {
    4 + 2 * (names::utf16_units(partition_key) + names::utf16_units(row_key))
}

/// Bytes of one property in the formula of S3.1.
pub(crate) fn property_bytes(name: &str, value: ValueRef<'_>) -> usize {
    formula(name, value, names::utf16_units)
}

/// What [`property_bytes`] is at most, told without a look at the text: no text is longer in units than in bytes.
pub(crate) fn most_property_bytes(name: &str, value: ValueRef<'_>) -> usize {
    formula(name, value, str::len)
}

#[inline]
fn formula(name: &str, value: ValueRef<'_>, units: impl Fn(&str) -> usize) -> usize {
    let value_bytes = match value {
        ValueRef::String(text) => 2 * units(text) + 4,
        ValueRef::Binary(bytes) => bytes.len() + 4,
        ValueRef::Boolean(_) => 1,
        ValueRef::Int32(_) => 4,
        ValueRef::Int64(_) | ValueRef::Double(_) | ValueRef::DateTime(_) => 8,
        ValueRef::Guid(_) => 16,
    };
    8 + 2 * units(name) + value_bytes
}

/// A number from a language that has one kind of number: the store decides its type when it writes.
///
/// In [`Mode::Portable`] and [`Mode::Extended`]: the type that the stored property of that name has, if the value
/// fits it exactly; else Int32, Int64, Double, the first that fits. In [`Mode::Strict`]: as that language's
/// official client does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UntypedNumber {
    /// A whole number, such as Python's `int`. Strict: Int32, or an error beyond 32 bits.
    Integer(i64),
    /// A binary64 number, such as JavaScript's `number`. Strict: whole within 32 bits is Int32, else Double.
    Number(f64),
}

impl UntypedNumber {
    /// The typed value, given the type of the stored property of that name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`]: strict, and an integer beyond 32 bits.
    ///
    /// # Example
    /// ```
    /// use entable::{EdmType, Mode, UntypedNumber, Value};
    /// let number = UntypedNumber::Integer(5);
    /// assert_eq!(number.resolve(Some(EdmType::Int64), Mode::Portable)?, Value::Int64(5));
    /// assert_eq!(number.resolve(None, Mode::Portable)?, Value::Int32(5));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn resolve(self, stored: Option<EdmType>, mode: Mode) -> Result<Value> {
        let double = match self {
            UntypedNumber::Integer(number) => Some(number as f64)
                .filter(|double| super::compare::integer_double(number, *double) == Some(std::cmp::Ordering::Equal)),
            UntypedNumber::Number(number) => Some(number),
        };
        let integer = match self {
            UntypedNumber::Integer(number) => Some(number),
            UntypedNumber::Number(number) => exact_integer(number),
        };
        let int32 = integer.and_then(|number| i32::try_from(number).ok()).map(Value::Int32);
        if mode == Mode::Strict {
            return match (int32, self) {
                (Some(value), _) => Ok(value),
                (None, UntypedNumber::Number(number)) => Ok(Value::Double(number)),
                (None, UntypedNumber::Integer(number)) => Err(Error::invalid(format!(
                    "{number} does not fit an Int32, and the official client takes no other untyped integer: say Int64."
                ))),
            };
        }
        let (int64, double) = (integer.map(Value::Int64), double.map(Value::Double));
        let stored = match stored {
            Some(EdmType::Int32) => int32.clone(),
            Some(EdmType::Int64) => int64.clone(),
            Some(EdmType::Double) => double.clone(),
            _ => None,
        };
        // An integer fits Int64, and any other number is a Double, so one of them is there.
        Ok(stored.or(int32).or(int64).or(double).unwrap_or(Value::Double(f64::NAN)))
    }
}

/// The integer that equals this number. −0.0 is none: as an integer it would lose its sign.
pub(super) fn exact_integer(number: f64) -> Option<i64> {
    let within =
        number.trunc() == number && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    (within && !(number == 0.0 && number.is_sign_negative())).then_some(number as i64)
}

/// A value as handed in: typed, or a number whose type the store decides; or, in a merge, a change of what is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum InputValue {
    /// A value of a given type.
    Typed(Value),
    /// A number without a type.
    Untyped(UntypedNumber),
    /// In a merge: this is added to what the property has (S4.8.2). Elsewhere an error.
    Add(Addend),
    /// In a merge: the property is taken out, if it is there (S4.8.1). Elsewhere an error.
    Remove,
}

impl InputValue {
    /// Whether it changes what is stored, so that it has a meaning in a merge alone.
    fn is_change(&self) -> bool {
        matches!(self, InputValue::Add(_) | InputValue::Remove)
    }
}

impl<T: Into<Value>> From<T> for InputValue {
    fn from(value: T) -> InputValue {
        InputValue::Typed(value.into())
    }
}

impl From<UntypedNumber> for InputValue {
    fn from(number: UntypedNumber) -> InputValue {
        InputValue::Untyped(number)
    }
}

/// An entity as handed in to a write: what bindings build, and what every form of entity becomes.
///
/// A property set to null is left out by whoever builds it: null is never stored (S2.2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityInput {
    pub(crate) keys: KeyPair,
    pub(crate) etag: Option<ETag>,
    pub(crate) properties: Vec<(Arc<str>, InputValue)>,
}

impl EntityInput {
    /// An input with these keys and no properties.
    pub fn new(partition_key: impl Into<String>, row_key: impl Into<String>) -> EntityInput {
        EntityInput { keys: KeyPair::of(partition_key, row_key.into()), ..EntityInput::default() }
    }

    /// Adds a property. A name that comes twice is an error of the write (S1.4.6); `Timestamp` is the store's, and
    /// left out whatever its value (S1.4.4).
    pub fn push(&mut self, name: impl AsRef<str>, value: impl Into<InputValue>) {
        let (name, value) = (name.as_ref(), value.into());
        // That the store's own Timestamp is to be changed is no slip to be silent about.
        if name != names::TIMESTAMP || value.is_change() {
            self.properties.push((shared_name(name), value));
        }
    }

    /// The same input that, in a merge, adds a number to what a property has (S4.8.2).
    ///
    /// # Example
    /// See [`Addend`].
    #[must_use]
    pub fn adding(mut self, name: impl AsRef<str>, addend: impl Into<Addend>) -> EntityInput {
        self.push(name, InputValue::Add(addend.into()));
        self
    }

    /// The same input that, in a merge, takes a property out of the entity, if it is there (S4.8.1).
    ///
    /// # Example
    /// ```
    /// use entable::{EntityInput, Store, UpdateMode, entity};
    /// let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5, "Note" => "call first" })?;
    /// orders.update_entity(EntityInput::new("DE", "0001").removing("Note"), UpdateMode::Merge)?;
    /// assert_eq!(orders.get_entity("DE", "0001")?, entity! { "DE", "0001", "Total" => 12.5 });
    /// # Ok::<(), entable::Error>(())
    /// ```
    #[must_use]
    pub fn removing(mut self, name: impl AsRef<str>) -> EntityInput {
        self.push(name, InputValue::Remove);
        self
    }

    /// Refuses what has a meaning in a merge alone (S4.8.1, S4.8.2).
    ///
    /// # Errors
    /// `InvalidInput` with the property.
    pub(crate) fn check_whole(&self) -> Result<()> {
        match self.properties.iter().find(|(_, value)| value.is_change()) {
            Some((name, value)) => {
                let what = if *value == InputValue::Remove { "remove a property" } else { "add to a property" };
                Err(Error::invalid(format!("Only a merge can {what}, '{}' here.", name.escape_debug()))
                    .property(name)
                    .keys(self.partition_key(), self.row_key()))
            }
            None => Ok(()),
        }
    }

    /// The PartitionKey.
    pub fn partition_key(&self) -> &str {
        self.keys.partition_key()
    }

    /// The RowKey.
    pub fn row_key(&self) -> &str {
        self.keys.row_key()
    }

    /// The properties in their order, without keys.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = (&str, &InputValue)> {
        self.properties.iter().map(|(name, value)| (&**name, value))
    }

    /// The ETag that came along with the entity, if it was read from a store.
    pub fn etag(&self) -> Option<&ETag> {
        self.etag.as_ref()
    }

    /// The entity as the store would keep it with this Timestamp if nothing were there: a number without a type gets
    /// the one that it would have then. Without a Timestamp it has no ETag.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`]: strict, and a number without a type that the official client would not take.
    ///
    /// # Example
    /// ```
    /// use entable::{DateTime, EntityInput, Mode, UntypedNumber};
    /// let mut input = EntityInput::new("DE", "0001");
    /// input.push("Views", UntypedNumber::Integer(1 << 40));
    /// let entity = input.to_entity(Some(DateTime::now()), Mode::Portable)?;
    /// assert!(entity["Views"] == 1_i64 << 40 && entity.etag().is_some());
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn to_entity(&self, timestamp: Option<DateTime>, mode: Mode) -> Result<Entity> {
        let mut entity = Entity::new(self.partition_key(), self.row_key());
        (entity.timestamp, entity.version) = (timestamp, timestamp);
        for (name, value) in &self.properties {
            let value = match value {
                InputValue::Typed(value) => Ok(value.clone()),
                InputValue::Untyped(number) => number.resolve(None, mode),
                InputValue::Add(addend) => addend.alone(mode),
                InputValue::Remove => continue,
            };
            entity.insert(name, value.map_err(|error| error.property(name))?);
        }
        Ok(entity)
    }

    /// Checks keys, names and values by the rules of a mode, without the store (S4.6, step 2).
    ///
    /// # Errors
    /// The codes of S4.7 for keys, property names and values; each names the property.
    pub fn check(&self, mode: Mode) -> Result<()> {
        let limits = mode.limits();
        self.check_parts(limits).map_err(|error| error.keys(self.partition_key(), self.row_key()))
    }

    fn check_parts(&self, limits: &Limits) -> Result<()> {
        for (name, value) in &self.properties {
            if let InputValue::Typed(value) = value {
                check_value(value.as_ref(), limits).map_err(|error| error.property(name))?;
            }
        }
        // Few names are sooner compared than hashed.
        const FEW: usize = 20;
        let is_few = self.properties.len() <= FEW;
        let mut names = HashSet::new();
        for (at, (name, _)) in self.properties.iter().enumerate() {
            names::check_property_name(name, limits)?;
            let is_new =
                if is_few { self.properties[..at].iter().all(|(known, _)| known != name) } else { names.insert(name) };
            if !is_new {
                return Err(Error::new(ErrorCode::DuplicatePropertiesSpecified).property(name));
            }
        }
        check_keys(self.partition_key(), self.row_key(), limits)?;
        check_count(self.properties.iter().filter(|(_, value)| *value != InputValue::Remove).count(), limits)
    }
}

/// Checks both keys of an entity.
pub(crate) fn check_keys(partition_key: &str, row_key: &str, limits: &Limits) -> Result<()> {
    names::check_key(names::PARTITION_KEY, partition_key, limits)?;
    names::check_key(names::ROW_KEY, row_key, limits)
}

/// All that the limits have against an entity, not the first alone.
pub(crate) fn all_refusals(entity: &Entity, limits: &Limits) -> Vec<Error> {
    let keys = [(names::PARTITION_KEY, entity.partition_key()), (names::ROW_KEY, entity.row_key())];
    let keys = keys.into_iter().map(|(name, key)| names::check_key(name, key, limits));
    let properties = entity.properties().flat_map(|(name, value)| {
        let checked = check_value(value.as_ref(), limits).map_err(|error| error.property(name));
        [names::check_property_name(name, limits), checked]
    });
    let whole = [check_count(entity.properties().len(), limits), check_size(entity.size_bytes(), limits)];
    keys.chain(properties).chain(whole).filter_map(Result::err).collect()
}

/// Checks the number of custom properties (S3.2).
pub(crate) fn check_count(count: usize, limits: &Limits) -> Result<()> {
    if count <= limits.properties {
        return Ok(());
    }
    Err(Error::new(ErrorCode::TooManyProperties).fact(format!("This one has {count}.")).limit(limits.properties, count))
}

/// Checks the size of an entity by the formula of S3.1.
pub(crate) fn check_size(size_bytes: usize, limits: &Limits) -> Result<()> {
    if size_bytes <= limits.entity_bytes {
        return Ok(());
    }
    Err(Error::new(ErrorCode::EntityTooLarge)
        .fact(format!("It has {size_bytes} bytes, the limit is {}.", limits.entity_bytes))
        .limit(limits.entity_bytes, size_bytes))
}

/// Checks a value against the limits of its type (S2.1).
fn check_value(value: ValueRef<'_>, limits: &Limits) -> Result<()> {
    let too_large = |limit, actual, unit: &str| {
        Err(Error::new(ErrorCode::PropertyValueTooLarge)
            .fact(format!("This one has {actual} {unit}."))
            .limit(limit, actual))
    };
    match value {
        ValueRef::String(text) if text.len() > limits.string_units => match names::utf16_units(text) {
            units if units > limits.string_units => too_large(limits.string_units, units, "UTF-16 code units"),
            _ => Ok(()),
        },
        ValueRef::Binary(bytes) if bytes.len() > limits.binary_bytes => {
            too_large(limits.binary_bytes, bytes.len(), "bytes")
        }
        ValueRef::DateTime(time) if time.ticks() < limits.first_tick => {
            debug_assert_eq!(limits.first_tick, limits::TICKS_1601);
            Err(Error::invalid(format!("{time} lies outside the years 1601 to 9999.")))
        }
        _ => Ok(()),
    }
}

/// What a write takes: an [`Entity`], an [`EntityInput`], or a reference to anything that serde can serialize.
pub trait IntoEntity {
    /// The input that the write checks and stores.
    ///
    /// # Errors
    /// What the form cannot hold, with the property's name.
    fn into_input(self) -> Result<EntityInput>;
}

impl IntoEntity for EntityInput {
    fn into_input(self) -> Result<EntityInput> {
        Ok(self)
    }
}

impl IntoEntity for Entity {
    fn into_input(self) -> Result<EntityInput> {
        let (etag, pairs) = (self.etag(), self.properties.into_pairs());
        let mut properties = Vec::with_capacity(pairs.len());
        let pairs = pairs.filter(|(name, _)| &**name != names::TIMESTAMP);
        properties.extend(pairs.map(|(name, value)| (name, InputValue::Typed(value))));
        Ok(EntityInput { etag, keys: self.keys, properties })
    }
}

/// Writes an [`Entity`]: its two keys, then `name => value` for each property.
///
/// # Example
/// ```
/// let order = entable::entity! { "DE", "0001", "Total" => 12.5, "Lines" => 3 };
/// assert_eq!((order.partition_key(), order["Lines"].as_i64()), ("DE", Some(3)));
/// ```
#[macro_export]
macro_rules! entity {
    ($partition_key:expr, $row_key:expr $(, $name:expr => $value:expr)* $(,)?) => {{
        #[allow(unused_mut, reason = "an entity without properties is not changed")]
        let mut entity = $crate::Entity::new($partition_key, $row_key);
        $(entity.insert($name, $value);)*
        entity
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untyped_numbers_take_the_stored_type_if_they_fit_it() {
        use UntypedNumber::{Integer, Number};
        let check = |number: UntypedNumber, stored, mode, expected: Option<Value>| {
            assert_eq!(number.resolve(stored, mode).ok(), expected, "{number:?} {stored:?} {mode:?}");
        };
        let big = (1_i64 << 53) + 1;
        for mode in [Mode::Portable, Mode::Extended] {
            check(Integer(5), None, mode, Some(Value::Int32(5)));
            check(Integer(5), Some(EdmType::Int64), mode, Some(Value::Int64(5)));
            check(Integer(5), Some(EdmType::Double), mode, Some(Value::Double(5.0)));
            check(Integer(5), Some(EdmType::String), mode, Some(Value::Int32(5)));
            check(Integer(big), Some(EdmType::Double), mode, Some(Value::Int64(big)));
            check(Integer(1 << 31), Some(EdmType::Int32), mode, Some(Value::Int64(1 << 31)));
            check(Number(3.0), None, mode, Some(Value::Int32(3)));
            check(Number(3.5), Some(EdmType::Int32), mode, Some(Value::Double(3.5)));
            check(Number(3.0), Some(EdmType::Double), mode, Some(Value::Double(3.0)));
            check(Number(-0.0), None, mode, Some(Value::Double(-0.0)));
            check(Number(f64::NAN), Some(EdmType::Int64), mode, Some(Value::Double(f64::NAN)));
            check(Number(9_223_372_036_854_775_808.0), None, mode, Some(Value::Double(9_223_372_036_854_775_808.0)));
        }
        check(Integer(5), Some(EdmType::Double), Mode::Strict, Some(Value::Int32(5)));
        check(Integer(1 << 31), None, Mode::Strict, None);
        check(Number(2_147_483_648.0), None, Mode::Strict, Some(Value::Double(2_147_483_648.0)));
        check(Number(3.0), Some(EdmType::Double), Mode::Strict, Some(Value::Int32(3)));
    }

    #[test]
    fn a_timestamp_of_the_caller_is_no_property() {
        let mut pushed = EntityInput::new("p", "r");
        pushed.push("Timestamp", Value::Int32(1));
        pushed.push("timestamp", Value::Int32(2));
        let set = entity! { "p", "r", "Timestamp" => "2001", "timestamp" => 2 }.into_input().unwrap();
        assert_eq!(pushed, set);
        assert_eq!(set.properties().map(|(name, _)| name).collect::<Vec<_>>(), ["timestamp"]);
    }
}
