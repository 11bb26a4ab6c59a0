//! Lists of ids under the value that their rows share (S9.4).

use super::changes::{Act, Changes, Step, plain, row_act};
use super::field::{Joined, combinations};
use super::lookup::compare;
use super::{Field, Lookup, refusal};
use crate::limits::SERVICE;
use crate::model::names::utf16_units;
use crate::{Condition, Entity, Error, Result, Value, keys};

/// Finds rows by values that need not be unique, through one entity for each value that lists the RowKeys of its rows.
///
/// The list is text in one property, with commas between the ids. A list that outgrows a property (64 KiB) goes on in a
/// second one, `Ids_02`, up to fifteen; one that outgrows the entity (1 MiB) in a second entity, whose RowKey ends with
/// `~0002`. A list is read, changed and written on condition of its ETag: [`reads`](IndexEntities::reads) says what to
/// read, and `changes` takes it. In the row's partition one group writes both; elsewhere the id is added before the row is
/// written, and taken out after.
///
/// Whether a row is in a list is told id by id: `1` is not in a list that holds `12`.
///
/// # Example
/// ```
/// use entable::{Entity, Store, entity, patterns::IndexEntities};
/// let store = Store::in_memory()?;
/// let employees = store.create_table("Employees")?;
/// let by_name = IndexEntities::new("Employees", "LastName_", ["LastName"]);
/// for id in ["000223", "000242"] {
///     let jones = entity! { "Sales", id, "LastName" => "Jones" };
///     let mut lists = Vec::new();
///     for lookup in by_name.reads(None, Some(&jones))? {
///         lists.extend(employees.query_entities(&lookup)?.collect::<entable::Result<Vec<Entity>>>()?);
///     }
///     let changes = by_name.changes(None, Some(&jones), &lists)?;
///     employees.submit_transaction(changes.steps()[0].operations()?)?;
/// }
/// let list = employees.get_entity("Sales", "LastName_Jones")?;
/// assert_eq!(list["Ids"], "000223,000242");
/// assert_eq!(employees.get_many(by_name.rows("Sales", [&list]))?.len(), 2);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IndexEntities {
    table: String,
    lists: String,
    partition_prefix: String,
    prefix: String,
    fields: Vec<Field>,
    joined: Joined,
    property: String,
}

const NAME: &str = "IndexEntities";
const BETWEEN: char = ',';
/// What ends the RowKey of the entities that go on with a list, before their number.
const PART: char = '~';
const LAST_PART: u32 = 9_999;
/// Properties of 64 KiB in an entity of 1 MiB, with room for keys and names.
const PROPERTIES: usize = 15;

impl IndexEntities {
    /// Lists in the row's partition, under the prefix and the value; several properties have `_` between them.
    pub fn new<F: Into<Field>>(
        table: impl Into<String>,
        prefix: impl Into<String>,
        fields: impl IntoIterator<Item = F>,
    ) -> IndexEntities {
        let table = table.into();
        IndexEntities {
            lists: table.clone(),
            table,
            partition_prefix: String::new(),
            prefix: prefix.into(),
            fields: fields.into_iter().map(Into::into).collect(),
            joined: Joined::By("_".to_owned()),
            property: "Ids".to_owned(),
        }
    }

    /// The lists are in this table, which may be the rows' own, in partitions named by the prefix and the row's
    /// PartitionKey.
    #[must_use]
    pub fn placed(self, table: impl Into<String>, partition_prefix: impl Into<String>) -> IndexEntities {
        IndexEntities { lists: table.into(), partition_prefix: partition_prefix.into(), ..self }
    }

    /// The property that holds the list; `Ids` unless it is named here.
    #[must_use]
    pub fn list_property(self, name: impl Into<String>) -> IndexEntities {
        IndexEntities { property: name.into(), ..self }
    }

    /// Several properties are put together by [`keys::compose`], for values that may hold `_`.
    #[must_use]
    pub fn composed(self) -> IndexEntities {
        IndexEntities { joined: Joined::Composed, ..self }
    }

