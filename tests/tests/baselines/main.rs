//! What the baselines must be good for, each as well as its method can: rest, carry, stay within a bound on the work.

mod rigid;
mod springs;
