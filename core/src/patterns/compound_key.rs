//! Related rows side by side (S9.13, S9.21, S9.23).

use super::changes::{Changes, Step, keyed_row_acts, under};
use super::field::Joined;
use super::lookup::compare;
use super::{Field, Lookup, refusal};
use crate::{Entity, Error, Result, Value};

/// Makes a RowKey of several properties, so that what belongs together lies together: `000123` is the employee, and
/// `000123_2012` the review of 2012.
///
/// A row without the later properties has the shorter key, and stands before those that have them. The separator is
/// `_`; no value but the last may hold it.
///
/// # Example
/// ```
/// use entable::{Store, entity, patterns::CompoundKey};
/// let store = Store::in_memory()?;
/// let employees = store.create_table("Employees")?;
/// let reviews = CompoundKey::new("Employees", ["EmployeeId", "Year"]);
/// for year in ["2011", "2012"] {
///     let review = entity! { "Sales", "", "EmployeeId" => "000123", "Year" => year };
///     employees.submit_transaction(reviews.changes(None, Some(&review))?.steps()[0].operations()?)?;
/// }
/// let all = employees.query_entities(reviews.below("Sales", ["000123"])?)?.collect::<entable::Result<Vec<_>>>()?;
/// assert_eq!(all[1].row_key(), "000123_2012");
/// assert_eq!(reviews.parts(all[1].row_key())?, ["000123", "2012"]);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CompoundKey {
    table: String,
    prefix: String,
    fields: Vec<Field>,
    separator: String,
}

const NAME: &str = "CompoundKey";

impl CompoundKey {
    /// Rows of this table, their RowKey made of these properties.
    pub fn new<F: Into<Field>>(table: impl Into<String>, fields: impl IntoIterator<Item = F>) -> CompoundKey {
        CompoundKey {
            table: table.into(),
            prefix: String::new(),
            fields: fields.into_iter().map(Into::into).collect(),
            separator: "_".to_owned(),
        }
    }

    /// Keys begin with this, which tells the kind of row: `Item_12345_ABC123` (S9.21, S9.23).
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> CompoundKey {
        CompoundKey { prefix: prefix.into(), ..self }
    }

    /// Between the values stands this one character.
    #[must_use]
    pub fn separator(self, separator: impl Into<String>) -> CompoundKey {
        CompoundKey { separator: separator.into(), ..self }
    }

    /// The row under the key that its properties call for; the RowKey it has is not looked at.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): it lacks the first property, or has one behind one
    /// that it lacks, or a value holds the separator, or one of the properties is the RowKey, which is what is made.
    pub fn row_of(&self, row: &Entity) -> Result<Entity> {
        let mut texts: Vec<String> = Vec::new();
        for (at, field) in self.fields.iter().enumerate() {
            let Some(text) = field.one_text(row)? else { continue };
            if at != texts.len() {
                let missing = self.fields.get(texts.len()).map(Field::name);
                let error = Error::invalid(format!("The row has '{}' and not what stands before it.", field.name()));
                return Err(refusal(NAME, missing, &error));
            }
            texts.push(text);
        }
        Ok(under(row, row.partition_key(), self.key(&texts)?))
    }

    fn joined(&self) -> Joined {
        Joined::By(self.separator.clone())
    }

    fn key(&self, texts: &[String]) -> Result<String> {
        if texts.is_empty() {
            let error = Error::invalid("A key has at least the first value.");
            return Err(refusal(NAME, self.fields.first().map(Field::name), &error));
        }
        self.fields.iter().try_for_each(|field| field.check_not_row_key(NAME))?;
        Ok(self.prefix.clone() + &self.joined().join(NAME, &self.fields, texts)?)
    }

    /// The group for a row that goes from one state to the next. When a value in its key changes it moves.
    ///
    /// # Errors
    /// As [`row_of`](CompoundKey::row_of); what the service would refuse, with pattern, property, limit and actual.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Changes> {
        let place = |row: Option<&Entity>| row.map(|row| self.row_of(row)).transpose();
        let acts = keyed_row_acts(NAME, former, place(former)?, place(new)?)?;
        Changes::new(NAME, self.fields.first().map(Field::name), vec![Step::new(&self.table, acts)])
    }

    /// The row with these values, of all properties or of the first ones: a point read.
    ///
    /// # Errors
    /// As [`Field::text_of`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for no values, or too many.
    pub fn find<V: Into<Value>>(&self, partition_key: &str, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        Ok(Lookup::point(&self.table, partition_key, self.key(&self.texts_of(values)?)?))
    }

    /// The rows whose first values are these, and which have a further one: the reviews of an employee.
    ///
    /// # Errors
    /// As [`find`](CompoundKey::find); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for the values of all
    /// properties, which have nothing below.
    pub fn below<V: Into<Value>>(&self, partition_key: &str, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        let texts = self.texts_of(values)?;
        if texts.len() == self.fields.len() {
            let error = Error::invalid("Below the last property there is nothing.");
            return Err(refusal(NAME, self.fields.last().map(Field::name), &error));
        }
        Lookup::prefix(&self.table, partition_key, &(self.key(&texts)? + &self.separator))
    }

    /// The row with these values and the rows below it: the employee and the reviews, in one read.
    ///
    /// # Errors
    /// As [`find`](CompoundKey::find).
    pub fn with_below<V: Into<Value>>(
        &self,
        partition_key: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Lookup> {
        let texts = self.texts_of(values)?;
        let key = self.key(&texts)?;
        // The last value may hold the separator: what begins so is no row below.
        if texts.len() == self.fields.len() {
            return Ok(Lookup::point(&self.table, partition_key, key));
        }
        let below = crate::keys::prefix_filter("RowKey", &(key.clone() + &self.separator))?;
        let filter = format!("({} or ({below}))", compare("RowKey", "eq", &key));
        Ok(Lookup::partition(&self.table, partition_key, filter))
    }

    fn texts_of<V: Into<Value>>(&self, values: impl IntoIterator<Item = V>) -> Result<Vec<String>> {
        self.joined().texts_of(&self.fields, values).map_err(|error| refusal(NAME, None, &error))
    }

    /// The texts that a key is made of.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): it does not begin with the pattern's prefix.
    pub fn parts(&self, row_key: &str) -> Result<Vec<String>> {
        let rest = super::lookup::without_prefix(row_key, &self.prefix, "RowKey")
            .map_err(|error| refusal(NAME, None, &error))?;
        Ok(rest.splitn(self.fields.len().max(1), self.separator.as_str()).map(str::to_owned).collect())
    }
}
