//! Contacts and rays against parry3d-f64, an independent collision library.
//!
//! Compared are signed distances (1e-6 m); normals by what they must do, namely part the shapes by the claimed depth (the
//! least direction is not unique). parry's manifolds and its normals on inner terrain edges are no reference (it reports ghost normals).

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query;
use parry3d_f64::shape as parry;
use proptest::prelude::*;
use stuntlab_physics::collide::{ColliderId, Manifold, NarrowScratch, Ray, collide_pair, ray_shape};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::{Heightfield, Shape};
use stuntlab_physics::spatial::Transform;

const MARGIN: f64 = 0.2;

fn vector(v: DVec3) -> Vector {
    Vector::from_array(v.to_array())
}

fn pose(t: &Transform) -> Pose {
    let (axis, angle) = t.quaternion().to_axis_angle();
    Pose::new(vector(t.translation), vector(axis * angle))
}

/// The same shape in parry's words; its capsules lie along z too.
fn parry_shape(shape: &Shape) -> Box<dyn parry::Shape> {
    match shape {
        Shape::Sphere { radius } => Box::new(parry::Ball::new(*radius)),
        Shape::Capsule { radius, half_length } => Box::new(parry::Capsule::new_z(*half_length, *radius)),
        Shape::Box { half_extents, rounding } if *rounding == 0.0 => {
            Box::new(parry::Cuboid::new(vector(*half_extents)))
        }
        Shape::Box { half_extents, rounding } => Box::new(parry::RoundCuboid {
            inner_shape: parry::Cuboid::new(vector(*half_extents - DVec3::splat(*rounding))),
            border_radius: *rounding,
        }),
        Shape::Hull(hull) => {
            let points: Vec<Vector> = hull.vertices().iter().map(|v| vector(*v)).collect();
            Box::new(parry::ConvexPolyhedron::from_convex_hull(&points).expect("a hull of its own corners"))
        }
        Shape::Plane => Box::new(parry::HalfSpace::new(vector(DVec3::Z))),
        Shape::Heightfield(field) => {
            let points = (0..field.columns() * field.rows())
                .map(|k| vector(field.sample(k % field.columns(), k / field.columns())))
                .collect();
            Box::new(parry::TriMesh::new(points, grid_triangles(field)).expect("a grid"))
        }
        Shape::Mesh(mesh) => {
            let points = mesh.vertices().iter().map(|v| vector(*v)).collect();
            Box::new(parry::TriMesh::new(points, mesh.triangles().to_vec()).expect("a mesh"))
        }
    }
}

fn grid_triangles(field: &Heightfield) -> Vec<[u32; 3]> {
    let (columns, rows) = (field.columns() as u32, field.rows() as u32);
    let mut triangles = Vec::new();
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let a = j * columns + i;
            triangles.extend([[a, a + 1, a + columns + 1], [a, a + columns + 1, a + columns]]);
        }
    }
    triangles
}

fn collide(a: &Shape, place_a: &Transform, b: &Shape, place_b: &Transform) -> Manifold {
    let mut manifold = Manifold::new(ColliderId(0), ColliderId(1));
    collide_pair(a, place_a, b, place_b, MARGIN, &mut NarrowScratch::default(), &mut manifold);
    manifold
}

fn size() -> impl Strategy<Value = f64> + Clone {
    0.05..0.4_f64
}

fn sphere() -> BoxedStrategy<Shape> {
    size().prop_map(|r| Shape::sphere(r).expect("positive")).boxed()
}

fn capsule() -> BoxedStrategy<Shape> {
    (size(), 0.05..0.5_f64).prop_map(|(r, h)| Shape::capsule(r, h).expect("positive")).boxed()
}

fn cuboid() -> BoxedStrategy<Shape> {
    prop::array::uniform3(size()).prop_map(|h| Shape::cuboid(DVec3::from_array(h)).expect("positive")).boxed()
}

fn rounded() -> BoxedStrategy<Shape> {
    (prop::array::uniform3(size()), 0.05..0.9_f64)
        .prop_map(|(h, part)| {
            let half = DVec3::from_array(h);
            Shape::rounded_box(half, part * half.min_element()).expect("fits")
        })
        .boxed()
}

fn hull() -> BoxedStrategy<Shape> {
    prop::collection::vec(prop::array::uniform3(-0.4..0.4_f64), 5..16)
        .prop_filter_map("spans a volume", |points| {
            Shape::hull(&points.iter().map(|p| DVec3::from_array(*p)).collect::<Vec<_>>()).ok()
        })
        .boxed()
}

fn place(reach: f64) -> impl Strategy<Value = Transform> {
    (prop::array::uniform3(-1.0..1.0_f64), 0.0..6.3_f64, prop::array::uniform3(-reach..reach)).prop_map(
        |(axis, angle, at)| {
            let axis = DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X);
            Transform::from_quaternion(DQuat::from_axis_angle(axis, angle), DVec3::from_array(at))
        },
    )
}

