//! All of a row, as `verify` looks at it.

use super::{Form, PropertyName, Row, check_crc, encode, shape_of};
use crate::codec::shape::{Choice, Shapes};
use crate::model::ValueRef;
use crate::{Error, Result};

/// Looks at the row under this key: CRC, frame, every value, and that the row has the one form which its shape and
/// properties give it.
///
/// # Errors
/// `Damaged`, or `NewerFormat` for a flag or type of a later version.
pub(crate) fn check(key: &[u8], bytes: &[u8], shapes: &Shapes) -> Result<()> {
    check_crc(key, bytes)?;
    let row = Row::new(key, bytes, shapes)?;
    let owned = |property: Result<(PropertyName<'_>, ValueRef<'_>)>| {
        property.map(|(name, value)| (name.to_arc(), value.to_value()))
    };
    let properties = row.properties().map(owned).collect::<Result<Vec<_>>>()?;
    let mut names: Vec<&str> = properties.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    let mut again = Vec::with_capacity(bytes.len());
    if names.windows(2).all(|pair| pair[0] != pair[1]) {
        let choice = match &row.form {
            Form::Shaped(_) => Choice::Shape { id: shape_of(key, bytes)?, new_slots: Vec::new() },
            Form::Describing(_) => Choice::SelfDescribing,
        };
        encode(shapes, &choice, key, row.ticks(), &properties, &mut again)?;
    }
    if again == bytes { Ok(()) } else { Err(Error::damaged("A row has another form than its properties give it.")) }
}
