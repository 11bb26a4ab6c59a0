//! Names of properties come again with every entity. A thread keeps the last ones that it met, so that a name is
//! allocated once for many entities, and stays in the processor's cache while they are written.

use std::cell::RefCell;
use std::sync::Arc;

/// Names that a thread keeps.
const KEPT: usize = 128;
/// Longer ones are rare, and are not kept: this bounds what a thread holds.
const KEPT_BYTES: usize = 64;

thread_local! {
    static NAMES: RefCell<[Option<Arc<str>>; KEPT]> = const { RefCell::new([const { None }; KEPT]) };
}

/// The text as a name, shared with what this thread made of the same text before.
pub(crate) fn shared_name(name: &str) -> Arc<str> {
    if name.len() > KEPT_BYTES {
        return name.into();
    }
    let shared = NAMES.try_with(|names| {
        let mut names = names.try_borrow_mut().ok()?;
        let place = names.get_mut(place_of(name.as_bytes()))?;
        match place {
            Some(known) if **known == *name => Some(Arc::clone(known)),
            _ => Some(Arc::clone(place.insert(name.into()))),
        }
    });
    // At the very end of a thread there is no such place any more.
    shared.ok().flatten().unwrap_or_else(|| name.into())
}

/// Where a name is kept: each has one place, and the one that comes last has it. FNV-1a, folded.
fn place_of(name: &[u8]) -> usize {
    let hash = name.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 16) as usize % KEPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_itself_and_mostly_shared() {
        // More than there are places for, so that some take the place of others.
        let names: Vec<String> = (0..1_000).map(|number| format!("Name{number}")).collect();
        for name in names.iter().map(String::as_str).chain(["", "Größe", &"x".repeat(300)]) {
            let (once, again) = (shared_name(name), shared_name(name));
            assert_eq!((&*once, &*again), (name, name));
            assert_eq!(Arc::ptr_eq(&once, &again), name.len() <= KEPT_BYTES, "{name}");
        }
    }

    #[test]
    fn few_names_keep_their_places() {
        let names = ["First", "Last", "Email", "City", "Age", "Salary", "Hired", "Active", "Badge", "Notes"];
        let first: Vec<Arc<str>> = names.map(shared_name).to_vec();
        let shared = names.iter().zip(&first).filter(|(name, first)| Arc::ptr_eq(&shared_name(name), first));
        assert!(shared.count() >= 8);
    }
}
