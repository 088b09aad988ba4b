use super::*;

#[test]
fn a_slot_without_generations_left_is_not_used_again() {
    let mut objects = Objects::new(1 << 20);
    let first = objects
        .create(ObjectKind::Heap, 0x1000, 8, 16)
        .expect("room");
    let slot = first.slot();
    objects.slots.at_mut(slot as usize).generation = NO_GENERATION - 1;
    objects.end(slot);
    let second = objects
        .create(ObjectKind::Heap, 0x2000, 8, 16)
        .expect("room");
    assert_ne!(second.slot(), slot);
    assert!(!objects.slot(slot).live());
}

#[test]
fn a_slot_is_a_line_of_the_cache() {
    assert_eq!(size_of::<ObjectSlot>(), 64);
}

#[test]
fn the_pool_is_bounded() {
    let mut objects = Objects::new(1 << 30);
    let made: Vec<ObjectId> = (0..2000)
        .map(|i| objects.create(ObjectKind::Heap, i << 20, 4096, 16))
        .collect::<Result<_, _>>()
        .expect("room");
    for object in made {
        objects.end(object.slot());
    }
    assert_eq!(objects.pooled, POOL_BYTES);
    assert_eq!(objects.held, 0);
    for i in 0..2000 {
        objects
            .create(ObjectKind::Heap, i << 20, 8, 16)
            .expect("room");
    }
    assert_eq!(objects.pooled, 0);
    assert_eq!(objects.held, 2000 * 16);
}
