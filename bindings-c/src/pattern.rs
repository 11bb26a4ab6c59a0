//! The published patterns behind one type, for the C and C++ APIs: what defines one, and the verbs that they share. The
//! patterns themselves, and every rule about them, are the core's.

use crate::place::Refused;
use entable::patterns::{
    Changes, CompoundKey, DataSeries, DistinctList, Field, FoldedKey, IndexEntities, IndexTable, LogTail, Lookup,
    Period, SecondaryIndex, UniqueGuard, WideEntity,
};
use entable::{DateTime, Entity, Value};

type Result<T> = std::result::Result<T, Refused>;

/// A field of a definition: a property, and how its value is written into a key.
#[derive(Default)]
pub struct FieldDefinition {
    /// The property.
    pub name: String,
    /// 0 plain, 1 folded, 2 safe, 3 base64, 4 newest first.
    pub form: u32,
    /// Digits of a whole number; 0 as it is.
    pub padded: usize,
    /// What stands between several values of one text.
    pub each: Option<String>,
}

impl FieldDefinition {
    fn field(&self) -> Result<Field> {
        let mut field = Field::new(&self.name);
        if self.padded > 0 {
            field = field.padded(self.padded);
        }
        if let Some(between) = &self.each {
            field = field.each(between);
        }
        Ok(match self.form {
            0 => field,
            1 => field.folded(),
            2 => field.safe(),
            3 => field.base64(),
            4 => field.newest_first(),
            _ => return Err(Refused::misuse("form", "It is no form of a field.")),
        })
    }

    /// See [`Field::text_of`].
    pub fn text_of(&self, value: Value) -> Result<String> {
        Ok(self.field()?.text_of(value)?)
    }
}

/// All that any pattern's definition may say. A pattern takes what its constructor and builder of the core take.
#[derive(Default)]
pub struct Definition {
    /// The number of `entable_pattern_kind`.
    pub kind: u32,
    /// The rows' table.
    pub table: String,
    /// The table of what the pattern keeps, where that is another: copies, lists, entries, guards.
    pub kept_in: Option<String>,
    /// What the keys of what it keeps begin with.
    pub prefix: Option<String>,
    /// What the keys of rows begin with.
    pub row_prefix: Option<String>,
    /// The partition of guards; what the partitions of lists begin with.
    pub partition: Option<String>,
    /// The time of `LogTail`, the property of `FoldedKey`, the property that holds the ids of `IndexEntities`.
    pub property: Option<String>,
    /// The property of the folded text of `FoldedKey`.
    pub folded: Option<String>,
    /// What stands between the values in a key.
    pub separator: Option<String>,
    /// The properties of which keys are made.
    pub fields: Vec<FieldDefinition>,
    /// The properties that are kept, where not all are.
    pub select: Option<Vec<String>>,
    /// 0 the keys, 1 all properties, 2 those of `select`: what an entry of `IndexTable` holds.
    pub holding: u32,
    /// 1 year, 2 month, 3 day, 4 hour: of `DataSeries`.
    pub period: u32,
    /// Partitions that one value's entries are spread over; 0 for one.
    pub shards: u32,
    /// Values are composed as `keys::compose` does.
    pub is_composed: bool,
    /// Entries are named by both keys of their row.
    pub by_both_keys: bool,
    /// The earliest rows are found too.
    pub both_orders: bool,
}

/// A question that a pattern answers with a [`Lookup`]. The numbers are those of `entable_lookup_kind`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// What has these values.
    Find,
    /// What begins with them.
    StartingWith,
    /// What lies from the first to the second.
    Between,
    /// Everything of the pattern in a partition.
    List,
    /// The newest rows.
    Latest,
    /// The oldest rows.
    Earliest,
    /// The first entry behind a value.
    NextValue,
    /// What lies below a key.
    Below,
    /// The same with the key itself.
    WithBelow,
}

