//! Entities as `lib/pack.js` lays them out: numbers that say what comes, one text of all short texts, one list of all short
//! bytes, and what has to be looked at value by value.

use crate::convert::{
    self, Factories, PARTITION_KEY, ROW_KEY, called, instant, is_annotation, key_in, service_name, text, value_in,
};
use crate::error::{Converted, Failure};
use crate::shape::Values;
use entable::{EntityInput, InputValue, Mode, UntypedNumber, Value};
use napi::Result;
use napi::bindgen_prelude::{
    Env, Float64ArraySlice, FromNapiValue, Function, FunctionRef, JsObjectValue, JsValue, Object, Uint8ArraySlice,
    Unknown, Utf16String,
};
use napi_derive::napi;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Lays out entities, as many as it is called with.
pub(crate) type Pack<'env> = Function<'env, Values, Unknown<'static>>;

/// Entities that are laid out at a time.
pub(crate) const AT_A_TIME: usize = 64;

/// What a name of a member says.
enum Role {
    PartitionKey,
    RowKey,
    /// It comes with entities that were read (S1.4.5).
    Ignored,
    Property(Box<str>),
}

type Names = Rc<[Role]>;

/// What lays out entities, and the names of the shapes that it has told of.
pub(crate) struct Packer {
    pack: FunctionRef<Values, Unknown<'static>>,
    shapes: RefCell<HashMap<u32, Names>>,
}

impl Packer {
    pub(crate) fn new(pack: &Pack<'_>) -> Result<Packer> {
        Ok(Packer { pack: pack.create_ref()?, shapes: RefCell::default() })
    }
}

/// Learns the names of the shape with this number.
#[napi(catch_unwind)]
pub fn learn_shape(env: &Env, number: u32, names: Unknown<'_>) -> Result<()> {
    let names = roles(names).map_err(|failure| failure.into_js(env))?;
    Factories::of(env)?.packer.shapes.borrow_mut().insert(number, names);
    Ok(())
}

fn roles(names: Unknown<'_>) -> Converted<Names> {
    let names = Object::from_unknown(names)?;
    let role = |at| {
        let name = text(names.get_element(at)?).map_err(|failure| failure.of("name"))?;
        Ok(match service_name(&name) {
            PARTITION_KEY if name != PARTITION_KEY => Role::PartitionKey,
            ROW_KEY if name != ROW_KEY => Role::RowKey,
            service_name if is_annotation(service_name) => Role::Ignored,
            _ => Role::Property(name.into()),
        })
    };
    (0..names.get_array_length()?).map(role).collect()
}

/// An entity handed in.
pub(crate) fn entity_in(value: Unknown<'_>, mode: Mode) -> Converted<EntityInput> {
    Packed::new(&Env::from_raw(value.value().env), &[value])?.entity(mode)
}

/// The texts of entities, one behind the other.
enum Text {
    /// Of which each unit is a byte.
    Ascii(String),
    Units(Utf16String),
}

impl Text {
    fn new(value: Unknown<'_>, units: usize) -> Converted<Text> {
        let text = String::from_unknown(value)?;
        Ok(if text.len() == units { Text::Ascii(text) } else { Text::Units(Utf16String::from_unknown(value)?) })
    }

    /// The units from `at`, so many.
    fn part(&self, at: usize, units: usize) -> Converted<String> {
        let range = at..at.saturating_add(units);
        match self {
            Text::Ascii(text) => text.get(range).map(str::to_owned).ok_or_else(torn),
            Text::Units(text) => String::from_utf16(text.get(range).ok_or_else(torn)?).map_err(|_| convert::half()),
        }
    }
}

/// What `lib/pack.js` never does.
fn torn() -> Failure {
    entable::Error::new(entable::ErrorCode::Internal).into()
}

/// Entities that were laid out. Copied: what is looked at value by value may call JavaScript, which lays out others.
pub(crate) struct Packed<'env> {
    shapes: &'static RefCell<HashMap<u32, Names>>,
    plan: Vec<f64>,
    at: usize,
    text: Text,
    text_at: usize,
    bytes: Vec<u8>,
    bytes_at: usize,
    others: Object<'env>,
}

/// A value as it was laid out.
enum Laid<'env> {
    Nothing,
    Plain(InputValue),
    Other(Unknown<'env>),
}

