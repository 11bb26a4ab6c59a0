//! Entities on their way out: laid out as one string, of which `lib/shape.js` makes the objects. It says what the string
//! is, and why.

use crate::convert::{EPOCH_TICKS, Factories, Shown, TICKS_PER_MS, called};
use crate::error::Failure;
use entable::{DateTime, ETag, Entity, StoredEntity, ValueRef};
use napi::bindgen_prelude::{
    Array, Env, FnArgs, Function, FunctionRef, JsObjectValue, JsValue, JsValuesTupleIntoVec, Object, Unknown,
};
use napi::{JsString, Result, sys};
use std::cell::RefCell;
use std::io::Write;

/// Shapes that are kept for an environment, and members of all of them. A table has as many as its rows have lists of
/// names, and a hundred of them are in use at a time at most; beyond it all are forgotten, since to find out which are not
/// in use costs more.
const KEPT: usize = 500;
const KEPT_MEMBERS: usize = 100_000;
/// In the place of a shape's number: no entity.
const NONE: u16 = u16::MAX;
/// Characters after which what is laid out goes out. The texts of an object keep the string alive of which they are parts.
const MUCH: usize = 16_384;

/// Arguments of a function, as many as there are.
#[derive(Default)]
pub struct Values(Vec<sys::napi_value>);

impl Values {
    pub(crate) fn push(&mut self, value: &Unknown<'_>) {
        self.0.push(value.raw());
    }
}

impl JsValuesTupleIntoVec for Values {
    fn into_vec(self, _: sys::napi_env) -> Result<Vec<sys::napi_value>> {
        Ok(self.0)
    }
}

/// What `lib/shape.js` makes of a value: the number is its place in the list there.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Text,
    /// A number of 32 bits.
    Whole,
    Double,
    Truth,
    /// A `bigint`.
    Long,
    /// Milliseconds since 1970.
    Date,
    /// Ticks, which a `Date` would lose.
    DateTime,
    /// Bytes, each a character of the text.
    Bytes,
    /// A number that says that it is a Double.
    SaidDouble,
    /// Values as `{type, value}`, the value as text; of these two the text is made there.
    StatedDouble,
    StatedBytes,
    StatedString,
    StatedBoolean,
    StatedInt32,
    StatedInt64,
    StatedDateTime,
    Guid,
}

/// How values are shown.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Natural,
    /// Each Double says that it is one.
    AsInput,
    /// `disableTypeConversion`.
    AsText,
}

/// An entity that was read, in either form that the core has for one.
pub(crate) trait Outgoing {
    fn etag(&self) -> Option<ETag>;
    fn timestamp(&self) -> Option<DateTime>;
    fn keys(&self) -> (&str, &str);
    fn properties(&self) -> entable::Result<Vec<(&str, ValueRef<'_>)>>;
}

impl Outgoing for Entity {
    fn etag(&self) -> Option<ETag> {
        self.etag()
    }

    fn timestamp(&self) -> Option<DateTime> {
        self.timestamp()
    }

    fn keys(&self) -> (&str, &str) {
        (self.partition_key(), self.row_key())
    }

    fn properties(&self) -> entable::Result<Vec<(&str, ValueRef<'_>)>> {
        Ok(self.properties().map(|(name, value)| (name, value.as_ref())).collect())
    }
}

impl Outgoing for StoredEntity {
    fn etag(&self) -> Option<ETag> {
        self.etag()
    }

    fn timestamp(&self) -> Option<DateTime> {
        self.timestamp()
    }

    fn keys(&self) -> (&str, &str) {
        (self.partition_key(), self.row_key())
    }

    fn properties(&self) -> entable::Result<Vec<(&str, ValueRef<'_>)>> {
        self.properties()
    }
}

type Learn = FnArgs<(u32, Vec<String>, Vec<u32>)>;
type One<'a> = FnArgs<(JsString<'a>,)>;
type Fill<'a> = FnArgs<(Array<'a>, JsString<'a>, u32)>;

/// The functions of `lib/shape.js`, and the shapes that they have been told of.
pub(crate) struct Shapes {
    learn: FunctionRef<Learn, ()>,
    one: FunctionRef<One<'static>, Unknown<'static>>,
    fill: FunctionRef<Fill<'static>, ()>,
    known: RefCell<Known>,
    /// Memory that is used again.
    sheet: RefCell<Sheet>,
}

