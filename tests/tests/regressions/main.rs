//! Failures other engines have published, what once failed here, one file each, and scenes that must come to rest.

mod arch;
mod bad_input_beside_contact;
mod bounce_and_stop;
mod bullet3_4636_tumbling_box;
mod bullets;
mod card_house;
mod contradictory_pins;
mod hanging_chains;
mod heavy_on_light;
mod inclines;
mod landing_makes_no_energy;
mod limits_under_any_torque;
mod limp_impacts;
mod mujoco_3443_stiff_servos_with_contact;
mod newton_3699_ball_joint_flutter;
mod newton_4269_passive_figures;
mod rapier_968_popping_at_rest;
mod rest;
mod rigid_rows_make_no_energy;
mod sliders_on_spinning_parents;
mod soak_seeds;
mod stacks;
mod stiffness_sweep;
mod trolley_at_constant_speed;