    /// The lists that a change touches: to be read, and handed to `changes`.
    ///
    /// # Errors
    /// As `changes`.
    pub fn reads(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Vec<Lookup>> {
        let mut lookups = Vec::new();
        let (before, after) = (self.lists_of(former)?, self.lists_of(new)?);
        let touched = after
            .iter()
            .filter(|list| !before.contains(list))
            .chain(before.iter().filter(|list| !after.contains(list)));
        for list in touched {
            lookups.push(self.lookup(&list.0, &list.1));
        }
        Ok(lookups)
    }

    /// All that is to be written when a row goes from one state to the next. `lists` is what
    /// [`reads`](IndexEntities::reads) led to, with the ETags.
    ///
    /// # Errors
    /// What the service would refuse, with pattern, property, limit and actual: a key that is too long or holds a forbidden
    /// character, a value that ends as the key of a further part does, an id with a comma, a list that outgrows 9,999
    /// entities; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the two states have different keys.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>, lists: &[Entity]) -> Result<Changes> {
        let Some(row_act) = row_act(NAME, former, new)? else { return Ok(Changes::default()) };
        let Some(row) = new.or(former) else { return Ok(Changes::default()) };
        let (before, after) = (self.lists_of(former)?, self.lists_of(new)?);
        let mut adds = Vec::new();
        let mut removals = Vec::new();
        for list in after.iter().filter(|list| !before.contains(list)) {
            adds.extend(self.add(list, row, lists)?);
        }
        for list in before.iter().filter(|list| !after.contains(list)) {
            removals.extend(self.remove(list, row, lists)?);
        }
        let is_beside = self.lists.eq_ignore_ascii_case(&self.table) && self.partition_prefix.is_empty();
        let mut steps = Vec::new();
        if is_beside {
            let acts = Some(row_act).into_iter().chain(adds).chain(removals).collect();
            steps.push(Step::new(&self.table, acts));
        } else {
            steps.extend(adds.into_iter().map(|act| Step::new(&self.lists, vec![act])));
            steps.push(Step::new(&self.table, vec![row_act]));
            steps.extend(removals.into_iter().map(|act| Step::new(&self.lists, vec![act])));
        }
        Changes::new(NAME, self.fields.first().map(Field::name), steps)
    }

    /// The steps that bring the lists to the row's state of now: in those of `current`, in none of the others that
    /// `seen` had. `lists` is what [`reads`](IndexEntities::reads) leads to for each pair of a state seen and the present
    /// one, and for `None` and the present one.
    ///
    /// # Errors
    /// As [`changes`](IndexEntities::changes).
    pub fn reconcile(&self, seen: &[&Entity], current: Option<&Entity>, lists: &[Entity]) -> Result<Changes> {
        let kept = self.lists_of(current)?;
        let mut acts = Vec::new();
        for list in &kept {
            if let Some(row) = current {
                acts.extend(self.add(list, row, lists)?);
            }
        }
        let mut left = Vec::new();
        for row in seen {
            for list in self.lists_of(Some(row))? {
                if !kept.contains(&list) && !left.contains(&list) {
                    acts.extend(self.remove(&list, row, lists)?);
                    left.push(list);
                }
            }
        }
        let steps = acts.into_iter().map(|act| Step::new(&self.lists, vec![act])).collect();
        Changes::new(NAME, self.fields.first().map(Field::name), steps)
    }

    /// The list for these values, of rows in this partition: as many entities as it has parts, mostly one.
    ///
    /// # Errors
    /// As [`Field::text_of`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) unless there is a value for each
    /// property.
    pub fn find<V: Into<Value>>(&self, partition_key: &str, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        let texts = self.joined.texts_of(&self.fields, values).map_err(|error| refusal(NAME, None, &error))?;
        if texts.len() != self.fields.len() {
            let error = Error::invalid("A list is found by a value for each property.");
            return Err(refusal(NAME, None, &error.limit(self.fields.len(), texts.len())));
        }
        let key = self.prefix.clone() + &self.joined.join(NAME, &self.fields, &texts)?;
        Ok(self.lookup(&format!("{}{partition_key}", self.partition_prefix), &key))
    }

