//! Shapes: the layouts of a table's rows. Append-only lists of slots, supersets of what their rows hold.

mod choose;

use super::row::hash;
use crate::model::{EdmType, SharedNames};
use crate::{Error, ErrorCode, Result, limits};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

pub(crate) use choose::{Choice, Property};

/// One property with one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) name: Arc<str>,
    pub(crate) edm_type: EdmType,
}

/// Slots of one width and place in the row: a row holds its values class by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Int64, Double, DateTime: 8 bytes.
    Eight,
    /// Guid: 16 bytes.
    Guid,
    /// Int32: 4 bytes.
    Int32,
    /// Boolean: 1 byte.
    Boolean,
    /// String: a hash byte and an end.
    String,
    /// Binary: an end.
    Binary,
}

pub(crate) const CLASSES: usize = 6;
/// For each class a count, or a mask.
pub(crate) type PerClass<T> = [T; CLASSES];

impl Class {
    pub(crate) const fn of(edm_type: EdmType) -> Class {
        match edm_type {
            EdmType::Int64 | EdmType::Double | EdmType::DateTime => Class::Eight,
            EdmType::Guid => Class::Guid,
            EdmType::Int32 => Class::Int32,
            EdmType::Boolean => Class::Boolean,
            EdmType::String => Class::String,
            EdmType::Binary => Class::Binary,
        }
    }
}

/// A name of a shape, and its slots: several if the property comes with several types.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    name: Arc<str>,
    /// The slot that was appended first; `slots` has it, too.
    first: u16,
    is_single: bool,
    /// By the number of the type less one; `NO_SLOT` where there is none.
    slots: [u16; EdmType::ALL.len()],
}

const NO_SLOT: u16 = u16::MAX;

impl Name {
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The slot for values of this type.
    pub(crate) fn slot(&self, edm_type: EdmType) -> Option<u16> {
        let slot = self.slots[edm_type as usize - 1];
        (slot != NO_SLOT).then_some(slot)
    }

    /// The only slot, if the property came with one type so far.
    pub(crate) fn single(&self) -> Option<u16> {
        self.is_single.then_some(self.first)
    }

    /// The slots, in the order of the types.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u16> {
        self.slots.into_iter().filter(|slot| *slot != NO_SLOT)
    }
}

/// A layout: its slots in the order in which they were appended, and what is derived from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    slots: Vec<Slot>,
    /// In the order of the first slots, which is the order of properties.
    names: Vec<Name>,
    /// Open addressing by the name's hash: number of the name plus one, 0 for a free place.
    places: Vec<u16>,
    /// The name of each slot, for entities to share; made when the first is read.
    shared_names: OnceLock<SharedNames>,
    /// For each slot, which of the names it has.
    numbers: Vec<u16>,
    /// For each 64 slots, which are of which class.
    masks: Vec<PerClass<u64>>,
    /// For each number of slots from 0 on, how many of the first are of which class.
    before: Vec<PerClass<u16>>,
}

impl Shape {
    /// The slots, in the order in which they were appended.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The names, in the order of properties.
    pub(crate) fn names(&self) -> &[Name] {
        &self.names
    }

    /// The name of each slot, for entities to share.
    pub(crate) fn shared_names(&self) -> &SharedNames {
        self.shared_names.get_or_init(|| self.slots.iter().map(|slot| Arc::clone(&slot.name)).collect())
    }

    /// For each slot, which of the names it has.
    pub(crate) fn name_numbers(&self) -> &[u16] {
        &self.numbers
    }

    /// Whether every name has one slot, so that the order of the slots is that of properties.
    pub(crate) fn is_in_order(&self) -> bool {
        self.names.len() == self.slots.len()
    }

    /// The slots of a name.
    pub(crate) fn name(&self, name: &str) -> Option<&Name> {
        self.hashed_name(hash::of(name.as_bytes()), name)
    }

    /// The slots of a name whose hash is known.
    pub(crate) fn hashed_name(&self, hash: u64, name: &str) -> Option<&Name> {
        self.find(hash, name).and_then(|at| self.names.get(at))
    }

    fn find(&self, hash: u64, name: &str) -> Option<usize> {
        let mask = self.places.len().checked_sub(1)?;
        let mut place = hash as usize & mask;
        loop {
            // There is always a free place: the table is kept at most half full.
            let at = usize::from(self.places[place]).checked_sub(1)?;
            if *self.names[at].name == *name {
                return Some(at);
            }
            place = (place + 1) & mask;
        }
    }

    /// The slot of a name and type. The names from `near` on are looked at first, and `near` is moved behind the
    /// one that is met: properties mostly come in the order of the names, some left out.
    #[inline]
    pub(crate) fn slot_near(&self, near: &mut usize, name: &Arc<str>, edm_type: EdmType) -> Option<usize> {
        const FAR: usize = 2;
        let next = self.names.iter().enumerate().skip(*near).take(FAR);
        let at = match next.into_iter().find(|(_, known)| Arc::ptr_eq(&known.name, name) || known.name == *name) {
            Some((at, _)) => at,
            None => self.find(hash::of(name.as_bytes()), name)?,
        };
        *near = at + 1;
        self.names[at].slot(edm_type).map(usize::from)
    }

    pub(crate) fn masks(&self) -> &[PerClass<u64>] {
        &self.masks
    }

