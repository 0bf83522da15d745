//! The 35 CMU clips against the table measured by an independent script.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::check::{BadFrame, check_clip};
use stuntlab_mocap::contacts::{ContactOptions, find_contacts, ground_height};
use stuntlab_mocap::convert::{ExportOptions, ImportOptions, export, import};
use stuntlab_mocap::detect::{Unit, UpAxis};
use stuntlab_mocap::edit::heading;
use stuntlab_mocap::{Clip, Roles};

#[test]
fn contacts_agree_with_the_table() {
    let Some(table) = crate::common::cmu_table() else { return };
    assert_eq!(table.len(), 35);
    let mut faults = Vec::new();
    for row in &table {
        let clip = crate::common::cmu_clip(row);
        let shares = find_contacts(&clip, &ContactOptions::default()).unwrap().shares();
        let ground = ground_height(&clip).unwrap();
        let worst = (0..3).map(|i| (100.0 * shares[i] - row.contact[i]).abs()).fold(0.0, f64::max);
        let line = format!(
            "{:12} {:3.0}/{:3.0}/{:3.0} table {:?} worst {worst:.1}; ground {ground:.3} table {:.3}",
            row.file,
            100.0 * shares[0],
            100.0 * shares[1],
            100.0 * shares[2],
            row.contact,
            row.ground
        );
        println!("{line}");
        if worst > 10.0 {
            faults.push(line);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A whole file as its header states it, T-pose included.
fn whole(file: &str) -> Clip {
    let text = std::fs::read(crate::common::shared("mocap/cmu").unwrap().join(file)).unwrap();
    let (clip, report) = import(file, &Bvh::parse(&text).unwrap(), &ImportOptions::default()).unwrap();
    assert_eq!((report.unit, report.up), (Unit::Cmu, UpAxis::Y), "{file}: {:?}", report.notes);
    assert_eq!(report.frame_time, 1.0 / 120.0, "{file}");
    clip
}

#[test]
fn the_synthetic_first_frame_is_found_and_no_other_claim_is_made() {
    let Some(table) = crate::common::cmu_table() else { return };
    for row in &table {
        let report = check_clip(&whole(&row.file));
        assert!(
            matches!(report.bad_frames.first(), Some(BadFrame::Calibration { .. })),
            "{}: {:?}",
            row.file,
            report.warnings
        );
        assert_eq!(report.suggested_frame_time, None, "{}: {:?}", row.file, report.warnings);
    }
}

#[test]
fn a_retimed_jump_is_noticed_and_the_original_is_not() {
    let Some(table) = crate::common::cmu_table() else { return };
    for row in table.iter().filter(|r| ["13_39.bvh", "13_19.bvh", "49_03.bvh"].contains(&r.file.as_str())) {
        let clip = crate::common::cmu_clip(row);
        let report = check_clip(&clip);
        assert!(
            !report.flights.is_empty() && report.warnings.is_empty(),
            "{}: {:?}",
            row.file,
            report.warnings
        );
        for factor in [0.5, 2.0] {
            let retimed = clip.clone().with_frame_time(clip.frame_time() * factor).unwrap();
            let report = check_clip(&retimed);
            let suggested = report.suggested_frame_time.unwrap_or_else(|| panic!("{} by {factor}", row.file));
            assert!((suggested - clip.frame_time()).abs() < 1e-12, "{}: {suggested}", row.file);
            assert!(report.warnings.iter().any(|w| w.contains("gravity")));
        }
    }
}

#[test]
fn imported_clips_stand_on_z_and_keep_their_heights() {
    let Some(table) = crate::common::cmu_table() else { return };
    for row in table.iter().filter(|r| ["16_15.bvh", "111_28.bvh", "13_39.bvh"].contains(&r.file.as_str())) {
        // The T-pose faces +x with the left hand towards +y.
        let clip = whole(&row.file);
        let roles = Roles::find(clip.skeleton());
        let mut world = Vec::new();
        clip.world(0, &mut world);
        let reach =
            world[roles.left.wrist.unwrap()].translation - world[roles.right.wrist.unwrap()].translation;
        assert!(reach.y > 1.0 && reach.x.abs() < 0.1 && reach.z.abs() < 0.1, "{}: {reach}", row.file);
        assert!(heading(&clip, 0).abs() < 0.05);
        assert!((ground_height(&crate::common::cmu_clip(row)).unwrap() - row.ground).abs() < 0.02);
    }
}

#[test]
fn export_reads_back_to_the_same_motion() {
    let Some(table) = crate::common::cmu_table() else { return };
    for row in table.iter().take(4) {
        let clip = crate::common::cmu_clip(row);
        for up in [UpAxis::Y, UpAxis::Z] {
            let options = ExportOptions { unit: Unit::Centimetres, up };
            let text = export(&clip, &options).unwrap().write();
            let options =
                ImportOptions { unit: Some(Unit::Centimetres), up: Some(up), ..ImportOptions::default() };
            let (back, _) = import(&row.file, &Bvh::parse(text.as_bytes()).unwrap(), &options).unwrap();
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for frame in 0..clip.n_frames() {
                clip.world(frame, &mut a);
                back.world(frame, &mut b);
                for (a, b) in a.iter().zip(&b) {
                    assert!(a.translation.distance(b.translation) < 1e-11, "{} frame {frame}", row.file);
                }
            }
        }
    }
}
