//! Differential tests of the engine against independent libraries; see `tests/`.
