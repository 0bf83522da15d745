//! The fast search equals brute force.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use glam::DVec3;
use proptest::prelude::*;
use stuntlab_mocap::JointId;
use stuntlab_mocap::features::{FeatureLayout, FeatureOptions};
use stuntlab_mocap::search::{Filter, FrameId, PoseDatabase, SplitIndex};

/// Tables with repeated rows and near-equal values, where ties and rounding bite.
fn tables(width: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    let value = prop_oneof![
        4 => -2.0f32..2.0,
        2 => (-3i32..3).prop_map(|v| v as f32),
        1 => (-3i32..3).prop_map(|v| 100.0 + v as f32 * 1e-5),
    ];
    prop::collection::vec(prop::collection::vec(value, width * 5..=width * 5), 1..40).prop_map(
        move |mut all| {
            let copy = all[0].clone();
            all.push(copy);
            all
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(200)))]

    #[test]
    fn search_equals_brute_force(
        (width, tables, seed) in (1usize..30).prop_flat_map(|w| (Just(w), tables(w), any::<u64>())),
        k in 1usize..9,
    ) {
        let tagged = tables.iter().enumerate().map(|(i, t)| (t.clone(), vec![format!("tag{}", i % 3)])).collect();
        let database = PoseDatabase::from_rows(width, tagged).unwrap();
        let mut searcher = database.searcher();
        let pick = FrameId { clip: seed as usize % tables.len(), frame: 2 };
        let exact = database.features(pick).unwrap().to_vec();
        let off: Vec<f32> = exact.iter().enumerate().map(|(i, v)| v + ((seed >> (i % 50)) & 7) as f32 * 0.1).collect();
        let filters = [
            Filter::ALL,
            database.with_tag("tag1"),
            database.with_tag("none"),
            database.with_clips(&[0, 5]),
            Filter::ALL.within(0.0..0.3),
        ];
        let mut found = Vec::new();
        for query in [&exact, &off] {
            for filter in &filters {
                let wanted = database.brute_force(query, k, filter);
                searcher.k_nearest(query, k, filter, &mut found);
                prop_assert_eq!(&found, &wanted);
                prop_assert_eq!(searcher.nearest(query, filter), wanted.first().copied());
            }
        }
        // Axes of other rows, even of quite other ones, change no answer.
        let other = PoseDatabase::from_rows(width, vec![(tables[0].iter().map(|v| v * v).collect(), Vec::new())]).unwrap();
        let all = tables.iter().map(|t| (t.clone(), Vec::new())).collect();
        let along = PoseDatabase::from_rows_along(other.axes(), all).unwrap();
        for query in [&exact, &off] {
            along.searcher().k_nearest(query, k, &Filter::ALL, &mut found);
            prop_assert_eq!(&found, &database.brute_force(query, k, &Filter::ALL));
        }
        prop_assert_eq!(searcher.nearest(&exact, &Filter::ALL).unwrap().distance, 0.0);
        prop_assert!(searcher.nearest(&vec![f32::NAN; width], &Filter::ALL).is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(200)))]

    #[test]
    fn near_enough_is_within_its_factor_and_keys_within_their_tolerance(
        (width, tables, seed) in (1usize..30).prop_flat_map(|w| (Just(w), tables(w), any::<u64>())),
        epsilon in prop_oneof![Just(0.0), 0.0..3.0],
        tolerance in prop_oneof![Just(0.0), 0.0..4.0],
    ) {
        let tagged = tables.iter().enumerate().map(|(i, t)| (t.clone(), vec![format!("tag{}", i % 3)])).collect();
        let database = PoseDatabase::from_rows(width, tagged).unwrap();
        let keys = database.key_frames(tolerance);
        let (mut searcher, mut among_keys) = (database.searcher(), keys.searcher());
        let pick = FrameId { clip: seed as usize % tables.len(), frame: seed as usize / 7 % 5 };
        let near = database.features(pick).unwrap();
        let query: Vec<f32> = near.iter().enumerate().map(|(i, v)| v + ((seed >> (i % 50)) & 7) as f32 * 0.1).collect();
        for filter in [Filter::ALL, database.with_tag("tag1"), database.with_tag("none"), Filter::ALL.within(0.0..0.3)] {
            let nearest = searcher.nearest(&query, &filter);
            let enough = searcher.near_enough(&query, epsilon, &filter);
            prop_assert_eq!(nearest.is_some(), enough.is_some());
            if let (Some(nearest), Some(enough)) = (nearest, enough) {
                // Rows are single precision: a square off by 1e-7 of what is subtracted.
                prop_assert!(enough.distance <= (1.0 + epsilon) * nearest.distance + 1e-6, "{enough:?}, {nearest:?}");
                prop_assert!(epsilon > 0.0 || enough == nearest);
            }
        }
        let (nearest, key) = (searcher.nearest(&query, &Filter::ALL).unwrap(), among_keys.nearest(&query, &Filter::ALL).unwrap());
        prop_assert!(key.distance <= nearest.distance + tolerance + 1e-9, "{key:?}, {nearest:?}");
        prop_assert_eq!(keys.features(key.id), database.features(key.id), "keys keep the numbers of their frames");
        prop_assert!(tolerance > 0.0 || keys.len() <= database.len());
        // What a key stands for has itself and no other key, and all of it together is every frame.
        for clip in 0..tables.len() {
            let of_clip: Vec<usize> = (0..5).filter(|f| keys.features(FrameId { clip, frame: *f }).is_some()).collect();
            let stands = |key: &usize| keys.between(FrameId { clip, frame: *key });
            for key in &of_clip {
                let inside: Vec<usize> = of_clip.iter().copied().filter(|f| stands(key).contains(f)).collect();
                prop_assert_eq!(inside, vec![*key]);
            }
            prop_assert!((0..5).all(|frame| of_clip.iter().any(|key| stands(key).contains(&frame))));
        }
    }
}