/// The sharp core of a shape and the radius it is grown by. parry's iterations are exact to 1e-6 on polytopes only (on
/// round supports they stop about 1e-5 short), so it is asked about the cores.
fn parry_core(shape: &Shape) -> (Box<dyn parry::Shape>, f64) {
    match shape {
        Shape::Capsule { radius, half_length } => {
            let end = vector(DVec3::Z * *half_length);
            (Box::new(parry::Segment::new(-end, end)), *radius)
        }
        Shape::Box { half_extents, rounding } => {
            (Box::new(parry::Cuboid::new(vector(*half_extents - DVec3::splat(*rounding)))), *rounding)
        }
        _ => (parry_shape(shape), 0.0),
    }
}

/// Signed distance and normal (from B into A) by parry; `None` beyond the margin.
fn parry_contact(a: &Shape, place_a: &Transform, b: &Shape, place_b: &Transform) -> Option<(f64, DVec3)> {
    let ((pa, ra), (pb, rb)) = (parry_core(a), parry_core(b));
    let reach = MARGIN + ra + rb;
    let (pose_a, pose_b) = (pose(place_a), pose(place_b));
    // The half space goes first: with it second, parry 0.31.1 forgets to invert the relative pose.
    let contact = if matches!(b, Shape::Plane) {
        query::contact(&pose_b, &*pb, &pose_a, &*pa, reach).map(|c| c.map(|c| c.flipped()))
    } else {
        query::contact(&pose_a, &*pa, &pose_b, &*pb, reach)
    };
    let contact = contact.expect("a supported pair");
    contact.map(|c| (c.dist - ra - rb, DVec3::from_array(c.normal2.to_array())))
}

/// How far two convex shapes reach past each other along a direction: never less than their depth.
fn overlap_along(
    normal: DVec3,
    a: &Shape,
    place_a: &Transform,
    b: &Shape,
    place_b: &Transform,
) -> Option<f64> {
    let far_a = place_a.transform_point(a.support(place_a.inverse_transform_vector(-normal))?);
    let far_b = place_b.transform_point(b.support(place_b.inverse_transform_vector(normal))?);
    Some(normal.dot(far_b - far_a))
}

/// Depth and normal of a pair agree with parry's.
///
/// Both claims are checked against the shapes' own support points first: the overlap along a claimed normal must be the
/// claimed depth. parry's expanding polytope sometimes stops short of that (by up to 9 mm in the pairs met so far);
/// then its direction still bounds the depth from above.
fn check_pair(a: &Shape, place_a: &Transform, b: &Shape, place_b: &Transform) -> Result<(), TestCaseError> {
    let ours = collide(a, place_a, b, place_b);
    match (ours.deepest(), parry_contact(a, place_a, b, place_b)) {
        (Some(p), Some((distance, normal))) => {
            if let Some(certified) = overlap_along(p.normal_world, a, place_a, b, place_b) {
                prop_assert!((p.depth - certified).abs() < 1e-9, "{} claimed, {certified} along it", p.depth);
            }
            match overlap_along(normal, a, place_a, b, place_b) {
                Some(bound) if (bound + distance).abs() > 1e-6 => {
                    prop_assert!(p.depth <= bound + 1e-6, "{} here, {bound} possible", p.depth);
                }
                _ => {
                    prop_assert!((p.depth + distance).abs() < 1e-6, "{} here, {} there", p.depth, -distance);
                }
            }
            if matches!(b, Shape::Plane) {
                prop_assert!(p.normal_world.distance(normal) < 1e-6);
            }
        }
        (None, Some((distance, _))) => prop_assert!(distance > MARGIN - 1e-6, "missed at {distance}"),
        (Some(p), None) => prop_assert!(p.depth < -MARGIN + 1e-6, "{} deep here, nothing there", p.depth),
        (None, None) => {}
    }
    Ok(())
}

/// Distance of a shape to a surface by parry, `None` where they touch.
fn parry_gap(a: &Shape, place_a: &Transform, surface: &Shape, place_b: &Transform) -> Option<f64> {
    let ((core, radius), surface) = (parry_core(a), parry_shape(surface));
    let distance =
        query::distance(&pose(place_a), &*core, &pose(place_b), &*surface).expect("supported").distance;
    Some(distance - radius).filter(|gap| *gap > 1e-6)
}

/// A gap agrees with parry's.
fn check_gap(ours: &Manifold, gap: f64) -> Result<(), TestCaseError> {
    match ours.deepest() {
        Some(p) => prop_assert!((p.depth + gap).abs() < 1e-6, "{} here, {gap} there", -p.depth),
        None => prop_assert!(gap > MARGIN - 1e-6, "missed at {gap}"),
    }
    Ok(())
}