/// Names of the members of an object, and what their values are made of.
type Shape = Box<[(Box<str>, Form)]>;

#[derive(Default)]
struct Known {
    /// By their numbers.
    shapes: Vec<Shape>,
    members: usize,
    last: usize,
}

impl Known {
    fn find(&mut self, members: &[(&str, Form)]) -> Option<usize> {
        let is_same = |shape: &[(Box<str>, Form)]| {
            let same = |((known, known_form), (name, form)): (&(Box<str>, Form), &(&str, Form))| {
                known_form == form && **known == **name
            };
            shape.len() == members.len() && shape.iter().zip(members).all(same)
        };
        if !self.shapes.get(self.last).is_some_and(|shape| is_same(shape)) {
            self.last = self.shapes.iter().position(|shape| is_same(shape))?;
        }
        Some(self.last)
    }
}

impl Shapes {
    /// Of the functions that `lib/shape.js` exports.
    pub(crate) fn new(functions: &Object<'_>) -> Result<Shapes> {
        let learn: Function<'_, Learn, ()> = functions.get_named_property("learn")?;
        let one: Function<'_, One<'static>, Unknown<'static>> = functions.get_named_property("one")?;
        let fill: Function<'_, Fill<'static>, ()> = functions.get_named_property("fill")?;
        let (learn, one, fill) = (learn.create_ref()?, one.create_ref()?, fill.create_ref()?);
        Ok(Shapes { learn, one, fill, known: RefCell::default(), sheet: RefCell::default() })
    }

    /// The number of a shape.
    fn number(&self, env: &Env, members: &[(&str, Form)]) -> Result<usize> {
        if let Some(number) = self.known.borrow_mut().find(members) {
            return Ok(number);
        }
        let mut known = self.known.borrow_mut();
        if known.shapes.len() >= KEPT || known.members + members.len() > KEPT_MEMBERS {
            *known = Known::default();
        }
        let number = known.shapes.len();
        let names = members.iter().map(|(name, _)| (*name).to_owned()).collect();
        let forms = members.iter().map(|(_, form)| *form as u32).collect();
        called(&self.learn.borrow_back(env)?, FnArgs { data: (number as u32, names, forms) })?;
        known.members += members.len();
        known.last = number;
        known.shapes.push(members.iter().map(|(name, form)| ((*name).into(), *form)).collect());
        Ok(number)
    }
}

/// A text in the making: of characters up to U+00FF, which are a byte each, or of any.
enum Text {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Default for Text {
    fn default() -> Text {
        Text::Narrow(Vec::new())
    }
}

impl Text {
    fn units(&self) -> usize {
        match self {
            Text::Narrow(bytes) => bytes.len(),
            Text::Wide(units) => units.len(),
        }
    }

    /// Empty, as narrow as it is from now on.
    fn clear(&mut self) {
        match self {
            Text::Narrow(bytes) => bytes.clear(),
            Text::Wide(_) => *self = Text::default(),
        }
    }

    fn widen(&mut self) -> &mut Vec<u16> {
        if let Text::Narrow(bytes) = self {
            *self = Text::Wide(bytes.iter().copied().map(u16::from).collect());
        }
        match self {
            Text::Wide(units) => units,
            Text::Narrow(_) => unreachable!("it was made wide"),
        }
    }

    fn push(&mut self, text: &str) {
        match self {
            Text::Narrow(bytes) if text.is_ascii() => bytes.extend_from_slice(text.as_bytes()),
            Text::Narrow(bytes) if text.chars().all(|unit| unit <= '\u{ff}') => {
                bytes.extend(text.chars().map(|unit| unit as u8));
            }
            _ => self.widen().extend(text.encode_utf16()),
        }
    }

    /// Bytes, each a character.
    fn push_bytes(&mut self, more: &[u8]) {
        match self {
            Text::Narrow(bytes) => bytes.extend_from_slice(more),
            Text::Wide(units) => units.extend(more.iter().copied().map(u16::from)),
        }
    }

    fn append(&mut self, other: &Text) {
        match other {
            Text::Narrow(bytes) => self.push_bytes(bytes),
            Text::Wide(units) => self.widen().extend(units),
        }
    }