impl Ask {
    /// The question of this number, from 1.
    pub fn of(number: u32) -> Result<Ask> {
        use Ask::*;
        let all = [Find, StartingWith, Between, List, Latest, Earliest, NextValue, Below, WithBelow];
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let asked = place.and_then(|place| all.get(place)).copied();
        asked.ok_or_else(|| Refused::misuse("kind", "It is no kind of lookup."))
    }
}

/// One of the patterns.
pub enum Pattern {
    /// S9.1.
    Secondary(SecondaryIndex),
    /// S9.4.
    Entities(IndexEntities),
    /// S9.5.
    Table(IndexTable),
    /// S9.24.
    Guard(UniqueGuard),
    /// S9.27.
    Folded(FoldedKey),
    /// S9.14.
    Tail(LogTail),
    /// S9.16.
    Series(DataSeries),
    /// S9.17.
    Wide(WideEntity),
    /// S9.13.
    Compound(CompoundKey),
    /// S9.26.
    Distinct(DistinctList),
}

impl Definition {
    /// Refuses what this pattern does not take, so that nothing is silently left out.
    fn takes(&self, members: &[&str]) -> Result<()> {
        let given = [
            ("kept_in", self.kept_in.is_some()),
            ("prefix", self.prefix.is_some()),
            ("row_prefix", self.row_prefix.is_some()),
            ("partition", self.partition.is_some()),
            ("property", self.property.is_some()),
            ("folded", self.folded.is_some()),
            ("separator", self.separator.is_some()),
            ("fields", !self.fields.is_empty()),
            ("select", self.select.is_some()),
            ("holding", self.holding != 0),
            ("period", self.period != 0),
            ("shards", self.shards != 0),
            ("composed", self.is_composed),
            ("by_both_keys", self.by_both_keys),
            ("both_orders", self.both_orders),
        ];
        match given.into_iter().find(|(name, is_given)| *is_given && !members.contains(name)) {
            Some((name, _)) => Err(Refused::misuse(name, "The pattern does not take it.")),
            None => Ok(()),
        }
    }

    fn fields(&self) -> Result<Vec<Field>> {
        self.fields.iter().map(FieldDefinition::field).collect()
    }

    fn one_field(&self) -> Result<Field> {
        match self.fields.as_slice() {
            [field] => field.field(),
            _ => Err(Refused::misuse("fields", "The pattern takes exactly one.")),
        }
    }

    /// The pattern, if the definition is one of it.
    pub fn pattern(&self) -> Result<Pattern> {
        let table = self.table.as_str();
        Ok(match self.kind {
            1 => Pattern::Secondary(self.secondary_index()?),
            2 => Pattern::Entities(self.index_entities()?),
            3 => Pattern::Table(self.index_table()?),
            4 => Pattern::Guard(self.unique_guard()?),
            5 => Pattern::Folded(self.folded_key()?),
            6 => {
                self.takes(&["property", "fields", "both_orders"])?;
                let mut tail = LogTail::new(table, needed(&self.property, "property")?);
                if !self.fields.is_empty() {
                    tail = tail.id(self.one_field()?);
                }
                Pattern::Tail(if self.both_orders { tail.both_orders() } else { tail })
            }
            7 => {
                self.takes(&["period"])?;
                Pattern::Series(DataSeries::new(table, period(self.period)?))
            }
            8 => {
                self.takes(&[])?;
                Pattern::Wide(WideEntity::new(table))
            }
            9 => {
                self.takes(&["fields", "prefix", "separator"])?;
                let mut compound = CompoundKey::new(table, self.fields()?);
                if let Some(prefix) = &self.prefix {
                    compound = compound.prefix(prefix);
                }
                Pattern::Compound(match &self.separator {
                    Some(separator) => compound.separator(separator),
                    None => compound,
                })
            }
            10 => {
                self.takes(&["fields", "prefix", "row_prefix"])?;
                let list = DistinctList::new(table, needed(&self.prefix, "prefix")?, self.one_field()?);
                Pattern::Distinct(match &self.row_prefix {
                    Some(row_prefix) => list.row_prefix(row_prefix),
                    None => list,
                })
            }
            _ => return Err(Refused::misuse("kind", "It is no pattern.")),
        })
    }