/// One test per pair of convex shapes.
macro_rules! pairs {
    ($($name:ident: $a:ident $b:ident),* $(,)?) => {
        proptest! {
            #![proptest_config(ProptestConfig::default())]
            $(
                #[test]
                fn $name(a in $a(), b in $b(), place_a in place(0.5), place_b in place(0.5)) {
                    check_pair(&a, &place_a, &b, &place_b)?;
                }
            )*
        }
    };
}

pairs! {
    sphere_sphere: sphere sphere,
    sphere_capsule: sphere capsule,
    sphere_box: sphere cuboid,
    sphere_rounded: sphere rounded,
    sphere_hull: sphere hull,
    capsule_capsule: capsule capsule,
    capsule_box: capsule cuboid,
    capsule_rounded: capsule rounded,
    capsule_hull: capsule hull,
    box_box: cuboid cuboid,
    box_rounded: cuboid rounded,
    box_hull: cuboid hull,
    rounded_rounded: rounded rounded,
    rounded_hull: rounded hull,
    hull_hull: hull hull,
}

fn any_convex() -> impl Strategy<Value = Shape> {
    prop_oneof![sphere(), capsule(), cuboid(), rounded(), hull()]
}

fn rough(seed: u32) -> Shape {
    let height =
        |x: f64, y: f64| 0.3 * ((x * 12.9898 + y * 78.233 + f64::from(seed)).sin() * 43_758.545).fract();
    Shape::Heightfield(Heightfield::from_fn(15, 15, 0.3, height).expect("a grid").into())
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn all_on_a_plane(a in any_convex(), place_a in place(0.5), place_b in place(0.5)) {
        check_pair(&a, &place_a, &Shape::Plane, &place_b)?;
    }

    /// Over rough ground, as long as they do not touch: the distance to the nearest triangle.
    #[test]
    fn gaps_to_rough_terrain(a in any_convex(), place_a in place(1.0), seed in 0..100_u32, place_b in place(1.0)) {
        let terrain = rough(seed);
        let mut local = place_a;
        local.translation.z = local.translation.z.abs() * 0.5 + 0.3;
        let place_a = place_b * local;
        // parry's sheet has nothing below it; ours is solid, so compare what reaches above its peaks.
        let above = a.aabb(&local).is_some_and(|aabb| aabb.max.z > 0.3);
        if let Some(gap) = parry_gap(&a, &place_a, &terrain, &place_b)
            && above
        {
            check_gap(&collide(&a, &place_a, &terrain, &place_b), gap)?;
        }
    }

    /// The same over a closed mesh, from all sides.
    #[test]
    fn gaps_to_a_closed_mesh(a in any_convex(), shell in hull(), place_a in place(0.8), place_b in place(0.4)) {
        let Shape::Hull(shell) = &shell else { return Ok(()) };
        let triangles = shell
            .faces()
            .flat_map(|f| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]))
            .collect::<Vec<_>>();
        let mesh = Shape::mesh(shell.vertices().to_vec(), triangles).expect("faces of a hull");
        // parry's mesh is hollow; ours is compared where the shape is outside.
        let outside = !collide(&a, &place_a, &Shape::Hull(shell.clone()), &place_b)
            .deepest()
            .is_some_and(|p| p.depth > 0.0);
        if let Some(gap) = parry_gap(&a, &place_a, &mesh, &place_b)
            && outside
        {
            check_gap(&collide(&a, &place_a, &mesh, &place_b), gap)?;
        }
    }

    #[test]
    fn rays(
        shape in prop_oneof![any_convex(), Just(Shape::Plane), (0..20_u32).prop_map(rough)],
        place in place(0.5), from in prop::array::uniform3(-1.0..1.0_f64), aim in prop::array::uniform3(-0.4..0.4_f64),
    ) {
        let origin = DVec3::from_array(from).try_normalize().unwrap_or(DVec3::X) * 4.0;
        let direction = (DVec3::from_array(aim) + place.translation - origin).normalize();
        let ours = ray_shape(&shape, &place, &Ray { origin, direction, max_distance: 20.0 });
        let theirs = parry_shape(&shape).cast_ray_and_get_normal(
            &pose(&place),
            &query::Ray::new(vector(origin), vector(direction)),
            20.0,
            false,
        );
        match (ours, theirs) {
            (Some((distance, _)), Some(hit)) => {
                // Backs of triangles count for parry, not for us.
                prop_assert!(distance >= hit.time_of_impact - 1e-6);
                if !matches!(shape, Shape::Heightfield(_)) {
                    prop_assert!((distance - hit.time_of_impact).abs() < 1e-6);
                }
            }
            (None, Some(hit)) => {
                let below = matches!(shape, Shape::Heightfield(_) | Shape::Plane);
                prop_assert!(below || hit.time_of_impact < 1e-9, "missed {hit:?}");
            }
            (Some(hit), None) => prop_assert!(false, "{hit:?} here, nothing there"),
            (None, None) => {}
        }
    }
}