    fn to_js<'env>(&self, env: &'env Env) -> Result<JsString<'env>> {
        match self {
            Text::Narrow(bytes) => env.create_string_latin1(bytes),
            Text::Wide(units) => env.create_string_utf16(units),
        }
    }
}

/// Entities that are laid out.
#[derive(Default)]
struct Sheet {
    done: Text,
    count: u32,
    /// Of the entity that is being laid out.
    slots: Vec<u8>,
    texts: Text,
}

impl Sheet {
    fn text(&mut self, text: &str) {
        let before = self.texts.units();
        self.texts.push(text);
        self.length_since(before);
    }

    /// What is written as ASCII.
    fn written(&mut self, shown: &dyn std::fmt::Display) {
        let before = self.texts.units();
        match &mut self.texts {
            // A vector takes whatever is written to it.
            Text::Narrow(bytes) => drop(write!(bytes, "{shown}")),
            Text::Wide(units) => units.extend(shown.to_string().encode_utf16()),
        }
        self.length_since(before);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let before = self.texts.units();
        self.texts.push_bytes(bytes);
        self.length_since(before);
    }

    fn length_since(&mut self, before: usize) {
        let units = (self.texts.units() - before) as u32;
        self.slots.extend_from_slice(&units.to_le_bytes());
    }

    /// Lays out a value, and says as what.
    fn value(&mut self, value: ValueRef<'_>, manner: Manner) -> Form {
        if manner == Manner::AsText {
            return self.stated(value);
        }
        match value {
            ValueRef::String(text) => {
                self.text(text);
                Form::Text
            }
            ValueRef::Boolean(truth) => {
                self.slots.push(u8::from(truth));
                Form::Truth
            }
            ValueRef::Int32(number) => {
                self.slots.extend_from_slice(&number.to_le_bytes());
                Form::Whole
            }
            ValueRef::Int64(number) => {
                self.slots.extend_from_slice(&number.to_le_bytes());
                Form::Long
            }
            ValueRef::Double(number) if manner == Manner::AsInput => {
                self.slots.extend_from_slice(&number.to_le_bytes());
                Form::SaidDouble
            }
            ValueRef::Double(number) if number.is_finite() => {
                self.slots.extend_from_slice(&number.to_le_bytes());
                Form::Double
            }
            // As the official client gives them.
            ValueRef::Double(number) => {
                self.text(number_text(number));
                Form::Text
            }
            ValueRef::DateTime(time) => match time.ticks() - EPOCH_TICKS {
                since if since % TICKS_PER_MS == 0 => {
                    self.slots.extend_from_slice(&((since / TICKS_PER_MS) as f64).to_le_bytes());
                    Form::Date
                }
                _ => {
                    self.slots.extend_from_slice(&time.ticks().to_le_bytes());
                    Form::DateTime
                }
            },
            ValueRef::Guid(guid) => {
                self.written(&guid);
                Form::Guid
            }
            ValueRef::Binary(bytes) => {
                self.bytes(bytes);
                Form::Bytes
            }
        }
    }

    fn stated(&mut self, value: ValueRef<'_>) -> Form {
        let (shown, form): (&dyn std::fmt::Display, Form) = match &value {
            ValueRef::String(text) => {
                self.text(text);
                return Form::StatedString;
            }
            ValueRef::Double(number) => {
                self.slots.extend_from_slice(&number.to_le_bytes());
                return Form::StatedDouble;
            }
            ValueRef::Binary(bytes) => {
                self.bytes(bytes);
                return Form::StatedBytes;
            }
            ValueRef::Boolean(truth) => (truth, Form::StatedBoolean),
            ValueRef::Int32(number) => (number, Form::StatedInt32),
            ValueRef::Int64(number) => (number, Form::StatedInt64),
            ValueRef::DateTime(time) => (time, Form::StatedDateTime),
            ValueRef::Guid(guid) => (guid, Form::Guid),
        };
        self.written(shown);
        form
    }