    /// How many of the first `count` slots are of which class; `None` beyond the shape's slots.
    pub(crate) fn before(&self, count: usize) -> Option<&PerClass<u16>> {
        self.before.get(count)
    }

    fn push(&mut self, slot: Slot) -> Result<()> {
        let at = self.slots.len();
        if at >= limits::SHAPE_SLOTS {
            return Err(too_many());
        }
        let number = at as u16;
        self.shared_names = OnceLock::new();
        match self.find(hash::of(slot.name.as_bytes()), &slot.name) {
            Some(name) => {
                let known = &mut self.names[name];
                let place = &mut known.slots[slot.edm_type as usize - 1];
                if *place != NO_SLOT {
                    return Err(Error::damaged("A shape has two slots of one name and type."));
                }
                *place = number;
                known.is_single = false;
                self.numbers.push(name as u16);
            }
            None => {
                self.numbers.push(self.names.len() as u16);
                self.push_name(number, &slot);
            }
        }
        let class = Class::of(slot.edm_type) as usize;
        if at.is_multiple_of(64) {
            self.masks.push([0; CLASSES]);
        }
        self.masks[at / 64][class] |= 1 << (at % 64);
        if self.before.is_empty() {
            self.before.push([0; CLASSES]);
        }
        let mut counts = self.before[at];
        counts[class] += 1;
        self.before.push(counts);
        self.slots.push(slot);
        Ok(())
    }

    fn push_name(&mut self, number: u16, slot: &Slot) {
        let mut slots = [NO_SLOT; EdmType::ALL.len()];
        slots[slot.edm_type as usize - 1] = number;
        self.names.push(Name { name: Arc::clone(&slot.name), first: number, is_single: true, slots });
        if self.places.len() < 2 * self.names.len() {
            let size = (4 * self.names.len()).next_power_of_two();
            self.places = vec![0; size];
            for at in 0..self.names.len() {
                self.place(at);
            }
        } else {
            self.place(self.names.len() - 1);
        }
    }

    fn place(&mut self, at: usize) {
        let mask = self.places.len() - 1;
        let mut place = hash::of(self.names[at].name.as_bytes()) as usize & mask;
        while self.places[place] != 0 {
            place = (place + 1) & mask;
        }
        self.places[place] = at as u16 + 1;
    }
}

/// The shapes of one table, as one transaction sees them. A value that does not change: growth makes another,
/// which shares what did not grow.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    shapes: Vec<Arc<Shape>>,
    /// The two shapes that took a row last, 16 bits each: a hint, which no result depends on for being right.
    recent: AtomicU32,
}

impl Clone for Shapes {
    fn clone(&self) -> Shapes {
        Shapes { shapes: self.shapes.clone(), recent: AtomicU32::new(self.recent.load(Ordering::Relaxed)) }
    }
}

impl Shapes {
    /// The shapes of a table from its slots, in the order of the catalog: by shape, then by slot.
    ///
    /// # Errors
    /// `Damaged` if a shape or slot is left out or comes twice; `NewerFormat` if there are more than this version
    /// makes.
    pub(crate) fn from_slots(slots: impl IntoIterator<Item = (u16, u16, Slot)>) -> Result<Shapes> {
        let mut shapes: Vec<Shape> = Vec::new();
        for (shape, number, slot) in slots {
            if usize::from(shape) >= limits::TABLE_SHAPES || usize::from(number) >= limits::SHAPE_SLOTS {
                return Err(too_many());
            }
            if usize::from(shape) == shapes.len() {
                shapes.push(Shape::default());
            }
            match shapes.last_mut() {
                Some(last) if last.slots.len() == usize::from(number) => last.push(slot)?,
                _ => return Err(Error::damaged("A table's slots are not numbered one after the other.")),
            }
            if shapes.len() != usize::from(shape) + 1 {
                return Err(Error::damaged("A table's shapes are not numbered one after the other."));
            }
        }
        Ok(Shapes { shapes: shapes.into_iter().map(Arc::new).collect(), recent: AtomicU32::default() })
    }

    /// How many shapes there are; their ids are the numbers below.
    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// The shape of this id.
    pub(crate) fn get(&self, id: u16) -> Option<&Arc<Shape>> {
        self.shapes.get(usize::from(id))
    }

    /// The same shapes with these slots appended to one, in their order; the shape may be the next one.
    ///
    /// # Errors
    /// `NewerFormat` if the shape has no room; `Damaged` if it has a slot already, or if the id is not the next one.
    pub(crate) fn with_slots(&self, shape: u16, slots: &[Slot]) -> Result<Shapes> {
        let mut grown = self.clone();
        let at = usize::from(shape);
        if at == grown.shapes.len() && at < limits::TABLE_SHAPES && !slots.is_empty() {
            grown.shapes.push(Arc::default());
        }
        let place = grown.shapes.get_mut(at).ok_or_else(|| Error::damaged("A slot belongs to no shape."))?;
        let shape = Arc::make_mut(place);
        for slot in slots {
            shape.push(slot.clone())?;
        }
        Ok(grown)
    }
}

#[cold]
fn too_many() -> Error {
    Error::new(ErrorCode::NewerFormat).fact("A table has more shapes, or a shape more slots, than this version makes.")
}

#[cfg(test)]
mod tests;