    fn secondary_index(&self) -> Result<SecondaryIndex> {
        let (table, field) = (self.table.as_str(), self.one_field()?);
        let index = match (&self.row_prefix, &self.kept_in) {
            (None, None) => {
                self.takes(&["fields", "prefix", "select"])?;
                SecondaryIndex::new(table, needed(&self.prefix, "prefix")?, field)
            }
            (Some(row_prefix), None) => {
                self.takes(&["fields", "prefix", "row_prefix", "select"])?;
                SecondaryIndex::in_partitions(table, row_prefix, needed(&self.prefix, "prefix")?, field)
            }
            (_, Some(copies)) => {
                self.takes(&["fields", "kept_in", "select"])?;
                SecondaryIndex::in_table(table, copies, field)
            }
        };
        Ok(match &self.select {
            Some(names) => index.select(names),
            None => index,
        })
    }

    fn index_entities(&self) -> Result<IndexEntities> {
        self.takes(&["fields", "prefix", "kept_in", "partition", "property", "composed"])?;
        let mut lists = IndexEntities::new(&self.table, needed(&self.prefix, "prefix")?, self.fields()?);
        if self.kept_in.is_some() || self.partition.is_some() {
            let place = self.kept_in.as_ref().unwrap_or(&self.table);
            lists = lists.placed(place, self.partition.clone().unwrap_or_default());
        }
        if let Some(property) = &self.property {
            lists = lists.list_property(property);
        }
        Ok(if self.is_composed { lists.composed() } else { lists })
    }

    fn index_table(&self) -> Result<IndexTable> {
        self.takes(&["fields", "kept_in", "select", "holding", "separator", "composed", "by_both_keys", "shards"])?;
        let (table, entries) = (self.table.as_str(), needed(&self.kept_in, "kept_in")?);
        let mut index = match (self.holding, &self.select) {
            (0, None) => IndexTable::normalized(table, entries, self.fields()?),
            (1, None) => IndexTable::full(table, entries, self.fields()?),
            (2, Some(names)) => IndexTable::partial(table, entries, self.fields()?, names),
            _ => return Err(Refused::misuse("holding", "It is the keys, all, or the properties of select.")),
        };
        if let Some(separator) = &self.separator {
            index = index.separator(separator);
        }
        if self.is_composed {
            index = index.composed();
        }
        if self.by_both_keys {
            index = index.by_both_keys();
        }
        Ok(if self.shards > 0 { index.sharded(self.shards) } else { index })
    }

    fn unique_guard(&self) -> Result<UniqueGuard> {
        self.takes(&["fields", "prefix", "kept_in", "partition"])?;
        let guard = UniqueGuard::new(&self.table, self.prefix.clone().unwrap_or_default(), self.one_field()?);
        Ok(match (&self.kept_in, &self.partition) {
            (None, None) => guard,
            (place, Some(partition)) => guard.across(place.as_ref().unwrap_or(&self.table), partition),
            (Some(_), None) => {
                return Err(Refused::misuse("partition", "Guards in a table of their own are in one partition."));
            }
        })
    }

    fn folded_key(&self) -> Result<FoldedKey> {
        self.takes(&["property", "folded", "prefix"])?;
        let property = needed(&self.property, "property")?;
        match (&self.folded, &self.prefix) {
            (Some(folded), None) => Ok(FoldedKey::property(&self.table, property, folded)),
            (None, Some(prefix)) => Ok(FoldedKey::keyed(&self.table, prefix, property)),
            _ => Err(Refused::misuse("folded", "The pattern takes one of folded and prefix.")),
        }
    }
}

