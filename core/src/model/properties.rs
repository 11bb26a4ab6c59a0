//! The properties of an entity: values, under names that the entities of one layout share.

use super::{Value, shared_name};
use std::fmt;
use std::sync::Arc;

/// Names that many entities share.
pub(crate) type SharedNames = Arc<[Arc<str>]>;

#[derive(Clone)]
enum Names {
    /// Those of a layout: to take them along costs one count, not one for each name.
    Shared(SharedNames),
    Own(Vec<Arc<str>>),
}

/// Names and values, in their order.
#[derive(Clone)]
pub(crate) struct Properties {
    names: Names,
    /// The number of the name, and the value.
    list: Vec<(u32, Value)>,
}

impl Default for Properties {
    fn default() -> Properties {
        Properties { names: Names::Own(Vec::new()), list: Vec::new() }
    }
}

impl Properties {
    /// No properties, with room for so many. [`Properties::list`] takes them by the numbers of these names.
    pub(crate) fn sharing(names: SharedNames, room: usize) -> Properties {
        Properties { names: Names::Shared(names), list: Vec::with_capacity(room) }
    }

    /// The numbers of the names, and the values: for whoever made this by [`Properties::sharing`].
    pub(crate) fn list(&mut self) -> &mut Vec<(u32, Value)> {
        &mut self.list
    }

    fn names(&self) -> &[Arc<str>] {
        match &self.names {
            Names::Shared(names) => names,
            Names::Own(names) => names,
        }
    }

    fn name(&self, number: u32) -> &str {
        self.names().get(number as usize).map_or("", |name| &**name)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|(number, _)| self.name(*number) == name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.list.iter().find(|(number, _)| self.name(*number) == name).map(|(_, value)| value)
    }

    /// Sets a property, and gives back the value that it had.
    pub(super) fn insert(&mut self, name: &str, value: Value) -> Option<Value> {
        match self.position(name).and_then(|at| self.list.get_mut(at)) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.push(shared_name(name), value);
                None
            }
        }
    }

    /// Appends a property, whose name is a new one.
    pub(crate) fn push(&mut self, name: Arc<str>, value: Value) {
        if let Names::Shared(names) = &self.names {
            self.names = Names::Own(names.to_vec());
        }
        if let Names::Own(names) = &mut self.names {
            self.list.push((names.len() as u32, value));
            names.push(name);
        }
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.position(name)?;
        Some(self.list.remove(at).1)
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.list.iter().map(|(number, value)| (self.name(*number), value))
    }

    /// Each name and value by itself.
    pub(crate) fn into_pairs(self) -> impl ExactSizeIterator<Item = (Arc<str>, Value)> {
        let Properties { mut names, list } = self;
        // Names that stand where their numbers say can be handed on; the others are shared.
        let mut own = match &mut names {
            Names::Own(own) if list.iter().zip(0..).all(|((number, _), at)| *number == at) => std::mem::take(own),
            _ => Vec::new(),
        }
        .into_iter();
        list.into_iter().map(move |(number, value)| {
            if let Some(name) = own.next() {
                return (name, value);
            }
            let names: &[Arc<str>] = match &names {
                Names::Shared(names) => names,
                Names::Own(names) => names,
            };
            (names.get(number as usize).cloned().unwrap_or_default(), value)
        })
    }
}

/// Names come once each.
impl FromIterator<(Arc<str>, Value)> for Properties {
    fn from_iter<T: IntoIterator<Item = (Arc<str>, Value)>>(pairs: T) -> Properties {
        let mut properties = Properties::default();
        pairs.into_iter().for_each(|(name, value)| properties.push(name, value));
        properties
    }
}

impl fmt::Debug for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