impl<'env> Packed<'env> {
    /// Lays out these.
    pub(crate) fn new(env: &'env Env, entities: &[Unknown<'env>]) -> Converted<Packed<'env>> {
        let packer = &Factories::of(env)?.packer;
        let mut values = Values::default();
        entities.iter().for_each(|entity| values.push(entity));
        let laid = Object::from_unknown(called(&packer.pack.borrow_back(env)?, values)?)?;
        let length = |at| Ok::<usize, Failure>(laid.get_element::<u32>(at)? as usize);
        let plan: Float64ArraySlice<'_> = laid.get_element(0)?;
        let bytes: Uint8ArraySlice<'_> = laid.get_element(4)?;
        Ok(Packed {
            shapes: &packer.shapes,
            plan: plan.get(..length(1)?).ok_or_else(torn)?.to_vec(),
            at: 0,
            text: Text::new(laid.get_element(2)?, length(3)?)?,
            text_at: 0,
            bytes: bytes.get(..length(5)?).ok_or_else(torn)?.to_vec(),
            bytes_at: 0,
            others: laid.get_element(6)?,
        })
    }

    fn number(&mut self) -> Converted<f64> {
        let number = self.plan.get(self.at).copied().ok_or_else(torn)?;
        self.at += 1;
        Ok(number)
    }

    fn other(&mut self) -> Converted<Unknown<'env>> {
        let at = self.number()? as u32;
        Ok(self.others.get_element(at)?)
    }

    fn names(&mut self) -> Converted<Names> {
        match self.number()? {
            -1.0 => Err(Failure::wrong_type("entity must be an object.").of("entity")),
            -2.0 => {
                self.number()?;
                roles(self.other()?)
            }
            number => self.shapes.borrow().get(&(number as u32)).cloned().ok_or_else(torn),
        }
    }

    /// The next value.
    fn laid(&mut self) -> Converted<Laid<'env>> {
        let kind = self.number()?;
        Ok(Laid::Plain(match kind as u32 {
            0 => return Ok(Laid::Nothing),
            1 => {
                let (at, units) = (self.text_at, self.number()? as usize);
                self.text_at += units;
                Value::String(self.text.part(at, units)?).into()
            }
            2 => UntypedNumber::Number(self.number()?).into(),
            3 => Value::Boolean(true).into(),
            4 => Value::Boolean(false).into(),
            5 => Value::DateTime(instant(self.number()?)?).into(),
            6 => {
                let (at, count) = (self.bytes_at, self.number()? as usize);
                self.bytes_at += count;
                let bytes = self.bytes.get(at..self.bytes_at).ok_or_else(torn)?;
                Value::Binary(bytes.to_vec()).into()
            }
            _ => return Ok(Laid::Other(self.other()?)),
        }))
    }

    /// A key; none where it is null or undefined.
    fn key(&mut self, name: &str) -> Converted<Option<String>> {
        match self.laid().map_err(|failure| failure.of(name))? {
            Laid::Nothing => Ok(None),
            Laid::Plain(InputValue::Typed(Value::String(key))) => Ok(Some(key)),
            Laid::Other(value) => key_in(value, name).map(Some),
            Laid::Plain(_) => Err(Failure::wrong_type(format!("The {name} must be a string.")).of(name)),
        }
    }

    /// The next entity. Behind one that is wrong, the rest is not to be asked for.
    pub(crate) fn entity(&mut self, mode: Mode) -> Converted<EntityInput> {
        let names = self.names()?;
        let (mut partition_key, mut row_key) = (None, None);
        let mut properties = Vec::with_capacity(names.len());
        for role in names.iter() {
            match role {
                Role::PartitionKey => partition_key = self.key(PARTITION_KEY)?,
                Role::RowKey => row_key = self.key(ROW_KEY)?,
                Role::Ignored => drop(self.laid()),
                Role::Property(name) => {
                    let value = match self.laid().map_err(|failure| failure.of(name))? {
                        Laid::Nothing => None,
                        Laid::Plain(value) => Some(value),
                        Laid::Other(value) => value_in(value, mode).map_err(|failure| failure.of(name))?,
                    };
                    if let Some(value) = value {
                        properties.push((name, value));
                    }
                }
            }
        }
        let missing = |key| {
            let properties = names.iter().filter_map(|role| match role {
                Role::Property(name) => Some(&**name),
                _ => None,
            });
            Failure::key_missing_among(key, properties)
        };
        let partition_key = partition_key.ok_or_else(|| missing(PARTITION_KEY))?;
        let row_key = row_key.ok_or_else(|| missing(ROW_KEY))?;
        let mut input = EntityInput::new(partition_key, row_key);
        for (name, value) in properties {
            input.push(name, value);
        }
        Ok(input)
    }
}