#[test]
fn split_search_with_all_candidates_is_exact_and_never_better_than_exact() {
    let width = 12;
    let rows: Vec<f32> = (0..300 * width).map(|i| ((i * i) as f32 * 0.37).sin()).collect();
    let database = PoseDatabase::from_rows(width, vec![(rows, Vec::new())]).unwrap();
    let split = SplitIndex::new(&database);
    let mut searcher = database.searcher();
    for seed in 0..50 {
        let query: Vec<f32> = (0..width).map(|i| ((seed * width + i) as f32 * 1.7).cos()).collect();
        let exact = searcher.nearest(&query, &Filter::ALL).unwrap();
        assert_eq!(split.nearest(&query, 300, &Filter::ALL), Some(exact));
        assert!(split.nearest(&query, 3, &Filter::ALL).unwrap().distance >= exact.distance);
        assert_eq!(split.nearest(&query, 0, &Filter::ALL), None);
    }
}

/// Acceptance: matching by a window. Two clips cross: at one moment they have the same pose, and came to it from opposite sides.
#[test]
fn a_window_tells_apart_what_a_pose_does_not() {
    let skeleton = stuntlab_mocap::library::skeleton();
    let layout = |window: Vec<f64>, reach| {
        FeatureLayout::new(&skeleton, FeatureOptions { velocity_time: 0.0, window, reach }).unwrap()
    };
    let (pose, window) = (layout(vec![0.0], f64::INFINITY), layout(vec![0.0, -0.1], 0.2));
    // Every joint at a place of its own, and all of them go aside by `way` metres per second.
    let rest = |joint: JointId| {
        let k = joint.index() as f64;
        DVec3::new((1.7 * k).sin(), (0.9 * k).cos(), 1.0 + 0.1 * (0.3 * k).sin())
    };
    let at =
        |way: f64, time: f64| move |joint: JointId| rest(joint) + DVec3::new(0.0, 0.0, way * time * time);
    let row = |layout: &FeatureLayout, way: f64, time: f64| {
        let times = layout.options().window.clone();
        let mut out = Vec::new();
        let then = |k: usize, joint| at(way, time + times[k])(joint);
        layout.write_window(0.0, at(way, time), then, |_, _| DVec3::ZERO, &mut out);
        out
    };
    let find = |layout: &FeatureLayout, way: f64| {
        let clips = [-2.0, 2.0].map(|way| (row(layout, way, 0.0), Vec::new()));
        let database = PoseDatabase::from_rows(layout.width(), clips.to_vec()).unwrap();
        let found = database.brute_force(&row(layout, way, 0.0), 2, &Filter::ALL);
        (found[0].id.clip, found[1].distance - found[0].distance)
    };
    assert_eq!(find(&pose, 2.0), (0, 0.0), "a pose knows no past: the first of two that are alike");
    let (clip, apart) = find(&window, 2.0);
    assert_eq!(clip, 1);
    // 4 cm at a time that counts half, for points whose weights add up to 20.
    assert!((apart - 0.04 * (0.5_f64 * 20.0).sqrt()).abs() < 1e-4, "{apart}");
    // Who is compared by the pose alone writes the same numbers with either call.
    let mut out = Vec::new();
    pose.write_pose(0.3, rest, |_| DVec3::ZERO, &mut out);
    let mut same = Vec::new();
    pose.write_window(0.3, rest, |_, joint| rest(joint), |_, _| DVec3::ZERO, &mut same);
    assert_eq!(out, same);
}

#[test]
fn a_window_whose_reach_ends_within_it_is_refused() {
    let skeleton = stuntlab_mocap::library::skeleton();
    let options = FeatureOptions { window: vec![0.0, -0.2], reach: 0.2, ..FeatureOptions::default() };
    assert!(FeatureLayout::new(&skeleton, options).is_err());
}

#[test]
fn features_do_not_see_place_and_heading() {
    use stuntlab_mocap::edit::{Planar, place_planar};
    let Some(table) = crate::common::cmu_table() else { return };
    let clip = crate::common::cmu_clip(table.iter().find(|r| r.file == "09_01.bvh").unwrap());
    let moved = place_planar(&clip, &Planar { yaw: 2.0, shift: glam::DVec2::new(-3.0, 8.0) });
    let options =
        FeatureOptions { velocity_time: 0.1, window: vec![-0.1, 0.0, 0.1], ..FeatureOptions::default() };
    let database = PoseDatabase::new(&[clip.clone(), moved], &options).unwrap();
    assert_eq!(database.width(), 16 * 3 * 2 * 3);
    for frame in 0..clip.n_frames() {
        let a = database.features(FrameId { clip: 0, frame }).unwrap();
        let b = database.features(FrameId { clip: 1, frame }).unwrap();
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
