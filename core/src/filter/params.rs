//! Values for the `@name`s of a filter.

use crate::model::{InputValue, UntypedNumber, Value};
use crate::{Error, Mode, Result};
use std::collections::BTreeMap;

/// Values for the words `@name` in a filter's text, each with its type.
///
/// A parameter may stand wherever a literal may. It is put into the parsed filter, never into the text, so no value
/// can change what the filter asks. Names are identifiers, written here without `@`; a name that the text does not
/// use does no harm.
///
/// A number without a type ([`UntypedNumber`]) compares by value. In [`Mode::Strict`] it is typed as the official
/// client of its language would write it: a whole number within 32 bits is an Int32, another whole number of
/// [`UntypedNumber::Integer`] an Int64, another [`UntypedNumber::Number`] a Double.
///
/// # Example
/// ```
/// use entable::{Filter, Mode, Parameters};
/// let parameters = Parameters::from([("name", "O'Hara"), ("city", "Oslo")]).with("total", 10.5);
/// let filter = Filter::parse_with("Name eq @name and Total gt @total", &parameters, Mode::Portable)?;
/// assert_eq!(filter.to_string(), "Name eq 'O''Hara' and Total gt 10.5");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(BTreeMap<Box<str>, InputValue>);

impl Parameters {
    /// No parameters.
    pub fn new() -> Parameters {
        Parameters::default()
    }

    /// Sets the value of a name; the last one counts.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: impl Into<InputValue>) {
        self.0.insert(name.into(), value.into());
    }

    /// The same parameters and one more.
    #[must_use]
    pub fn with(mut self, name: impl Into<Box<str>>, value: impl Into<InputValue>) -> Parameters {
        self.insert(name, value);
        self
    }

    /// The typed value of a name; `None` if there is no such name.
    pub(super) fn value(&self, name: &str, mode: Mode) -> Option<Result<Value>> {
        Some(match self.0.get(name)? {
            InputValue::Typed(value) => Ok(value.clone()),
            InputValue::Untyped(number) => number_value(*number, mode),
            InputValue::Add(_) | InputValue::Remove => {
                Err(Error::invalid(format!("The parameter @{name} is no value, but a change of one.")))
            }
        })
    }
}

/// The type of a number that came without one. Unlike a write, a filter has no stored property to look at.
fn number_value(number: UntypedNumber, mode: Mode) -> Result<Value> {
    match (mode, number) {
        (Mode::Strict, UntypedNumber::Integer(integer)) => Ok(match i32::try_from(integer) {
            Ok(int32) => Value::Int32(int32),
            Err(_) => Value::Int64(integer),
        }),
        // JavaScript writes -0 as 0.
        (Mode::Strict, UntypedNumber::Number(number)) => UntypedNumber::Number(number + 0.0).resolve(None, mode),
        (Mode::Portable | Mode::Extended, number) => number.resolve(None, mode),
    }
}

impl<N: Into<Box<str>>, V: Into<InputValue>> FromIterator<(N, V)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Parameters {
        Parameters(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl<N: Into<Box<str>>, V: Into<InputValue>, const COUNT: usize> From<[(N, V); COUNT]> for Parameters {
    fn from(pairs: [(N, V); COUNT]) -> Parameters {
        pairs.into_iter().collect()
    }
}