    /// Lays out an entity behind those before it.
    fn entity(
        &mut self,
        env: &Env,
        shapes: &Shapes,
        entity: &impl Outgoing,
        shown: Shown,
        manner: Manner,
    ) -> Result<()> {
        self.slots.clear();
        self.texts.clear();
        let properties = entity.properties().map_err(|error| Failure::from(error).into_js(env))?;
        let mut members: Vec<(&str, Form)> = Vec::with_capacity(properties.len() + 4);
        let (partition_key, row_key) = entity.keys();
        if let Some(etag) = entity.etag() {
            self.written(&etag);
            members.push(("etag", Form::Text));
        }
        if shown.partition_key {
            self.text(partition_key);
            members.push(("partitionKey", Form::Text));
        }
        if shown.row_key {
            self.text(row_key);
            members.push(("rowKey", Form::Text));
        }
        if let Some(timestamp) = entity.timestamp() {
            self.written(&timestamp);
            members.push(("timestamp", Form::Text));
        }
        for (name, value) in properties {
            let form = self.value(value, manner);
            members.push((name, form));
        }
        // Fewer than are kept, so that it is none that stands for no entity.
        let number = shapes.number(env, &members)? as u16;
        self.done.push_bytes(&number.to_le_bytes());
        self.done.push_bytes(&self.slots);
        self.done.append(&self.texts);
        self.count += 1;
        Ok(())
    }

    fn clear(&mut self) {
        self.done.clear();
        self.count = 0;
    }
}

/// As text: NaN and the infinities, which are no numbers of JSON.
pub(crate) fn number_text(number: f64) -> &'static str {
    match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

fn one_out<'env>(env: &'env Env, entity: &impl Outgoing, shown: Shown, manner: Manner) -> Result<Unknown<'env>> {
    let shapes = &Factories::of(env)?.shapes;
    let mut sheet = shapes.sheet.take();
    sheet.clear();
    sheet.entity(env, shapes, entity, shown, manner)?;
    let text = sheet.done.to_js(env)?;
    // Nothing is borrowed while JavaScript runs.
    shapes.sheet.replace(sheet);
    called(&shapes.one.borrow_back(env)?, FnArgs { data: (text,) })
}

/// An entity that was read.
pub(crate) fn entity_out<'env>(env: &'env Env, entity: &impl Outgoing, shown: Shown) -> Result<Unknown<'env>> {
    one_out(env, entity, shown, manner_of(shown))
}

fn manner_of(shown: Shown) -> Manner {
    if shown.as_text { Manner::AsText } else { Manner::Natural }
}

/// An entity that can be handed in as it is: unlike a stored one it has nothing that a number could take its type from,
/// so each Double says that it is one.
pub(crate) fn input_out<'env>(env: &'env Env, entity: &Entity, as_text: bool) -> Result<Unknown<'env>> {
    let manner = if as_text { Manner::AsText } else { Manner::AsInput };
    one_out(env, entity, Shown { partition_key: true, row_key: true, as_text }, manner)
}

/// Entities that were looked up; undefined where there is none.
pub(crate) fn found_out<'env>(env: &'env Env, entities: &[Option<Entity>], shown: Shown) -> Result<Unknown<'env>> {
    Ok(entities_out(env, entities.iter().map(Option::as_ref), shown)?.to_unknown())
}

/// A list of entities; undefined where there is none.
pub(crate) fn entities_out<'env, 'e, E: Outgoing + 'e>(
    env: &'env Env,
    entities: impl Iterator<Item = Option<&'e E>>,
    shown: Shown,
) -> Result<Object<'env>> {
    let shapes = &Factories::of(env)?.shapes;
    let list = env.create_array(0)?;
    let mut sheet = shapes.sheet.take();
    sheet.clear();
    for entity in entities {
        match entity {
            Some(entity) => sheet.entity(env, shapes, entity, shown, manner_of(shown))?,
            None => {
                sheet.done.push_bytes(&NONE.to_le_bytes());
                sheet.count += 1;
            }
        }
        if sheet.done.units() > MUCH {
            hand_out(env, shapes, &list, &mut sheet)?;
        }
    }
    hand_out(env, shapes, &list, &mut sheet)?;
    shapes.sheet.replace(sheet);
    list.coerce_to_object()
}

/// Has objects made of what is laid out, behind those of the list.
fn hand_out(env: &Env, shapes: &Shapes, list: &Array<'_>, sheet: &mut Sheet) -> Result<()> {
    if sheet.count > 0 {
        // Handles of some entities at a time: there may be millions.
        env.run_in_scope(|| {
            let text = sheet.done.to_js(env)?;
            called(&shapes.fill.borrow_back(env)?, FnArgs { data: (*list, text, sheet.count) })
        })?;
    }
    sheet.clear();
    Ok(())
}
