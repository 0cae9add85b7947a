//! The chart of the Fourier coefficients of the function on the page.

use crate::state::{Action, State};
use vivarium_labs::boolean::fourier::MAX_BARS;
use vivarium_model::tasks::sparse_boolean::charts;
use vivarium_plot::analysis::Reading;
use vivarium_view::display::charts::ChartOfRun;

#[test]
fn the_chart_has_a_bar_for_each_coefficient_that_is_not_zero() {
    let mut state = State::default();
    state.apply(Action::Open("#v1/sparse-boolean?fn=own&own=(x1@x2)*x3&show=fourier".into()));
    let bars = |state: &State| match charts::FOURIER.reading(&state.player.run) {
        Reading::Bars(bars) => bars.bars,
        _ => panic!("bars"),
    };
    let expected = [("1", -0.5), ("x3", 0.5), ("x1x2", -0.5), ("x1x2x3", -0.5)];
    assert_eq!(bars(&state), expected.map(|(name, value)| (name.to_string(), value)));
    let text = charts::FOURIER.summary(&state.player.run);
    assert_eq!(
        text,
        "The function has degree 3 and leap 2. Of its 8 Fourier coefficients, 4 are different from 0. The coefficient of 1 has the largest absolute value; this coefficient is −0.500."
    );
    // A conjunction of five bits has 32, of which the constant is the largest.
    state.apply(Action::Open("#v1/sparse-boolean?k=5&show=fourier".into()));
    let many = bars(&state);
    assert_eq!((many.len(), many[0].clone()), (MAX_BARS, ("1".into(), -0.9375)));
    state.apply(Action::Open("#v1/sparse-parity?n=9".into()));
    assert!(charts::FOURIER.applies(&state.player.run).is_err());
}