fn needed<'a>(member: &'a Option<String>, name: &'static str) -> Result<&'a str> {
    member.as_deref().ok_or_else(|| Refused::misuse(name, "The pattern needs it."))
}

fn period(number: u32) -> Result<Period> {
    match number {
        1 => Ok(Period::Year),
        2 => Ok(Period::Month),
        3 => Ok(Period::Day),
        4 => Ok(Period::Hour),
        _ => Err(Refused::misuse("period", "It is no period.")),
    }
}

fn no_such() -> Refused {
    Refused::misuse("pattern", "This pattern does not do it.")
}

/// The arguments of a lookup.
struct Arguments<'a> {
    partition_key: Option<&'a str>,
    values: &'a [Value],
}

impl<'a> Arguments<'a> {
    fn partition(&self) -> Result<&'a str> {
        self.partition_key.ok_or_else(|| Refused::misuse("partition_key", "It must be given."))
    }

    fn values(&self, count: usize) -> Result<&'a [Value]> {
        match self.values.len() == count {
            true => Ok(self.values),
            false => Err(Refused::misuse("values", "The lookup takes another number of them.")),
        }
    }

    fn one(&self) -> Result<Value> {
        self.values(1)?.first().cloned().ok_or_else(no_such)
    }

    fn two(&self) -> Result<(Value, Value)> {
        match self.values(2)? {
            [first, last] => Ok((first.clone(), last.clone())),
            _ => Err(no_such()),
        }
    }

    fn text(&self) -> Result<String> {
        let value = self.one()?;
        value.as_str().map(str::to_owned).ok_or_else(|| Refused::misuse("values", "The lookup takes a String."))
    }

    fn count(&self) -> Result<u64> {
        let count = self.one()?.as_i64().and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| Refused::misuse("values", "The lookup takes how many, an Int64 or Int32 from 0."))
    }

    fn time(value: &Value) -> Result<DateTime> {
        value.as_datetime().ok_or_else(|| Refused::misuse("values", "The lookup takes a DateTime."))
    }

    fn times(&self) -> Result<(DateTime, DateTime)> {
        let (first, last) = self.two()?;
        Ok((Self::time(&first)?, Self::time(&last)?))
    }
}

