//! Failures other engines have published, one file each, and scenes that must come to rest.

mod bullet3_4636_tumbling_box;
mod limits_under_any_torque;
mod mujoco_3443_stiff_servos_with_contact;
mod newton_3699_ball_joint_flutter;
mod newton_4269_passive_figures;
mod rapier_968_popping_at_rest;
mod rest;
mod stiffness_sweep;
