//! Objects of one shape: made by one JavaScript function for each list of names, which gives them one hidden class and
//! is quicker than setting member by member.

use crate::convert::{Factories, called};
use napi::bindgen_prelude::{
    Env, FnArgs, FromNapiValue, Function, FunctionRef, JsObjectValue, JsValue, JsValuesTupleIntoVec, Object, Unknown,
};
use napi::{Property, Result, sys};
use std::cell::RefCell;
use std::rc::Rc;

/// Shapes that are kept for an environment. A table has as many as its rows have lists of names, and a hundred of them
/// are in use at a time at most; beyond it all are forgotten, since to find out which are not in use costs more.
const KEPT: usize = 500;
/// Members that a shape's function takes at most. Larger entities are rare, and slow in any way.
const MEMBERS: usize = 300;

/// Arguments of a function, as many as there are: the values of an object's members, in the order of its shape's names.
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

/// Names and forms of an object's members.
pub(crate) type MakerArgs = FnArgs<(Vec<String>, Vec<u32>)>;
/// Makes an object of values.
pub(crate) type Make<'env> = Function<'env, Values, Unknown<'static>>;
type Maker = FunctionRef<MakerArgs, Make<'static>>;

/// What an object's function makes of a value that it is handed: made there, dates and bytes cost a third of what they cost
/// when they are made from here.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// It is the value.
    Plain,
    /// Milliseconds since 1970.
    Date,
    /// Ticks, which a `Date` would lose.
    DateTime,
    /// The text of a Guid.
    Guid,
    /// Bytes, each a character of a string.
    Bytes,
    /// A number that says that it is a Double.
    Double,
}

/// A member of an object.
pub(crate) type Member<'a, 'env> = (&'a str, Form, Unknown<'env>);

/// The functions that make objects.
pub(crate) struct Shapes {
    /// `lib/shape.js`: makes the function of a list of names.
    maker: Maker,
    /// The last one used is the last.
    known: RefCell<Vec<Rc<Shape>>>,
}

struct Shape {
    members: Vec<(Box<str>, Form)>,
    make: FunctionRef<Values, Unknown<'static>>,
}

impl Shape {
    fn has(&self, members: &[Member<'_, '_>]) -> bool {
        let is_same = |((known, known_form), (name, form, _)): (&(Box<str>, Form), &Member<'_, '_>)| {
            known_form == form && **known == **name
        };
        self.members.len() == members.len() && self.members.iter().zip(members).all(is_same)
    }
}

impl Shapes {
    pub(crate) fn new(maker: Maker) -> Shapes {
        Shapes { maker, known: RefCell::default() }
    }

    fn of(&self, env: &Env, members: &[Member<'_, '_>]) -> Result<Rc<Shape>> {
        if let Some(shape) = self.known(members) {
            return Ok(shape);
        }
        // Nothing is borrowed while JavaScript runs.
        let names = members.iter().map(|(name, ..)| (*name).to_owned()).collect();
        let forms = members.iter().map(|(_, form, _)| *form as u32).collect();
        let make = called(&self.maker.borrow_back(env)?, FnArgs { data: (names, forms) })?.create_ref()?;
        let members = members.iter().map(|(name, form, _)| ((*name).into(), *form)).collect();
        let shape = Rc::new(Shape { members, make });
        let mut known = self.known.borrow_mut();
        if known.len() >= KEPT {
            known.clear();
        }
        known.push(Rc::clone(&shape));
        Ok(shape)
    }

    fn known(&self, members: &[Member<'_, '_>]) -> Option<Rc<Shape>> {
        let mut known = self.known.borrow_mut();
        let at = known.iter().rposition(|shape| shape.has(members))?;
        let last = known.len() - 1;
        known.swap(at, last);
        known.last().cloned()
    }
}

/// An object with these members.
pub(crate) fn object_out<'env>(env: &'env Env, members: &[Member<'_, 'env>]) -> Result<Unknown<'env>> {
    if members.len() > MEMBERS {
        return by_member(env, members);
    }
    let shape = Factories::of(env)?.shapes.of(env, members)?;
    let values = Values(members.iter().map(|(.., value)| value.raw()).collect());
    called(&shape.make.borrow_back(env)?, values)
}

/// Members that are handed to one function, where there are more.
const AT_A_TIME: usize = 250;

fn by_member<'env>(env: &'env Env, members: &[Member<'_, 'env>]) -> Result<Unknown<'env>> {
    let mut object = Object::new(env)?;
    // Objects of some of the members each, so that one place knows what is made of a value.
    for members in members.chunks(AT_A_TIME) {
        let part = Object::from_unknown(object_out(env, members)?)?;
        for (name, ..) in members {
            let value: Unknown<'_> = part.get_named_property(name)?;
            match *name {
                // To set this one would change what the object inherits from.
                "__proto__" => object.define_properties(&[Property::new().with_utf8_name(name)?.with_value(&value)])?,
                _ => object.set(name, value)?,
            };
        }
    }
    Ok(object.to_unknown())
}