impl Pattern {
    /// What is written when a row goes from one state to the next. `stored` are the lists or counts that were read.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>, stored: &[Entity]) -> Result<Changes> {
        Ok(match self {
            Pattern::Entities(pattern) => pattern.changes(former, new, stored)?,
            Pattern::Distinct(pattern) => pattern.changes(former, new, stored)?,
            _ if !stored.is_empty() => return Err(Refused::misuse("stored", "The pattern reads nothing first.")),
            Pattern::Secondary(pattern) => pattern.changes(former, new)?,
            Pattern::Table(pattern) => pattern.changes(former, new)?,
            Pattern::Guard(pattern) => pattern.changes(former, new)?,
            Pattern::Folded(pattern) => pattern.changes(former, new)?,
            Pattern::Tail(pattern) => pattern.changes(former, new)?,
            Pattern::Series(pattern) => pattern.changes(former, new)?,
            Pattern::Wide(pattern) => pattern.changes(former, new)?,
            Pattern::Compound(pattern) => pattern.changes(former, new)?,
        })
    }

    /// What brings the copies to the row's state of now.
    pub fn reconcile(&self, seen: &[&Entity], current: Option<&Entity>, stored: &[Entity]) -> Result<Changes> {
        Ok(match self {
            Pattern::Entities(pattern) => pattern.reconcile(seen, current, stored)?,
            _ if !stored.is_empty() => return Err(Refused::misuse("stored", "The pattern reads nothing first.")),
            Pattern::Secondary(pattern) => pattern.reconcile(seen, current)?,
            Pattern::Table(pattern) => pattern.reconcile(seen, current)?,
            Pattern::Guard(pattern) => pattern.reconcile(seen, current)?,
            Pattern::Folded(pattern) => pattern.reconcile(seen, current)?,
            _ => return Err(no_such()),
        })
    }

    /// What is to be read before a change; `table` is the rows' table.
    pub fn reads(&self, table: &str, former: Option<&Entity>, new: Option<&Entity>) -> Result<Vec<Lookup>> {
        Ok(match self {
            Pattern::Entities(pattern) => pattern.reads(former, new)?,
            Pattern::Distinct(pattern) => {
                let keys = pattern.reads(former, new)?.into_iter();
                keys.map(|(partition_key, row_key)| Lookup::point(table, partition_key, row_key)).collect()
            }
            _ => Vec::new(),
        })
    }

    /// What a reader asks for.
    pub fn lookup(&self, ask: Ask, partition_key: Option<&str>, values: &[Value]) -> Result<Lookup> {
        let given = Arguments { partition_key, values };
        if let Pattern::Table(pattern) = self {
            if partition_key.is_some() {
                return Err(Refused::misuse("partition_key", "Entries are found by their values alone."));
            }
            return Ok(match ask {
                Ask::Find => pattern.find(values.to_vec())?,
                Ask::StartingWith => pattern.starting_with(values.to_vec())?,
                Ask::Between => {
                    let (first, last) = given.two()?;
                    pattern.between(first, last)?
                }
                Ask::NextValue if values.is_empty() => pattern.next_value(None)?,
                Ask::NextValue => pattern.next_value(Some(&given.text()?))?,
                _ => return Err(no_such()),
            });
        }
        let partition = given.partition()?;
        Ok(match (self, ask) {
            (Pattern::Secondary(pattern), Ask::Find) => pattern.find(partition, given.one()?)?,
            (Pattern::Secondary(pattern), Ask::StartingWith) => pattern.starting_with(partition, &given.text()?)?,
            (Pattern::Secondary(pattern), Ask::Between) => {
                let (first, last) = given.two()?;
                pattern.between(partition, first, last)?
            }
            (Pattern::Secondary(pattern), Ask::List) => pattern.list(partition)?,
            (Pattern::Entities(pattern), Ask::Find) => pattern.find(partition, values.to_vec())?,
            (Pattern::Entities(pattern), Ask::List) => pattern.list(partition)?,
            (Pattern::Guard(pattern), Ask::Find) => pattern.find(partition, given.one()?)?,
            (Pattern::Folded(pattern), Ask::Find) => pattern.find(partition, &given.text()?)?,
            (Pattern::Folded(pattern), Ask::StartingWith) => pattern.starting_with(partition, &given.text()?)?,
            (Pattern::Tail(pattern), Ask::Latest) => pattern.latest(partition, given.count()?)?,
            (Pattern::Tail(pattern), Ask::Earliest) => pattern.earliest(partition, given.count()?)?,
            (Pattern::Tail(pattern), Ask::Between) => {
                let (first, last) = given.times()?;
                pattern.between(partition, first, last)?
            }
            (Pattern::Series(pattern), Ask::Find) => pattern.find(partition, Arguments::time(&given.one()?)?)?,
            (Pattern::Series(pattern), Ask::Between) => {
                let (first, last) = given.times()?;
                pattern.between(partition, first, last)?
            }
            (Pattern::Wide(pattern), Ask::Find) => pattern.find(partition, &given.text()?),
            (Pattern::Compound(pattern), Ask::Find) => pattern.find(partition, values.to_vec())?,
            (Pattern::Compound(pattern), Ask::Below) => pattern.below(partition, values.to_vec())?,
            (Pattern::Compound(pattern), Ask::WithBelow) => pattern.with_below(partition, values.to_vec())?,
            (Pattern::Distinct(pattern), Ask::List) => pattern.list(partition)?,
            (Pattern::Distinct(pattern), Ask::Find) => pattern.find(partition, given.one()?)?,
            _ => return Err(no_such()),
        })
    }

    /// The keys of the rows that what was found stands for.
    pub fn rows(&self, partition_key: Option<&str>, found: &[Entity]) -> Result<Vec<(String, String)>> {
        Ok(match self {
            Pattern::Entities(pattern) => pattern.rows(Arguments { partition_key, values: &[] }.partition()?, found),
            Pattern::Table(pattern) => pattern.rows(found)?,
            Pattern::Guard(pattern) => {
                found.iter().map(|guard| pattern.holder(guard)).collect::<entable::Result<_>>()?
            }
            _ => return Err(no_such()),
        })
    }

    /// The row as the pattern writes it: with the key, or the property, that it makes.
    pub fn row_of(&self, row: &Entity) -> Result<Entity> {
        Ok(match self {
            Pattern::Folded(pattern) => pattern.row_of(row)?,
            Pattern::Tail(pattern) => pattern.row_of(row)?,
            Pattern::Compound(pattern) => pattern.row_of(row)?,
            _ => return Err(no_such()),
        })
    }

    /// The one row of the entities that it was split into, if they are all there.
    pub fn join(&self, parts: &[Entity]) -> Result<Option<Entity>> {
        match self {
            Pattern::Wide(pattern) => Ok(pattern.join(parts)?),
            _ => Err(no_such()),
        }
    }

    /// What was found says: the times of a series with their values, the values of a distinct list with their counts.
    pub fn pairs(&self, found: &[Entity]) -> Result<Vec<(Value, Value)>> {
        let mut pairs = Vec::new();
        match self {
            Pattern::Series(pattern) => {
                for entity in found {
                    pairs.extend(pattern.values(entity)?.into_iter().map(|(time, value)| (time.into(), value)));
                }
            }
            Pattern::Distinct(pattern) => {
                pairs.extend(pattern.counts(found)?.into_iter().map(|(value, count)| (value.into(), count.into())));
            }
            _ => return Err(no_such()),
        }
        Ok(pairs)
    }

    /// A value of a series, as it is recorded.
    pub fn record(&self, series: &str, time: DateTime, value: Value) -> Result<Changes> {
        match self {
            Pattern::Series(pattern) => Ok(pattern.record(series, time, value)?),
            _ => Err(no_such()),
        }
    }

    /// A value of a series, as it is taken out of the entity that was read.
    pub fn remove(&self, entity: &Entity, time: DateTime) -> Result<Changes> {
        match self {
            Pattern::Series(pattern) => Ok(pattern.remove(entity, time)?),
            _ => Err(no_such()),
        }
    }

    /// The counts of a distinct list, made anew from the rows of a partition.
    pub fn rebuild(&self, partition_key: &str, rows: &[Entity], stored: &[Entity]) -> Result<Changes> {
        match self {
            Pattern::Distinct(pattern) => Ok(pattern.rebuild(partition_key, rows, stored)?),
            _ => Err(no_such()),
        }
    }

    /// The ids in lists of index entities.
    pub fn ids(&self, lists: &[Entity]) -> Result<Vec<String>> {
        match self {
            Pattern::Entities(pattern) => Ok(pattern.ids(lists)),
            _ => Err(no_such()),
        }
    }

    /// The value that a list of index entities is for.
    pub fn value_of<'e>(&self, list: &'e Entity) -> Result<Option<&'e str>> {
        match self {
            Pattern::Entities(pattern) => Ok(pattern.value_of(list)),
            _ => Err(no_such()),
        }
    }

    /// The PartitionKey of a row whose entries are spread over shards.
    pub fn shard_key(&self, row_key: &str) -> Result<String> {
        match self {
            Pattern::Table(pattern) => Ok(pattern.shard_key(row_key)?),
            _ => Err(no_such()),
        }
    }

    /// The texts that a compound key is made of.
    pub fn parts(&self, row_key: &str) -> Result<Vec<String>> {
        match self {
            Pattern::Compound(pattern) => Ok(pattern.parts(row_key)?),
            _ => Err(no_such()),
        }
    }
}
