//! What a merge adds to a property (S4.8.2 to S4.8.4).

use crate::value::V;
use entable::{Addend, ErrorCode};

impl V {
    /// What a property has after this number was added.
    pub(crate) fn added_to(&self, stored: Option<&V>) -> Result<V, ErrorCode> {
        let whole = match self {
            V::I32(v) => Some(i128::from(*v)),
            V::I64(v) => Some(i128::from(*v)),
            // `as` keeps what is larger at the ends of 128 bits, beyond every type.
            V::F64(v) if v.fract() == 0.0 => Some(*v as i128),
            _ => None,
        };
        let sum = |stored: i128, least: i128, most: i128| match whole {
            Some(number) if !(least..=most).contains(&number) => Err(ErrorCode::InvalidInput),
            Some(number) if !(least..=most).contains(&(stored + number)) => Err(ErrorCode::NumberOverflow),
            Some(number) => Ok(stored + number),
            None => Err(ErrorCode::InvalidInput),
        };
        match stored {
            None => Ok(self.clone()),
            Some(V::I32(v)) => sum((*v).into(), i32::MIN.into(), i32::MAX.into()).map(|sum| V::I32(sum as i32)),
            Some(V::I64(v)) => sum((*v).into(), i64::MIN.into(), i64::MAX.into()).map(|sum| V::I64(sum as i64)),
            Some(V::F64(v)) => {
                let number = match self {
                    V::F64(number) => *number,
                    _ => whole
                        .map(|whole| whole as f64)
                        .filter(|double| Some(*double as i128) == whole)
                        .ok_or(ErrorCode::InvalidInput)?,
                };
                let is_overflow = (v + number).is_infinite() && v.is_finite() && number.is_finite();
                if is_overflow { Err(ErrorCode::NumberOverflow) } else { Ok(V::F64(v + number)) }
            }
            Some(_) => Err(ErrorCode::InvalidInput),
        }
    }

    /// The same number for a merge that adds it.
    pub(crate) fn to_addend(&self) -> Addend {
        match self {
            V::I32(v) => Addend::Int32(*v),
            V::I64(v) => Addend::Int64(*v),
            V::F64(v) => Addend::Double(*v),
            other => panic!("{other:?} is no number"),
        }
    }
}