    /// All lists for the rows of a partition: each value once, its further parts after it.
    ///
    /// # Errors
    /// Those of [`keys::prefix_range`].
    pub fn list(&self, partition_key: &str) -> Result<Lookup> {
        Lookup::prefix(&self.lists, format!("{}{partition_key}", self.partition_prefix), &self.prefix)
    }

    /// The ids in the lists, in the order of parts.
    pub fn ids<'e>(&self, lists: impl IntoIterator<Item = &'e Entity>) -> Vec<String> {
        lists.into_iter().flat_map(|list| self.texts(list).into_iter().flat_map(split)).map(str::to_owned).collect()
    }

    /// PartitionKey and RowKey of the rows in the lists, for `get_many`.
    pub fn rows<'e>(&self, partition_key: &str, lists: impl IntoIterator<Item = &'e Entity>) -> Vec<(String, String)> {
        self.ids(lists).into_iter().map(|id| (partition_key.to_owned(), id)).collect()
    }

    /// The value that a list is for, as it stands in the key; `None` for a further part and for other entities.
    pub fn value_of<'e>(&self, list: &'e Entity) -> Option<&'e str> {
        list.row_key().strip_prefix(self.prefix.as_str()).filter(|value| part_of(value).is_none())
    }

    /// PartitionKey and RowKey of the lists that a row in this state is in.
    fn lists_of(&self, row: Option<&Entity>) -> Result<Vec<(String, String)>> {
        let Some(row) = row else { return Ok(Vec::new()) };
        let property = self.fields.first().map(Field::name);
        let refused = |error: Error| refusal(NAME, property, &error.keys(row.partition_key(), row.row_key()));
        if row.row_key().contains(BETWEEN) || row.row_key().is_empty() {
            let error = refused(Error::invalid(format!("An id in a list is not empty, and holds no '{BETWEEN}'.")));
            return Err(refusal(NAME, Some("RowKey"), &error));
        }
        if !self.prefix.is_empty() && self.partition_prefix.is_empty() && row.row_key().starts_with(&self.prefix) {
            return Err(refused(Error::invalid(format!(
                "The RowKey begins with '{}', as those of lists do.",
                self.prefix
            ))));
        }
        let mut lists = Vec::new();
        for key in combinations(NAME, &self.fields, &self.joined, row)? {
            if part_of(&key).is_some() {
                return Err(refused(Error::invalid(format!(
                    "'{key}' ends as the key of a further part of a list does."
                ))));
            }
            let key = self.prefix.clone() + &key;
            // Further parts have longer keys: what is legal for the last is for all.
            keys::legal(format!("{key}{PART}{LAST_PART}")).map_err(refused)?;
            lists.push((format!("{}{}", self.partition_prefix, row.partition_key()), key));
        }
        Ok(lists)
    }

    fn lookup(&self, partition_key: &str, row_key: &str) -> Lookup {
        let parts = [
            compare("RowKey", "ge", &format!("{row_key}{PART}0002")),
            compare("RowKey", "le", &format!("{row_key}{PART}{LAST_PART}")),
        ];
        let filter = format!("({} or ({}))", compare("RowKey", "eq", row_key), parts.join(" and "));
        Lookup::partition(&self.lists, partition_key, filter)
    }

    /// The parts of a list among what was read, with their numbers, in order.
    fn parts<'e>(&self, list: &(String, String), read: &'e [Entity]) -> Vec<(u32, &'e Entity)> {
        let number = |entity: &Entity| match entity.row_key().strip_prefix(list.1.as_str())? {
            "" => Some(1),
            rest => part_of(rest).filter(|_| rest.len() == 5),
        };
        let here = read.iter().filter(|entity| entity.partition_key() == list.0);
        let mut parts: Vec<_> = here.filter_map(|entity| Some((number(entity)?, entity))).collect();
        parts.sort_by_key(|(number, _)| *number);
        parts
    }

    fn property_name(&self, number: usize) -> String {
        if number == 0 { self.property.clone() } else { format!("{}_{:02}", self.property, number + 1) }
    }

    /// The texts of the list's properties, in order.
    fn texts<'e>(&self, list: &'e Entity) -> Vec<&'e str> {
        let text = |number| list.get(&self.property_name(number)).and_then(Value::as_str);
        (0..PROPERTIES).filter_map(text).collect()
    }

    fn add(&self, list: &(String, String), row: &Entity, read: &[Entity]) -> Result<Option<Act>> {
        let id = row.row_key();
        let parts = self.parts(list, read);
        if parts.iter().any(|(_, part)| self.texts(part).into_iter().flat_map(split).any(|known| known == id)) {
            return Ok(None);
        }
        let room = SERVICE.string_units.saturating_sub(utf16_units(id) + 1);
        for (_, part) in &parts {
            for number in 0..PROPERTIES {
                let name = self.property_name(number);
                let known = part.get(&name).and_then(Value::as_str).unwrap_or_default();
                if utf16_units(known) <= room {
                    let mut entity = plain(part);
                    entity.insert(name, if known.is_empty() { id.to_owned() } else { format!("{known}{BETWEEN}{id}") });
                    return Ok(Some(Act::Write { entity, on: as_it_was(part) }));
                }
            }
        }
        let is_free = |number: &u32| parts.iter().all(|(known, _)| known != number);
        let number = (1..=LAST_PART).find(is_free).ok_or_else(|| {
            let error = Error::invalid(format!("The list '{}' has as many parts as there may be.", list.1));
            let limit = usize::try_from(LAST_PART).unwrap_or(usize::MAX);
            refusal(NAME, self.fields.first().map(Field::name), &error.limit(limit, limit.saturating_add(1)))
        })?;
        let row_key = if number == 1 { list.1.clone() } else { format!("{}{PART}{number:04}", list.1) };
        let mut entity = Entity::new(list.0.as_str(), row_key);
        entity.insert(&self.property, id);
        Ok(Some(Act::Write { entity, on: Condition::Absent }))
    }

    fn remove(&self, list: &(String, String), row: &Entity, read: &[Entity]) -> Result<Option<Act>> {
        let id = row.row_key();
        for (_, part) in self.parts(list, read) {
            for number in 0..PROPERTIES {
                let name = self.property_name(number);
                let Some(text) = part.get(&name).and_then(Value::as_str) else { continue };
                let kept: Vec<&str> = split(text).filter(|known| *known != id).collect();
                if kept.len() == split(text).count() {
                    continue;
                }
                let mut entity = plain(part);
                if kept.is_empty() {
                    entity.remove(&name);
                } else {
                    entity.insert(&name, kept.join(&BETWEEN.to_string()));
                }
                if self.texts(&entity).is_empty() {
                    return Ok(Some(Act::Remove {
                        partition_key: part.partition_key().to_owned(),
                        row_key: part.row_key().to_owned(),
                        on: as_it_was(part),
                        only: None,
                    }));
                }
                return Ok(Some(Act::Write { entity, on: as_it_was(part) }));
            }
        }
        Ok(None)
    }
}

fn as_it_was(entity: &Entity) -> Condition {
    entity.etag().map_or(Condition::Any, Condition::IfMatch)
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(BETWEEN).filter(|id| !id.is_empty())
}

/// The number of the part that a key ending so has: four digits after the mark, from 2.
fn part_of(key: &str) -> Option<u32> {
    let (_, digits) = key.rsplit_once(PART)?;
    let is_plain = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| digits.parse().ok()).flatten().filter(|number| (2..=LAST_PART).contains(number))
}
