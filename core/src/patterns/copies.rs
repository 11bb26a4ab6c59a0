//! What the patterns with copies share: from the copies of two states to the steps that lead from one to the other.

use super::act::Known;
use super::changes::{Act, Changes, Step, check_one_row, plain, row_act};
use super::refusal;
use crate::limits::SERVICE;
use crate::model::names::{PARTITION_KEY, ROW_KEY, check_key};
use crate::{Condition, Entity, Error, Result};

/// A copy of a row, or an entry for it, as a state of the row calls for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copy {
    pub(super) table: String,
    pub(super) entity: Entity,
    /// Whether its key may belong to one row only: then it is inserted, and never replaces another row's.
    pub(super) is_claim: bool,
    /// Whether it says whose it is. If not, properties of those names are the row's own, and other rows may have the same.
    pub(super) names_row: bool,
}

/// A pattern whose copies follow from the row alone.
pub(super) trait Copies {
    /// The pattern's name, for errors.
    const NAME: &str;
    /// The table of the rows.
    fn table(&self) -> &str;
    /// The property that an error is about.
    fn property(&self) -> Option<&str>;
    /// The copies that a row in this state has.
    fn copies(&self, row: &Entity) -> Result<Vec<Copy>>;
    /// Refuses what the new state may not hold.
    fn check(&self, _former: Option<&Entity>, _new: Option<&Entity>) -> Result<()> {
        Ok(())
    }
    /// What is stored as the row itself.
    fn row(&self, row: &Entity) -> Result<Entity> {
        Ok(plain(row))
    }
}

impl Copy {
    fn is_beside(&self, table: &str, row: &Entity) -> bool {
        self.table.eq_ignore_ascii_case(table) && self.entity.partition_key() == row.partition_key()
    }

    fn has_keys_of(&self, other: &Copy) -> bool {
        self.table == other.table
            && self.entity.partition_key() == other.entity.partition_key()
            && self.entity.row_key() == other.entity.row_key()
    }

    /// Removes what is there if it is one of these: a key that was this row's may be another's by now.
    fn removal(&self, copies: Vec<Entity>) -> Act {
        Act::Remove {
            partition_key: self.entity.partition_key().to_owned(),
            row_key: self.entity.row_key().to_owned(),
            on: Condition::Any,
            only: Some(Known { copies, is_claim: self.is_claim, names_row: self.names_row }),
        }
    }
}

/// Refuses a row whose own keys are not legal, before it is taken for a matter of the pattern's property.
pub(super) fn check_own_keys(pattern: &str, row: &Entity) -> Result<()> {
    for (name, key) in [(PARTITION_KEY, row.partition_key()), (ROW_KEY, row.row_key())] {
        let named = |error: Error| refusal(pattern, Some(name), &error.keys(row.partition_key(), row.row_key()));
        check_key(name, key, &SERVICE).map_err(named)?;
    }
    Ok(())
}

pub(super) fn copies_of<P: Copies>(pattern: &P, row: Option<&Entity>) -> Result<Vec<Copy>> {
    row.map_or(Ok(()), |row| check_own_keys(P::NAME, row))?;
    let copies = match row {
        Some(row) => pattern.copies(row).map_err(|error| error.keys(row.partition_key(), row.row_key()))?,
        None => Vec::new(),
    };
    let is_same =
        |copy: &Copy, row: &Entity| copy.is_beside(pattern.table(), row) && copy.entity.row_key() == row.row_key();
    if let Some(row) = row
        && copies.iter().any(|copy| is_same(copy, row))
    {
        let error = Error::invalid("The copy would have the row's own keys.").keys(row.partition_key(), row.row_key());
        return Err(refusal(P::NAME, pattern.property(), &error));
    }
    Ok(copies)
}

