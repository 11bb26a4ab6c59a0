use super::*;
use crate::ErrorCode;
use crate::codec::tests::{any_value, config};
use crate::model::Value;
use proptest::prelude::*;

type Properties = Vec<(Arc<str>, Value)>;

fn properties(list: &[(&str, Value)]) -> Properties {
    list.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

/// Properties of Int32 with these numbers in their names.
fn numbered(numbers: impl IntoIterator<Item = usize>) -> Properties {
    numbers.into_iter().map(|number| (format!("P{number}").into(), Value::from(1))).collect()
}

/// Chooses, and grows the shapes as a writer does.
fn take(shapes: &mut Shapes, properties: &Properties) -> Choice {
    let choice = shapes.choose(properties);
    if let Choice::Shape { id, new_slots } = &choice
        && !new_slots.is_empty()
    {
        *shapes = shapes.with_slots(*id, new_slots).unwrap();
    }
    choice
}

/// The shape that takes the row, and how many slots were appended.
fn check(shapes: &mut Shapes, properties: &Properties, id: u16, appended: usize) {
    match take(shapes, properties) {
        Choice::Shape { id: met, new_slots } => assert_eq!((met, new_slots.len()), (id, appended), "{properties:?}"),
        Choice::SelfDescribing => panic!("self-describing: {properties:?}"),
    }
}

#[test]
fn a_shape_takes_what_it_holds_and_grows_for_what_it_mostly_knows() {
    let mut shapes = Shapes::default();
    check(&mut shapes, &properties(&[("A", 1.into()), ("B", 1.into()), ("C", 1.into())]), 0, 3);
    check(&mut shapes, &properties(&[("C", 1.into())]), 0, 0);
    // Two thirds of the names are known; the third is new.
    check(&mut shapes, &properties(&[("A", 1.into()), ("B", 1.into()), ("D", 1.into())]), 0, 1);
    // A name is known with any type.
    check(&mut shapes, &properties(&[("A", 1.5.into()), ("B", "x".into())]), 0, 2);
    // Half of the names are known: another shape.
    check(&mut shapes, &properties(&[("A", 1.into()), ("E", 1.into())]), 1, 2);
    let order: Vec<&str> = shapes.get(0).unwrap().names().iter().map(|name| &**name.name()).collect();
    assert_eq!(order, ["A", "B", "C", "D"]);
}

#[test]
fn the_best_shape_is_the_one_that_knows_most() {
    let slot = |name: &str, edm_type| Slot { name: name.into(), edm_type };
    let int = |name: &str| slot(name, EdmType::Int32);
    let shapes = Shapes::default()
        .with_slots(0, &[int("A"), int("B"), int("X"), int("Y")])
        .unwrap()
        .with_slots(1, &[slot("A", EdmType::String), int("B"), int("C")])
        .unwrap()
        .with_slots(2, &[int("A"), int("B"), int("C"), int("Z")])
        .unwrap()
        .with_slots(3, &[int("A"), int("B"), int("C")])
        .unwrap()
        .with_slots(4, &[int("A"), int("B"), int("C")])
        .unwrap();
    // Names, then types, then few slots, then the lowest id.
    check(&mut shapes.clone(), &properties(&[("A", 1.into()), ("B", 1.into()), ("C", 1.into())]), 3, 0);
    check(&mut shapes.clone(), &properties(&[("A", "".into()), ("B", 1.into()), ("C", 1.into())]), 1, 0);
    check(&mut shapes.clone(), &properties(&[("B", 1.into()), ("X", 1.into()), ("Y", 1.5.into())]), 0, 1);
    // A name known with a wrong type counts more than one known with the right type.
    let shapes = Shapes::default().with_slots(0, &[int("A"), int("B")]).unwrap();
    let text = |name| slot(name, EdmType::String);
    let shapes = shapes.with_slots(1, &[text("A"), text("B"), text("C")]).unwrap();
    check(&mut shapes.clone(), &properties(&[("A", 1.into()), ("B", 1.into()), ("C", 1.into())]), 1, 3);
}

#[test]
fn a_shape_of_many_slots_takes_no_small_row() {
    let mut shapes = Shapes::default();
    check(&mut shapes, &numbered(0..65), 0, 65);
    check(&mut shapes, &numbered(0..1), 1, 1);
    // max(64, 8 × 9) = 72 slots may be had by a row of nine.
    check(&mut shapes, &numbered(0..9), 0, 0);
    check(&mut shapes, &numbered((0..7).chain([100, 101])), 0, 2);
    check(&mut shapes, &numbered((0..6).chain([200, 201, 202])), 0, 3);
    // It has 70 now, and would need three more.
    check(&mut shapes, &numbered((0..6).chain([300, 301, 302])), 2, 9);
}

#[test]
fn with_32_shapes_the_best_takes_a_row_that_it_does_not_know() {
    let mut shapes = Shapes::default();
    for number in 0..32 {
        check(&mut shapes, &numbered([number]), number as u16, 1);
    }
    check(&mut shapes, &numbered([100, 101]), 0, 2);
}

#[test]
fn the_last_resort_is_to_describe_oneself() {
    let mut shapes = Shapes::default();
    assert_eq!(take(&mut shapes, &Vec::new()), Choice::SelfDescribing);
    assert_eq!(take(&mut shapes, &numbered(0..1_025)), Choice::SelfDescribing);
    for shape in 0..256 {
        check(&mut shapes, &numbered(1_000 * shape..1_000 * shape + 1_000), shape as u16, 1_000);
    }
    // Shapes of 1,000 slots are too large for one property; but there is room, and no other shape may be begun.
    check(&mut shapes, &numbered([1_000_000]), 0, 1);
    // Not for 25 more.
    assert_eq!(take(&mut shapes, &numbered(2_000_000..2_000_025)), Choice::SelfDescribing);
}

#[test]
fn two_kinds_of_entity_have_a_shape_each_and_are_found_at_once() {
    let mut shapes = Shapes::default();
    let kinds = [numbered(0..10), numbered(10..20)];
    for round in 0..10 {
        for (kind, properties) in kinds.iter().enumerate() {
            check(&mut shapes, properties, kind as u16, if round == 0 { 10 } else { 0 });
        }
    }
    assert_eq!(shapes.len(), 2);
}

#[test]
fn a_catalog_with_gaps_is_damage() {
    let slot = |name: &str| Slot { name: name.into(), edm_type: EdmType::Int32 };
    let load = |slots: &[(u16, u16, &str)]| Shapes::from_slots(slots.iter().map(|(a, b, name)| (*a, *b, slot(name))));
    assert_eq!(load(&[(0, 0, "A"), (0, 1, "B"), (1, 0, "A")]).unwrap().len(), 2);
    for slots in [
        &[(1, 0, "A")][..],
        &[(0, 1, "A")],
        &[(0, 0, "A"), (0, 2, "B")],
        &[(0, 0, "A"), (0, 0, "B")],
        &[(0, 0, "A"), (2, 0, "B")],
        &[(0, 0, "A"), (1, 1, "B")],
        &[(0, 0, "A"), (0, 1, "A")],
        &[(0, 0, "A"), (1, 0, "A"), (0, 1, "B")],
    ] {
        assert_eq!(load(slots).unwrap_err().code(), ErrorCode::Damaged, "{slots:?}");
    }
    let shapes = load(&[(0, 0, "A")]).unwrap();
    assert!(shapes.with_slots(2, &[slot("A")]).is_err() && shapes.with_slots(0, &[slot("A")]).is_err());
}

#[test]
fn more_than_this_version_makes_is_newer() {
    let slot = |number: usize| Slot { name: format!("P{number}").into(), edm_type: EdmType::Int32 };
    let slots = (0..=1_024).map(|number| (0, number as u16, slot(number)));
    assert_eq!(Shapes::from_slots(slots.clone()).unwrap_err().code(), ErrorCode::NewerFormat);
    assert_eq!(Shapes::from_slots(slots.take(1_024)).unwrap().get(0).unwrap().slots().len(), 1_024);
    let shapes = (0..=256).map(|shape| (shape as u16, 0, slot(0)));
    assert_eq!(Shapes::from_slots(shapes.clone()).unwrap_err().code(), ErrorCode::NewerFormat);
    assert_eq!(Shapes::from_slots(shapes.take(256)).unwrap().len(), 256);
}

#[test]
fn growth_leaves_the_former_view_as_it_was() {
    let before = Shapes::default().with_slots(0, &[Slot { name: "A".into(), edm_type: EdmType::Int32 }]).unwrap();
    let after = before.with_slots(0, &[Slot { name: "B".into(), edm_type: EdmType::Int32 }]).unwrap();
    assert!(before.get(0).unwrap().name("B").is_none() && after.get(0).unwrap().name("B").is_some());
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn derived_parts_agree_with_the_slots(
        slots in proptest::collection::hash_set((0_u8..60, 1_u8..=8), 1..200),
    ) {
        let slots: Vec<Slot> = slots
            .into_iter()
            .map(|(name, edm_type)| Slot {
                name: format!("P{name}").into(),
                edm_type: EdmType::from_number(edm_type).unwrap(),
            })
            .collect();
        let shapes = Shapes::default().with_slots(0, &slots).unwrap();
        let shape = shapes.get(0).unwrap();
        let firsts: Vec<usize> = shape.names().iter().map(|name| {
            slots.iter().position(|slot| slot.name == *name.name()).unwrap()
        }).collect();
        prop_assert!(firsts.is_sorted());
        for (at, slot) in slots.iter().enumerate() {
            let name = shape.name(&slot.name).unwrap();
            prop_assert_eq!(name.slot(slot.edm_type), Some(at as u16));
            let same = slots.iter().filter(|other| other.name == slot.name).count();
            prop_assert_eq!(name.slots().count(), same);
            prop_assert_eq!(name.single().is_some(), same == 1);
            for mut near in [0, at, 1_000] {
                prop_assert_eq!(shape.slot_near(&mut near, &slot.name, slot.edm_type), Some(at));
                prop_assert_eq!(shape.names()[near - 1].name(), &slot.name);
            }
            for class in [Class::Eight, Class::Guid, Class::Int32, Class::Boolean, Class::String, Class::Binary] {
                let is_of = Class::of(slot.edm_type) == class;
                prop_assert_eq!(shape.masks()[at / 64][class as usize] >> (at % 64) & 1 == 1, is_of);
                let before = slots[..at].iter().filter(|slot| Class::of(slot.edm_type) == class).count();
                prop_assert_eq!(usize::from(shape.before(at).unwrap()[class as usize]), before);
            }
        }
        prop_assert!(shape.name("P").is_none() && shape.before(slots.len() + 1).is_none());
    }

    #[test]
    fn the_choice_can_take_the_row(
        rows in proptest::collection::vec(proptest::collection::btree_map(0_u8..40, any_value(), 1..12), 1..60),
    ) {
        let mut shapes = Shapes::default();
        for row in rows {
            let row: Properties = row.into_iter().map(|(name, value)| (format!("P{name}").into(), value)).collect();
            let Choice::Shape { id, .. } = take(&mut shapes, &row) else {
                return Err(TestCaseError::fail("self-describing"));
            };
            let shape = shapes.get(id).unwrap();
            for (name, value) in &row {
                prop_assert!(shape.name(name).is_some_and(|name| name.slot(value.edm_type()).is_some()));
            }
            prop_assert!(shape.slots().len() <= 64.max(8 * row.len()));
        }
        // The catalog gives back what grew.
        let slots = (0..shapes.len() as u16).flat_map(|id| {
            let slots = shapes.get(id).unwrap().slots().to_vec();
            slots.into_iter().enumerate().map(move |(number, slot)| (id, number as u16, slot))
        });
        let loaded = Shapes::from_slots(slots).unwrap();
        for id in 0..shapes.len() as u16 {
            prop_assert_eq!(loaded.get(id).unwrap().slots(), shapes.get(id).unwrap().slots());
        }
    }
}
