//! Lists of ids under the value that their rows share (S9.4).

use super::changes::{Act, Change, Changes, Step, check_one_row, plain, row_act};
use super::copies::check_own_keys;
use super::field::{Joined, combinations};
use super::lookup::compare;
use super::{Field, Lookup, refusal};
use crate::limits::SERVICE;
use crate::model::names::{check_property_name, utf16_units};
use crate::{Entity, Error, Result, Value, keys};

/// Finds rows by values that need not be unique, through one entity for each value that lists the RowKeys of its rows.
///
/// The list is text in one property, with commas between the ids. A list that outgrows a property (64 KiB) goes on in a
/// second one, `Ids_02`, up to fifteen; one that outgrows the entity (1 MiB) in a second entity, whose RowKey ends with
/// `~~0002`; so no value holds `~~` and a digit behind it. A list is read, changed and written on condition of its ETag: [`reads`](IndexEntities::reads) says what to
/// read, and `changes` takes it. In the row's partition one group writes both; elsewhere the id is added before the row is
/// written, and taken out after.
///
/// Whether a row is in a list is told id by id: `1` is not in a list that holds `12`.
///
/// A prefix tells lists from rows. The literature has lists beside their rows without one, too, `Sales | Jones`: there they
/// are told by the property that holds the list, which no row has, and [`list`](IndexEntities::list) reads the partition.
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
/// Stands before the number in the RowKey of entities that go on with a list. No key that [`keys::safe`] or
/// [`keys::compose`] makes has it, so that these take any text.
const PART: &str = "~~";
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

    /// The property that holds the list; `Ids` unless it is named here. Those that go on with it have three characters
    /// more, so that the name has 252 at most.
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
    /// character, a list's property of an illegal name; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for a
    /// value that holds what the key of a further part does, an id with a comma, a row whose keys or properties look like
    /// those of lists, an entity in a list's place that is none, a list that outgrows 9,999 entities, and if the two
    /// states have different keys.
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
            removals.push(self.remove(list, row, lists)?);
        }
        let mut steps = Vec::new();
        if self.is_beside() {
            let acts = Some(row_act).into_iter().chain(adds).chain(removals.into_iter().flatten()).collect();
            steps.push(Step::new(&self.table, acts));
        } else {
            steps.extend(adds.into_iter().map(|act| Step::new(&self.lists, vec![act])));
            steps.push(Step::new(&self.table, vec![row_act]));
            steps.extend(removals.into_iter().map(|acts| Step::new(&self.lists, acts)));
        }
        Changes::new(NAME, self.first_name(), steps)
    }

    /// The steps that bring the lists to the row's state of now: in those of `current`, in none of the others that
    /// `seen` had. `lists` is what [`reads`](IndexEntities::reads) leads to for each pair of a state seen and the present
    /// one, and for `None` and the present one.
    ///
    /// # Errors
    /// As [`changes`](IndexEntities::changes).
    pub fn reconcile(&self, seen: &[&Entity], current: Option<&Entity>, lists: &[Entity]) -> Result<Changes> {
        check_one_row(NAME, seen, current)?;
        let kept = self.lists_of(current)?;
        let mut steps = Vec::new();
        for list in &kept {
            if let Some(row) = current {
                steps.extend(self.add(list, row, lists)?.map(|act| Step::new(&self.lists, vec![act])));
            }
        }
        let mut left = Vec::new();
        for row in seen {
            for list in self.lists_of(Some(row))? {
                if !kept.contains(&list) && !left.contains(&list) {
                    steps.push(Step::new(&self.lists, self.remove(&list, row, lists)?));
                    left.push(list);
                }
            }
        }
        Changes::new(NAME, self.first_name(), steps)
    }

    /// The list for these values, of rows in this partition: as many entities as it has parts, mostly one.
    ///
    /// # Errors
    /// As [`Field::text_of`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) unless there is a value for each
    /// property, and for what no list is for.
    pub fn find<V: Into<Value>>(&self, partition_key: &str, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        let texts = self.joined.texts_of(&self.fields, values).map_err(|error| refusal(NAME, None, &error))?;
        if texts.len() != self.fields.len() {
            let error = Error::invalid("A list is found by a value for each property.");
            return Err(refusal(NAME, None, &error.limit(self.fields.len(), texts.len())));
        }
        let key = self.key_of(self.joined.join(NAME, &self.fields, &texts)?)?;
        self.check()?;
        Ok(self.lookup(&format!("{}{partition_key}", self.partition_prefix), &key))
    }

    /// All lists for the rows of a partition: each value once, its further parts after it.
    ///
    /// # Errors
    /// Those of [`keys::prefix_range`].
    pub fn list(&self, partition_key: &str) -> Result<Lookup> {
        self.check()?;
        if self.is_told_by_property() {
            return Ok(Lookup::partition(&self.lists, partition_key, self.has_list()));
        }
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
        if self.is_told_by_property() && list.get(&self.property).is_none() {
            return None;
        }
        list.row_key().strip_prefix(self.prefix.as_str()).filter(|value| part_of(value).is_none())
    }

    fn is_beside(&self) -> bool {
        self.lists.eq_ignore_ascii_case(&self.table) && self.partition_prefix.is_empty()
    }

    /// Whether keys do not tell lists from rows.
    fn is_told_by_property(&self) -> bool {
        self.is_beside() && self.prefix.is_empty()
    }

    /// The filter for lists where keys do not tell: every part of a list has the first property, as a String.
    fn has_list(&self) -> String {
        compare(&self.property, "ge", "")
    }

    fn first_name(&self) -> Option<&str> {
        self.fields.first().map(Field::name)
    }

    /// Refuses a definition that has no place for its lists.
    fn check(&self) -> Result<()> {
        if self.fields.is_empty() {
            return Err(refusal(NAME, None, &Error::invalid("An index has at least one property.")));
        }
        // The last name is the longest.
        let names = [self.property.clone(), self.property_name(PROPERTIES - 1)];
        names
            .iter()
            .try_for_each(|name| check_property_name(name, &SERVICE))
            .map_err(|error| refusal(NAME, None, &error))
    }

    /// The RowKey of a value's list.
    ///
    /// # Errors
    /// `InvalidInput`: it would lie among the further parts of another.
    fn key_of(&self, value: String) -> Result<String> {
        let begins_part = |bytes: &[u8]| matches!(bytes, [b'~', b'~', digit] if digit.is_ascii_digit());
        if value.as_bytes().windows(3).any(begins_part) {
            let fact = format!("'{value}' holds '{PART}' and a digit, as the keys of further parts of lists do.");
            return Err(refusal(NAME, self.first_name(), &Error::invalid(fact)));
        }
        let key = self.prefix.clone() + &value;
        // Further parts have longer keys: what is legal for the last is for all.
        keys::check(&format!("{key}{PART}{LAST_PART}")).map_err(|error| refusal(NAME, self.first_name(), &error))?;
        Ok(key)
    }

    /// PartitionKey and RowKey of the lists that a row in this state is in.
    fn lists_of(&self, row: Option<&Entity>) -> Result<Vec<(String, String)>> {
        let Some(row) = row else { return Ok(Vec::new()) };
        self.check()?;
        check_own_keys(NAME, row)?;
        self.check_row(row)?;
        let with_keys = |error: Error| error.keys(row.partition_key(), row.row_key());
        let place = format!("{}{}", self.partition_prefix, row.partition_key());
        keys::check(&place).map_err(|error| with_keys(refusal(NAME, Some("PartitionKey"), &error)))?;
        let mut lists = Vec::new();
        for value in combinations(NAME, &self.fields, &self.joined, row).map_err(with_keys)? {
            let key = self.key_of(value).map_err(with_keys)?;
            if self.is_beside() && key == row.row_key() {
                let error = Error::invalid("The list would have the row's own keys.");
                return Err(with_keys(refusal(NAME, self.first_name(), &error)));
            }
            lists.push((place.clone(), key));
        }
        Ok(lists)
    }

    /// Refuses a row that looks like a list, or whose key cannot stand in one.
    fn check_row(&self, row: &Entity) -> Result<()> {
        let refused = |property: Option<&str>, fact: String| {
            Err(refusal(NAME, property, &Error::invalid(fact).keys(row.partition_key(), row.row_key())))
        };
        if row.row_key().contains(BETWEEN) || row.row_key().is_empty() {
            return refused(Some("RowKey"), format!("An id in a list is not empty, and holds no '{BETWEEN}'."));
        }
        if self.is_told_by_property() {
            return match row.get(&self.property) {
                Some(_) => refused(Some(&self.property), "The row has the property that tells lists.".to_owned()),
                None => Ok(()),
            };
        }
        if self.is_beside() && row.row_key().starts_with(&self.prefix) {
            let fact = format!("The RowKey begins with '{}', as those of lists do.", self.prefix);
            return refused(self.first_name(), fact);
        }
        let is_one_table = self.lists.eq_ignore_ascii_case(&self.table);
        if is_one_table && !self.is_beside() && row.partition_key().starts_with(&self.partition_prefix) {
            let fact = format!("The PartitionKey begins with '{}', as those of lists do.", self.partition_prefix);
            return refused(Some("PartitionKey"), fact);
        }
        Ok(())
    }

    fn lookup(&self, partition_key: &str, row_key: &str) -> Lookup {
        let parts = [
            compare("RowKey", "ge", &format!("{row_key}{PART}0002")),
            compare("RowKey", "le", &format!("{row_key}{PART}{LAST_PART}")),
        ];
        let mut filter = format!("({} or ({}))", compare("RowKey", "eq", row_key), parts.join(" and "));
        if self.is_told_by_property() {
            filter += &format!(" and {}", self.has_list());
        }
        Lookup::partition(&self.lists, partition_key, filter)
    }

    /// The parts of a list among what was read, with their numbers, in order.
    fn parts<'e>(&self, list: &(String, String), read: &'e [Entity]) -> Vec<(u32, &'e Entity)> {
        let number = |entity: &Entity| match entity.row_key().strip_prefix(list.1.as_str())? {
            "" => Some(1),
            rest => part_of(rest).filter(|_| rest.starts_with(PART) && rest.len() == PART.len() + 4),
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

    /// Refuses what stands in a list's place and is none: nothing of it is written over, and it is not removed.
    fn check_part(&self, part: &Entity) -> Result<()> {
        let mut is_list = false;
        let keys = |error: Error| error.keys(part.partition_key(), part.row_key());
        for name in (0..PROPERTIES).map(|number| self.property_name(number)) {
            match part.get(&name) {
                None => continue,
                Some(Value::String(_)) => is_list = true,
                Some(value) => {
                    let error = Error::invalid(format!("A list is a String, and this is a {}.", value.edm_type()));
                    return Err(keys(refusal(NAME, Some(&name), &error)));
                }
            }
        }
        if is_list {
            return Ok(());
        }
        let error = Error::invalid("The entity in the list's place holds no list.");
        Err(keys(refusal(NAME, Some(&self.property), &error)))
    }

    fn has_ids(&self, part: &Entity) -> bool {
        self.texts(part).into_iter().flat_map(split).next().is_some()
    }

    fn add(&self, list: &(String, String), row: &Entity, read: &[Entity]) -> Result<Option<Act>> {
        let id = row.row_key();
        let parts = self.parts(list, read);
        parts.iter().try_for_each(|(_, part)| self.check_part(part))?;
        if parts.iter().any(|(_, part)| self.texts(part).into_iter().flat_map(split).any(|known| known == id)) {
            return Ok(None);
        }
        let room = SERVICE.string_units.saturating_sub(utf16_units(id) + 1);
        for (_, part) in &parts {
            for number in 0..PROPERTIES {
                let name = self.property_name(number);
                let known = part.get(&name).and_then(Value::as_str).unwrap_or_default();
                if utf16_units(known) > room {
                    continue;
                }
                let mut new = plain(part);
                new.insert(name, if known.is_empty() { id.to_owned() } else { format!("{known}{BETWEEN}{id}") });
                // Something else may take room there.
                if new.size_bytes() <= SERVICE.entity_bytes && new.properties().len() <= SERVICE.properties {
                    return Ok(Some(Act::Shared(Change::Replace { former: Entity::clone(part), new })));
                }
            }
        }
        let is_free = |number: &u32| parts.iter().all(|(known, _)| known != number);
        let number = (1..=LAST_PART).find(is_free).ok_or_else(|| {
            let error = Error::invalid(format!("The list '{}' has as many parts as there may be.", list.1));
            let limit = usize::try_from(LAST_PART).unwrap_or(usize::MAX);
            refusal(NAME, self.first_name(), &error.limit(limit, limit.saturating_add(1)))
        })?;
        let row_key = if number == 1 { list.1.clone() } else { format!("{}{PART}{number:04}", list.1) };
        let mut entity = Entity::new(list.0.as_str(), row_key);
        entity.insert(&self.property, id);
        Ok(Some(Act::Shared(Change::Insert(entity))))
    }

    /// Takes the id out of all parts. The first part stays as long as there are others, since its key tells the value; a
    /// list of no ids goes.
    fn remove(&self, list: &(String, String), row: &Entity, read: &[Entity]) -> Result<Vec<Act>> {
        let id = row.row_key();
        let parts = self.parts(list, read);
        parts.iter().try_for_each(|(_, part)| self.check_part(part))?;
        let left: Vec<Entity> = parts.iter().map(|(_, part)| self.without(part, id)).collect();
        let is_changed = |(part, left): (&Entity, &Entity)| part.properties().ne(left.properties());
        if !parts.iter().map(|(_, part)| *part).zip(&left).any(is_changed) {
            return Ok(Vec::new());
        }
        let is_empty = !left.iter().any(|part| self.has_ids(part));
        let mut acts = Vec::new();
        for ((number, part), left) in parts.into_iter().zip(left) {
            if is_empty || number > 1 && !self.has_ids(&left) {
                acts.push(Act::Shared(Change::Delete(part.clone())));
            } else if is_changed((part, &left)) {
                acts.push(Act::Shared(Change::Replace { former: part.clone(), new: left }));
            }
        }
        Ok(acts)
    }

    /// The part without an id. A property that holds no other goes, but the first, which tells a list.
    fn without(&self, part: &Entity, id: &str) -> Entity {
        let mut left = plain(part);
        for number in 0..PROPERTIES {
            let name = self.property_name(number);
            let Some(text) = part.get(&name).and_then(Value::as_str) else { continue };
            if !split(text).any(|known| known == id) {
                continue;
            }
            let kept: Vec<&str> = split(text).filter(|known| *known != id).collect();
            if kept.is_empty() && number > 0 {
                left.remove(&name);
            } else {
                left.insert(&name, kept.join(&BETWEEN.to_string()));
            }
        }
        left
    }
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