/// The steps from one state of a row to the next.
pub(super) fn changes<P: Copies>(pattern: &P, former: Option<&Entity>, new: Option<&Entity>) -> Result<Changes> {
    pattern.check(former, new)?;
    let new_row = new.map(|row| pattern.row(row)).transpose()?;
    // A row from before the pattern may be one that the pattern would not take.
    let stored = |row: &Entity| pattern.row(row).unwrap_or_else(|_| plain(row)).with_version_of(row);
    let former_row = former.map(stored);
    let Some(row_act) = row_act(P::NAME, former_row.as_ref(), new_row.as_ref())? else {
        return Ok(Changes::default());
    };
    let Some(row) = new.or(former) else { return Ok(Changes::default()) };
    let (before, after) = (copies_of(pattern, former)?, copies_of(pattern, new)?);
    let mut beside_row = vec![row_act];
    let mut first = Vec::new();
    for copy in &after {
        let known = before.iter().find(|known| known.has_keys_of(copy));
        if known == Some(copy) {
            continue;
        }
        // In the row's own group a copy that is there already would be another row's.
        let is_beside = copy.is_beside(pattern.table(), row);
        let is_insert = known.is_none() && (copy.is_claim || is_beside);
        let on = if is_insert { Condition::Absent } else { Condition::None };
        let act = Act::Write { entity: copy.entity.clone(), on };
        if is_beside { beside_row.push(act) } else { push(&mut first, &copy.table, act) }
    }
    let mut last = Vec::new();
    for copy in before.iter().filter(|copy| !after.iter().any(|kept| kept.has_keys_of(copy))) {
        let removal = copy.removal(vec![copy.entity.clone()]);
        match copy.is_beside(pattern.table(), row) {
            true => beside_row.push(removal),
            false => last.push(Step::new(&copy.table, vec![removal])),
        }
    }
    first.push(Step::new(pattern.table(), beside_row));
    first.append(&mut last);
    Changes::new(P::NAME, pattern.property(), first)
}

/// The steps that bring the copies to the row's present state, whichever of the other states they have.
pub(super) fn reconcile<P: Copies>(pattern: &P, seen: &[&Entity], current: Option<&Entity>) -> Result<Changes> {
    check_one_row(P::NAME, seen, current)?;
    let current = copies_of(pattern, current)?;
    let mut steps = Vec::new();
    for copy in &current {
        let on = if copy.is_claim { Condition::Absent } else { Condition::None };
        push(&mut steps, &copy.table, Act::Write { entity: copy.entity.clone(), on });
    }
    let mut stale: Vec<(Copy, Vec<Entity>)> = Vec::new();
    for row in seen {
        for copy in copies_of(pattern, Some(row))? {
            if current.iter().any(|kept| kept.has_keys_of(&copy)) {
                continue;
            }
            match stale.iter_mut().find(|(known, _)| known.has_keys_of(&copy)) {
                Some((_, known)) => known.push(copy.entity),
                None => stale.push((copy.clone(), vec![copy.entity])),
            }
        }
    }
    steps.extend(stale.into_iter().map(|(copy, known)| Step::new(&copy.table, vec![copy.removal(known)])));
    Changes::new(P::NAME, pattern.property(), steps)
}

/// Adds to the step of the same partition, or begins one. Inserts stand alone: one that fails must not hold up others.
fn push(steps: &mut Vec<Step>, table: &str, act: Act) {
    let mut act = Some(act);
    if let Some(step) = steps.iter_mut().find(|step| step.takes(table, &act)) {
        step.extend(act.take());
    }
    steps.extend(act.map(|act| Step::new(table, vec![act])));
}

/// The two methods that every pattern with copies has, with their documentation.
macro_rules! with_copies {
    ($pattern:ty) => {
        impl $pattern {
            /// All that is to be written when a row goes from one state to the next: `None` before an insert, and after a
            /// delete. The former state carries the ETag that the row is written on condition of.
            ///
            /// # Errors
            /// What the service would refuse, before anything is written:
            /// [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge),
            /// [`ErrorCode::OutOfRangeInput`](crate::ErrorCode::OutOfRangeInput),
            /// [`ErrorCode::EntityTooLarge`](crate::ErrorCode::EntityTooLarge),
            /// [`ErrorCode::TooManyProperties`](crate::ErrorCode::TooManyProperties) …, with pattern, property, limit and
            /// actual; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the two states have different keys.
            pub fn changes(
                &self,
                former: Option<&$crate::Entity>,
                new: Option<&$crate::Entity>,
            ) -> $crate::Result<super::Changes> {
                super::copies::changes(self, former, new)
            }

            /// The steps that bring the copies to the row's state of now: for rows that were there before the pattern,
            /// for a feed of changes, and for whoever lost a race. `seen` are states whose copies may be left over: a copy
            /// is removed if it is one of theirs. The row itself is not written. If it has another ETag afterwards, it is
            /// done once more, with the state that was read before among those seen.
            ///
            /// # Errors
            /// As `changes`.
            pub fn reconcile(
                &self,
                seen: &[&$crate::Entity],
                current: Option<&$crate::Entity>,
            ) -> $crate::Result<super::Changes> {
                super::copies::reconcile(self, seen, current)
            }
        }
    };
}
pub(super) use with_copies;
