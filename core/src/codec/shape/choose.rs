//! Which shape takes a row: the rule is in `FORMAT.md`, Shapes. It keeps shapes few and bitmaps short.

use super::{NO_SLOT, Shape, Shapes, Slot};
use crate::codec::row::hash;
use crate::limits::{MANY_SHAPES, SHAPE_SLOTS, SHAPE_SLOTS_FREE, SHAPE_SLOTS_PER_PROPERTY, TABLE_SHAPES};
use crate::model::Value;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A name and a value that a row is to hold: of a writer's own, or borrowed from what it was handed.
pub(crate) trait Property {
    fn name(&self) -> &Arc<str>;
    fn value(&self) -> &Value;
}

impl Property for (Arc<str>, Value) {
    fn name(&self) -> &Arc<str> {
        &self.0
    }

    fn value(&self) -> &Value {
        &self.1
    }
}

impl Property for (Cow<'_, Arc<str>>, Cow<'_, Value>) {
    fn name(&self) -> &Arc<str> {
        &self.0
    }

    fn value(&self) -> &Value {
        &self.1
    }
}

/// The form of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// A row of this shape, once `new_slots` have been appended to it, in their order. The id may be that of the
    /// next shape.
    Shape { id: u16, new_slots: Vec<Slot> },
    /// A row that names its properties itself.
    SelfDescribing,
}

impl Shapes {
    /// Chooses the form of a row with these properties, no name of which comes twice.
    pub(crate) fn choose(&self, properties: &[impl Property]) -> Choice {
        if properties.is_empty() {
            return Choice::SelfDescribing;
        }
        for (id, shape) in self.recent(properties.len()) {
            if shape.holds(properties) {
                self.note(id);
                return Choice::Shape { id, new_slots: Vec::new() };
            }
        }
        let choice = self.search(properties);
        if let Choice::Shape { id, .. } = choice {
            self.note(id);
        }
        choice
    }

    /// The shapes that took a row last, of those that may take one with this many properties.
    pub(in crate::codec) fn recent(&self, properties: usize) -> impl Iterator<Item = (u16, &Arc<Shape>)> {
        let recent = self.recent.load(Ordering::Relaxed);
        let shapes = [recent as u16, (recent >> 16) as u16].into_iter().filter_map(|id| Some((id, self.get(id)?)));
        let most = if properties == 0 { 0 } else { most_slots(properties) };
        shapes.filter(move |(_, shape)| shape.slots.len() <= most)
    }

    /// Puts `id` first among the two that took a row last.
    pub(in crate::codec) fn note(&self, id: u16) {
        let recent = self.recent.load(Ordering::Relaxed);
        if recent as u16 != id {
            self.recent.store(recent << 16 | u32::from(id), Ordering::Relaxed);
        }
    }

    fn search(&self, properties: &[impl Property]) -> Choice {
        let count = properties.len();
        let hashes: Vec<u64> = properties.iter().map(|property| hash::of(property.name().as_bytes())).collect();
        let fits: Vec<Fit> = self.shapes.iter().map(|shape| shape.fit(properties, &hashes)).collect();
        let best_within = |most: usize| {
            let able = fits.iter().enumerate().filter(|(_, fit)| fit.slots + (count - fit.right) <= most);
            able.max_by_key(|(id, fit)| (fit.known, fit.right, Reverse(fit.slots), Reverse(*id))).map(|(id, _)| id)
        };
        let best = best_within(most_slots(count));
        if let Some(id) = best {
            let fit = &fits[id];
            if fit.right == count || 3 * fit.known >= 2 * count || fits.len() >= MANY_SHAPES {
                return self.grow(id, properties, &hashes);
            }
        }
        if fits.len() < TABLE_SHAPES && count <= SHAPE_SLOTS {
            return self.grow(fits.len(), properties, &hashes);
        }
        match best_within(SHAPE_SLOTS) {
            Some(id) => self.grow(id, properties, &hashes),
            None => Choice::SelfDescribing,
        }
    }

    /// The choice of this shape, with the slots that it lacks.
    fn grow(&self, id: usize, properties: &[impl Property], hashes: &[u64]) -> Choice {
        let shape = self.shapes.get(id);
        let lacks = |hash: u64, name: &Arc<str>, value: &Value| {
            let known = shape.and_then(|shape| shape.hashed_name(hash, name));
            known.is_none_or(|known| known.slot(value.edm_type()).is_none())
        };
        let new_slots =
            properties.iter().zip(hashes).filter(|(property, hash)| lacks(**hash, property.name(), property.value()));
        let new_slots = new_slots
            .map(|(property, _)| Slot { name: Arc::clone(property.name()), edm_type: property.value().edm_type() });
        // A table has at most 256 shapes, so the id fits.
        Choice::Shape { id: u16::try_from(id).unwrap_or(NO_SLOT), new_slots: new_slots.collect() }
    }
}

/// The most slots of a shape that may take a row with this many properties.
fn most_slots(properties: usize) -> usize {
    SHAPE_SLOTS_FREE.max(SHAPE_SLOTS_PER_PROPERTY.saturating_mul(properties)).min(SHAPE_SLOTS)
}

/// How well a shape fits a row.
struct Fit {
    /// Names of the row that the shape has, with any type.
    known: usize,
    /// Properties of the row that the shape has a slot for.
    right: usize,
    slots: usize,
}

impl Shape {
    /// Whether the shape has a slot for every property.
    fn holds(&self, properties: &[impl Property]) -> bool {
        let mut near = 0;
        properties
            .iter()
            .all(|property| self.slot_near(&mut near, property.name(), property.value().edm_type()).is_some())
    }

    fn fit(&self, properties: &[impl Property], hashes: &[u64]) -> Fit {
        let mut fit = Fit { known: 0, right: 0, slots: self.slots.len() };
        for (property, hash) in properties.iter().zip(hashes) {
            if let Some(known) = self.hashed_name(*hash, property.name()) {
                fit.known += 1;
                fit.right += usize::from(known.slot(property.value().edm_type()).is_some());
            }
        }
        fit
    }
}
