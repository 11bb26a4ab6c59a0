//! Several patterns on one row: their changes as one list of steps.

use super::changes::{Act, Changes, Step};
use super::refusal;
use crate::{Error, Result};
use std::collections::HashMap;

const NAME: &str = "Changes::join";

/// When a step has its turn.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Before,
    Row,
    After,
}

#[derive(Default)]
struct Joining {
    before: Vec<Step>,
    row: Option<Step>,
    after: Vec<Step>,
    /// What is done under a table and two keys, and when.
    taken: HashMap<(String, String, String), (Phase, Act)>,
}

impl Changes {
    /// The changes of two patterns on one row, as one list of steps: what either writes before the row, the row's group
    /// with what both keep beside it, what either removes after it. Claims come first and are given up last, so that
    /// nothing is written for a row whose unique value is another's.
    ///
    /// Both are made from the same two states of the row: the former as it was read, the new one as it shall be stored. A
    /// pattern that adds to the row, or makes its key, says how that is, and the others are given it
    /// ([`FoldedKey::row_of`](super::FoldedKey::row_of), [`LogTail::row_of`](super::LogTail::row_of),
    /// [`CompoundKey::row_of`](super::CompoundKey::row_of)).
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput), with table and keys: the two write the row, and not
    /// alike; or different things under one key. What a group cannot hold: more than 100 operations, or 4 MiB.
    ///
    /// # Example
    /// ```
    /// use entable::{entity, patterns::{SecondaryIndex, UniqueGuard}};
    /// let by_email = SecondaryIndex::in_table("Employees", "EmployeesByEmail", "Email");
    /// let unique = UniqueGuard::new("Employees", "", "Email").across("Guards", "Email");
    /// let jones = entity! { "Sales", "000223", "Email" => "jonesj@contoso.com" };
    /// let changes = by_email.changes(None, Some(&jones))?.join(unique.changes(None, Some(&jones))?)?;
    /// let tables: Vec<_> = changes.steps().iter().map(|step| step.table()).collect();
    /// assert_eq!(tables, ["Guards", "EmployeesByEmail", "Employees"]);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn join(self, other: Changes) -> Result<Changes> {
        let mut joining = Joining::default();
        for (phase, step) in phased(self).chain(phased(other)) {
            joining.add(phase, step)?;
        }
        let Joining { mut before, row, mut after, .. } = joining;
        before.sort_by_key(|step| !step.acts.iter().any(Act::is_insert));
        after.sort_by_key(|step| step.acts.iter().any(Act::is_release));
        Changes::new(NAME, None, before.into_iter().chain(row).chain(after).collect())
    }
}

impl Joining {
    fn add(&mut self, phase: Phase, step: Step) -> Result<()> {
        if let (Phase::Row, Some(row)) = (phase, &self.row) {
            check_rows(row, &step)?;
        }
        let Step { table, acts } = step;
        let mut free = Step::new(&table, Vec::new());
        for act in acts {
            if self.takes(phase, &table, &act)? {
                free.extend([act]);
            }
        }
        match (phase, &mut self.row) {
            (Phase::Before, _) => self.before.push(free),
            (Phase::After, _) => self.after.push(free),
            (Phase::Row, Some(row)) => row.extend(free.acts),
            (Phase::Row, row) => *row = Some(free),
        }
        Ok(())
    }

    /// Whether the act is still to be added: not if the very same is there.
    fn takes(&mut self, phase: Phase, table: &str, act: &Act) -> Result<bool> {
        let (partition_key, row_key) = act.keys();
        let key = (table.to_ascii_lowercase(), partition_key.to_owned(), row_key.to_owned());
        let Some((known_phase, known)) = self.taken.get(&key) else {
            self.taken.insert(key, (phase, act.clone()));
            return Ok(true);
        };
        if *known_phase == phase && is_same(known, act)? {
            return Ok(false);
        }
        Err(conflict("Two patterns would keep different things under one key.", table, act))
    }
}

/// The row is in both, and each would write it.
fn check_rows(row: &Step, other: &Step) -> Result<()> {
    let own = |step: &Step| step.acts.iter().filter(|act| act.is_own()).cloned().collect::<Vec<_>>();
    let (known, acts) = (own(row), own(other));
    let mut is_alike = row.table.eq_ignore_ascii_case(&other.table) && known.len() == acts.len();
    for (known, act) in known.iter().zip(&acts) {
        is_alike = is_alike && is_same(known, act)?;
    }
    match acts.first() {
        Some(act) if !is_alike => {
            let fact = "Both write the row, and not alike: each pattern is given the former state as it was read, and the \
                        new one as it shall be stored.";
            Err(conflict(fact, &other.table, act))
        }
        _ => Ok(()),
    }
}

/// The same states, and the same versions.
fn is_same(one: &Act, other: &Act) -> Result<bool> {
    Ok(one == other && one.operation()? == other.operation()?)
}

fn conflict(fact: &str, table: &str, act: &Act) -> Error {
    let (partition_key, row_key) = act.keys();
    refusal(NAME, None, &Error::invalid(fact).keys(partition_key, row_key)).table(table)
}

/// The steps with their turns. Where no step has the row, what only removes comes last.
fn phased(changes: Changes) -> impl Iterator<Item = (Phase, Step)> {
    let steps = changes.into_steps();
    let row = steps.iter().position(|step| step.acts.iter().any(Act::is_own));
    steps.into_iter().enumerate().map(move |(at, step)| {
        let phase = match row {
            Some(row) if at < row => Phase::Before,
            Some(row) if at == row => Phase::Row,
            Some(_) => Phase::After,
            None if step.acts.iter().all(Act::is_removal) => Phase::After,
            None => Phase::Before,
        };
        (phase, step)
    })
}
