//! Whole scenes: the right pairs, in the right order, whatever came before.

use super::*;

fn scene(n: usize, self_collision: bool) -> Colliders {
    let mut list: Vec<Collider> = (0..n as u32)
        .map(|k| {
            let shape = match k % 4 {
                0 => sphere(0.2),
                1 => capsule(0.1, 0.2),
                2 => cuboid(0.2, 0.1, 0.15),
                _ => box_hull(0.1, 0.2, 0.1),
            };
            let mut collider = Collider::on_body(BodyId::new(k as usize), Transform::IDENTITY, shape);
            // Every five bodies are a chain.
            collider.family = (!self_collision).then_some(k / 5);
            collider
        })
        .collect();
    list.push(Collider::fixed(Transform::IDENTITY, Shape::Plane));
    list.push(Collider::fixed(at(0.3, 0.0, 0.2), cuboid(0.3, 0.3, 0.3)));
    let neighbours: Vec<_> =
        (1..n).filter(|k| k % 5 != 0).map(|k| (BodyId::new(k), BodyId::new(k - 1))).collect();
    Colliders::new(list, &neighbours).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(64)))]

    #[test]
    fn a_scene_has_the_contacts_of_all_its_pairs(
        steps in prop::collection::vec(prop::collection::vec(any_place(0.8), 20), 1..4),
        self_collision in any::<bool>(),
    ) {
        let colliders = scene(20, self_collision);
        let mut contacts = Contacts::new();
        let options = ContactOptions { margin: 0.02 };
        for poses in &steps {
            find_contacts(&colliders, |b| poses[b], &options, &mut contacts);
            let mut expected = Vec::new();
            for a in 0..20_u32 {
                for b in a + 1..22 {
                    let related = b < 20 && (a / 5 == b / 5) && (!self_collision || b - a == 1);
                    if related { continue; }
                    let place_b = if b < 20 { poses[b as usize] } else { colliders.list()[b as usize].body_from_shape };
                    let (ca, cb) = (&colliders.list()[a as usize], &colliders.list()[b as usize]);
                    let m = collide(&ca.shape, &poses[a as usize], &cb.shape, &place_b, 0.02);
                    if !m.points().is_empty() {
                        expected.push((a, b, m.points().to_vec()));
                    }
                }
            }
            let found: Vec<_> = contacts
                .manifolds
                .iter()
                .map(|m| (m.collider_a.0, m.collider_b.0, m.points().to_vec()))
                .collect();
            prop_assert_eq!(&found, &expected);
            // A fresh desk gives the same bits.
            let mut fresh = Contacts::new();
            find_contacts(&colliders, |b| poses[b], &options, &mut fresh);
            prop_assert_eq!(&fresh.manifolds, &contacts.manifolds);
        }
    }
}

#[test]
fn groups_must_accept_each_other() {
    let (walls, limbs) = (Groups { member: 1, mask: 2 }, Groups { member: 2, mask: 1 });
    assert!(walls.meets(limbs) && limbs.meets(walls));
    assert!(!limbs.meets(limbs) && Groups::ALL.meets(walls));
    assert!(!limbs.meets(Groups { member: 1, mask: 4 }));
}

#[test]
fn bad_colliders_are_refused_by_index() {
    let good = Collider::on_body(BodyId::new(0), Transform::IDENTITY, sphere(0.1));
    let check = |bad: Collider| Colliders::new(vec![good.clone(), bad], &[]).unwrap_err().to_string();
    let shape = Shape::Sphere { radius: f64::NAN };
    assert!(
        check(Collider::on_body(BodyId::new(1), Transform::IDENTITY, shape))
            .starts_with("collider 1: sphere: radius")
    );
    assert!(
        check(Collider::on_body(BodyId::new(7), Transform::IDENTITY, Shape::Plane)).contains("on body 7")
    );
    let skew = Transform::from_rotation(glam::DMat3::from_diagonal(DVec3::new(1.0, 1.0, 2.0)));
    assert!(check(Collider::fixed(skew, sphere(0.1))).contains("orthonormal"));
}

#[test]
fn a_body_lost_to_nan_touches_nothing_and_breaks_nothing() {
    let colliders = scene(8, true);
    let mut contacts = Contacts::new();
    let poses: Vec<Transform> =
        (0..8).map(|k| at(0.1 * f64::from(k), 0.0, if k == 3 { f64::NAN } else { 0.1 })).collect();
    find_contacts(&colliders, |b| poses[b], &ContactOptions::default(), &mut contacts);
    assert!(!contacts.manifolds.is_empty());
    assert!(contacts.manifolds.iter().all(|m| m.collider_a.0 != 3 && m.collider_b.0 != 3));
}
