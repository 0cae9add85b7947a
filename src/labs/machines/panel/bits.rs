//! Tokens as columns of bits: the last ones after their steps, and the present one after the block that is shown.
//!
//! # Why
//! A token has 46 numbers for the busy beaver with four states, at most 121, and some thirty tokens are shown at once. An
//! element for each number would be slow, so that each group of coordinates is a small picture with one pixel for a number;
//! the browser enlarges it. Between steps most groups are 0: that they are is what the picture shows.

use crate::machines::tape;
use vivarium_science::machines::{Machine, ResidualLayout, StepRecord, StepTrace, TokenGroup, Transformer};
use vivarium_view::display::words::{MISSING, significant, thousands};

/// Tokens before the present one that are shown at most.
pub const PAST: usize = 31;
/// Shades from 0 to 1.
pub const SHADES: usize = 33;
/// Height of all groups together, in CSS pixels, as far as the sides of cells allow.
const HEIGHT: usize = 400;
/// Sides of a cell, in CSS pixels.
const CELL: (usize, usize) = (4, 9);
/// How far a number may be from 0 and 1 and still be said to be one of them.
const NEAR: f64 = 0.005;

/// Kinds of groups, each with a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The state.
    State,
    /// Symbols.
    Symbol,
    /// Numbers of steps and cells, in binary.
    Position,
    /// Flags and the move.
    Flag,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::State, Kind::Symbol, Kind::Position, Kind::Flag];

    /// The kind of a group.
    pub fn of(group: TokenGroup) -> Kind {
        match group {
            TokenGroup::State => Kind::State,
            TokenGroup::Symbol | TokenGroup::Written | TokenGroup::Recalled | TokenGroup::Given => {
                Kind::Symbol
            }
            TokenGroup::Time | TokenGroup::Before | TokenGroup::Head | TokenGroup::Prefix => Kind::Position,
            TokenGroup::Flags | TokenGroup::Move => Kind::Flag,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::State => tr!("state"),
            Kind::Symbol => tr!("symbols (one bit for each symbol)"),
            Kind::Position => tr!("numbers of steps and cells, in binary"),
            Kind::Flag => tr!("flags, and the move of the head"),
        }
    }
}

/// The side of a cell of tokens of this width, in CSS pixels.
pub fn side(width: usize) -> usize {
    (HEIGHT / width.max(1)).clamp(CELL.0, CELL.1)
}

/// The tokens before the present one that are shown, by step; token 0 is that of step 0, which fetches the first symbol.
pub fn past(step: usize) -> std::ops::Range<usize> {
    step.saturating_sub(PAST)..step
}

/// The numbers of the present token after a block, from 1; at 0 before the first one, and without a trace those of the start.
pub fn present<'a>(
    transformer: &'a Transformer,
    trace: Option<&'a StepTrace>,
    stage: usize,
) -> Option<&'a [f64]> {
    match (trace, stage.checked_sub(1)) {
        (None, _) => transformer.output(0),
        (Some(trace), None) => Some(&trace.input_token),
        (Some(trace), Some(at)) => {
            let stage = trace.blocks.get(at).or(trace.blocks.last())?;
            Some(&stage.residual)
        }
    }
}

/// The groups in which a block, from 1, has changed a number; none before the first one.
pub fn changed(layout: &ResidualLayout, trace: &StepTrace, stage: usize) -> Vec<TokenGroup> {
    let Some(at) = stage.checked_sub(1) else { return vec![] };
    let before = match at.checked_sub(1) {
        None => Some(&trace.input_token),
        Some(before) => trace.blocks.get(before).map(|stage| &stage.residual),
    };
    let Some((before, after)) = before.zip(trace.blocks.get(at)) else { return vec![] };
    let differs = |group: &TokenGroup| {
        let range = layout.group(*group);
        let pairs = range.map(|i| (before.get(i), after.residual.get(i)));
        let far = |(a, b): (Option<&f64>, Option<&f64>)| {
            a.zip(b).is_some_and(|(a, b)| (a - b).abs() > NEAR || a.is_nan() != b.is_nan())
        };
        pairs.into_iter().any(far)
    };
    TokenGroup::ALL.into_iter().filter(differs).collect()
}

/// The shade of a number, from 0 to [`SHADES`] − 1; none of what is no number. What is not zero is never drawn as zero.
pub fn shade(value: f64) -> Option<usize> {
    let most = SHADES - 1;
    let rounded = (value.clamp(0.0, 1.0) * most as f64).round() as usize;
    (!value.is_nan()).then(|| rounded.max(usize::from(value > 1e-9)))
}

/// Colours from one to another, in even steps.
pub fn shades(from: [u8; 3], to: [u8; 3]) -> Vec<[u8; 3]> {
    let most = (SHADES - 1) as f64;
    let part = |from: u8, to: u8, share: f64| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    let one = |at: usize| [0, 1, 2].map(|i| part(from[i], to[i], at as f64 / most));
    (0..SHADES).map(one).collect()
}

/// The picture of a group of one token or of several, one column each, row by row with four bytes a pixel; numbers that are
/// none stay clear.
pub fn pixels<'a>(
    layout: &ResidualLayout,
    group: TokenGroup,
    tokens: impl ExactSizeIterator<Item = &'a [f64]>,
    colours: &[[u8; 3]],
) -> Vec<u8> {
    let (range, columns) = (layout.group(group), tokens.len());
    let mut pixels = vec![0; 4 * columns * range.len()];
    for (column, token) in tokens.enumerate() {
        for (row, value) in token.get(range.clone()).unwrap_or_default().iter().enumerate() {
            if let Some([red, green, blue]) = shade(*value).and_then(|shade| colours.get(shade)) {
                let pixel = 4 * (row * columns + column);
                pixels[pixel..pixel + 4].copy_from_slice(&[*red, *green, *blue, 255]);
            }
        }
    }
    pixels
}

/// [`PAST`] columns: the past tokens that are shown, each after its step, with the number of its step in pos1 as positions add
/// it. Where there are fewer tokens, the first columns are empty.
pub fn columns(transformer: &Transformer, step: usize) -> Vec<Vec<f64>> {
    let layout = transformer.construction().layout();
    let column = |t: usize| {
        let mut token = transformer.output(t).unwrap_or_default().to_vec();
        let places = layout.group(TokenGroup::Time).rev().enumerate();
        places.for_each(|(place, at)| {
            if let Some(number) = token.get_mut(at) {
                let bit = u32::try_from(place).ok().and_then(|place| t.checked_shr(place)).unwrap_or(0) & 1;
                *number = bit as f64;
            }
        });
        token
    };
    let past = past(step);
    let missing = PAST - past.len();
    std::iter::repeat_n(vec![], missing).chain(past.map(column)).collect()
}

/// The number that a group holds in binary; what is above ½ counts as 1.
pub fn binary(layout: &ResidualLayout, token: &[f64], group: TokenGroup) -> usize {
    let numbers = token.get(layout.group(group)).unwrap_or_default();
    numbers.iter().fold(0, |number, bit| 2 * number + usize::from(*bit > 0.5))
}

/// A number that should be 0 or 1: "1", "0.93".
pub fn digit(value: f64) -> String {
    if value.abs() <= NEAR {
        "0".into()
    } else if (value - 1.0).abs() <= NEAR {
        "1".into()
    } else {
        significant(value)
    }
}

/// What a group of a token says: "B", "37", "0 1 0"; a dash where all of it is 0 and that means nothing.
pub fn reading(layout: &ResidualLayout, machine: &Machine, token: &[f64], group: TokenGroup) -> String {
    let numbers = token.get(layout.group(group)).unwrap_or_default();
    let active: Vec<usize> = (0..numbers.len()).filter(|at| numbers[*at] > 0.5).collect();
    if numbers.iter().any(|x| !x.is_finite()) {
        return MISSING.into();
    }
    let named = |of: &dyn Fn(usize) -> String| match active.as_slice() {
        [] => MISSING.into(),
        all => all.iter().map(|at| of(*at)).collect::<Vec<_>>().join(" + "),
    };
    match (group, Kind::of(group)) {
        (TokenGroup::Move, _) => {
            let direction = |at: usize| if at == 0 { tr!("left").to_string() } else { tr!("right").into() };
            named(&direction)
        }
        (_, Kind::State) => named(&|at| tape::state(machine, at).into()),
        (_, Kind::Symbol) => named(&|at| machine.format_symbols([at])),
        (_, Kind::Position) => binary(layout, token, group).to_string(),
        (_, Kind::Flag) => numbers.iter().map(|x| digit(*x)).collect::<Vec<_>>().join(" "),
    }
}

/// The whole token in words.
pub fn spoken(layout: &ResidualLayout, machine: &Machine, token: &[f64]) -> String {
    let one = |group: TokenGroup| {
        let (key, name) = (group.key(), group.name());
        tr!("{key}, {name}: {value}.", key, name, value = reading(layout, machine, token, group))
    };
    TokenGroup::ALL.map(one).join(" ")
}

/// Which token is shown, and after which block.
pub fn title(step: usize, stage: usize, blocks: usize) -> String {
    let step = thousands(step as u64);
    match stage {
        0 => tr!("Token of step {step} before its blocks", step),
        stage if stage >= blocks => tr!("Token of step {step} after all {blocks} blocks", step, blocks),
        stage => tr!("Token of step {step} after block {stage} of {blocks}", step, stage, blocks),
    }
}

/// "Step 37: state B, symbol under the head 1, symbol written 0, head on cell 66."
pub fn says(machine: &Machine, step: usize, moment: Option<StepRecord>) -> String {
    let Some(moment) = moment else {
        return tr!("Step {step}: the token is being computed.", step = thousands(step as u64));
    };
    let (state, reads) = (tape::state(machine, moment.state), machine.format_symbols([moment.symbol]));
    match step {
        0 => tr!(
            "Step 0: state {state}, symbol under the head {reads}, head on cell {cell}.",
            state,
            reads,
            cell = moment.head
        ),
        _ => tr!(
            "Step {step}: state {state}, symbol under the head {reads}, symbol written {wrote}, head on cell {cell}.",
            step = thousands(step as u64),
            state,
            reads,
            wrote = machine.format_symbols([moment.written]),
            cell = moment.head
        ),
    }
}

/// Whether the tokens agree with the simulator up to a step, in a sentence; `wrong` is the first step in which they do not.
pub fn agreement(wrong: Option<usize>, step: usize) -> String {
    match (wrong.filter(|wrong| *wrong <= step), step) {
        (Some(wrong), _) => {
            tr!(
                "Step {wrong} is the first step with a token that differs from the simulator's step.",
                wrong = thousands(wrong as u64)
            )
        }
        (None, 0) => tr!("No step has been made yet.").into(),
        (None, 1) => tr!("The token agrees with the simulator's step.").into(),
        (None, step) => {
            tr!("The tokens agree with the simulator in all {step} steps.", step = thousands(step as u64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::machines::{Construction, ExecutionMode, MachineRun, library::find_example};

    fn beaver(steps: usize) -> (Machine, MachineRun, Transformer) {
        let of = find_example("busy-beaver-4").unwrap();
        let machine = of.parse_machine().unwrap();
        let run = MachineRun::new(&machine, &[], of.start, of.steps).unwrap();
        let weights = Construction::new(&machine, run.position_bits()).unwrap();
        let mut transformer =
            Transformer::new(weights.into(), &[], of.start, ExecutionMode::default()).unwrap();
        (0..steps).for_each(|_| assert!(transformer.advance().is_some()));
        (machine, run, transformer)
    }

    #[test]
    fn what_tokens_say_is_read_from_their_bits() {
        let (machine, run, transformer) = beaver(107);
        let layout = transformer.construction().layout().clone();
        for step in 1..=107 {
            let trace = transformer.recompute_step(step).unwrap();
            let (moment, token) = (run.records[step - 1], present(&transformer, Some(&trace), 11).unwrap());
            let read = |group| reading(&layout, &machine, token, group);
            assert_eq!(read(TokenGroup::State), machine.state_names()[moment.state]);
            assert_eq!(read(TokenGroup::Symbol), machine.format_symbols([moment.symbol]));
            assert_eq!(read(TokenGroup::Before), moment.head.to_string());
            assert_eq!((read(TokenGroup::Written), read(TokenGroup::Time)), (MISSING.into(), "0".into()));
            let applied = present(&transformer, Some(&trace), 1).unwrap();
            assert_eq!(
                reading(&layout, &machine, applied, TokenGroup::Written),
                machine.format_symbols([moment.written])
            );
            assert_eq!(reading(&layout, &machine, applied, TokenGroup::Time), step.to_string());
            let way = reading(&layout, &machine, applied, TokenGroup::Move);
            assert!(way == "left" || way == "right", "{way}");
            // A block that is not there is the last one.
            assert_eq!(present(&transformer, Some(&trace), 99), Some(token));
        }
        assert_eq!(present(&transformer, None, 5), transformer.output(0));
    }

    #[test]
    fn a_block_changes_what_it_writes() {
        let (_, _, transformer) = beaver(40);
        let layout = transformer.construction().layout();
        let trace = transformer.last_trace().unwrap();
        assert_eq!(changed(layout, trace, 0), []);
        assert!(changed(layout, trace, 1).contains(&TokenGroup::Written));
        assert_eq!(changed(layout, trace, 2), [TokenGroup::Head]);
        let visited = changed(layout, trace, 3);
        assert!(visited.iter().all(|group| *group == TokenGroup::Flags), "{visited:?}");
        for stage in 4..11 {
            let search = changed(layout, trace, stage);
            assert!(search.iter().all(|group| *group == TokenGroup::Prefix), "{search:?}");
        }
        assert!(changed(layout, trace, 11).contains(&TokenGroup::Head), "it is cleared");
        assert_eq!(changed(layout, trace, 12), []);
    }

    #[test]
    fn the_last_tokens_are_columns() {
        let (_, run, transformer) = beaver(50);
        let layout = transformer.construction().layout();
        assert_eq!((past(0), past(5), past(50)), (0..0, 0..5, 19..50));
        let columns = columns(&transformer, 50);
        assert_eq!(columns.len(), PAST);
        for (t, token) in past(50).zip(&columns) {
            assert_eq!(binary(layout, token, TokenGroup::Time), t);
            assert_eq!(binary(layout, token, TokenGroup::Before), run.records[t - 1].head);
            assert!(token[layout.group(TokenGroup::Recalled)].iter().all(|x| *x == 0.0));
        }
        let few = super::columns(&transformer, 3);
        assert_eq!((few.len(), few.iter().filter(|token| token.is_empty()).count()), (PAST, PAST - 3));
        assert_eq!((side(46), side(121), side(12), side(0)), (8, 4, 9, 9));
    }

    #[test]
    fn numbers_have_shades_and_one_pixel_each() {
        let most = SHADES - 1;
        assert_eq!(
            [0.0, 1e-4, 0.5, 1.0, 7.0, -1.0].map(|x| shade(x).unwrap()),
            [0, 1, most / 2, most, most, 0]
        );
        assert_eq!(shade(f64::NAN), None);
        let colours = shades([0; 3], [64, 128, 255]);
        assert_eq!((colours[0], colours[most / 2], colours[most]), ([0; 3], [32, 64, 128], [64, 128, 255]));
        let layout = ResidualLayout::new(2, 2, 3);
        let (mut first, mut second) = (vec![0.0; layout.width()], vec![0.0; layout.width()]);
        (first[0], second[1]) = (1.0, f64::NAN);
        let seen = pixels(&layout, TokenGroup::State, [&first[..], &second[..]].into_iter(), &colours);
        assert_eq!(seen, [[64, 128, 255, 255], [0, 0, 0, 255], [0, 0, 0, 255], [0; 4]].concat());
        // A token that is too short, as one of another run would be, has no colours.
        let none = pixels(&layout, TokenGroup::State, [&first[..1]].into_iter(), &colours);
        assert_eq!(none, [0; 8]);
    }

    #[test]
    fn tokens_are_said_in_words() {
        let (machine, run, transformer) = beaver(3);
        let layout = transformer.construction().layout();
        let said = spoken(layout, &machine, transformer.output(0).unwrap());
        assert!(said.starts_with("st, State: A. sym1, Symbol under the head: _. "), "{said}");
        assert!(said.ends_with("mv, Move: left, right: –."), "{said}");
        assert_eq!(
            says(&machine, 1, Some(run.records[0])),
            "Step 1: state B, symbol under the head _, symbol written 1, head on cell 65."
        );
        assert_eq!(
            says(&machine, 0, Some(run.initial_record())),
            "Step 0: state A, symbol under the head _, head on cell 64."
        );
        assert_eq!(says(&machine, 1234, None), "Step 1,234: the token is being computed.");
        assert_eq!(title(0, 4, 11), "Token of step 0 after block 4 of 11");
        assert_eq!(title(1234, 0, 11), "Token of step 1,234 before its blocks");
        assert_eq!(title(3, 4, 11), "Token of step 3 after block 4 of 11");
        assert_eq!(title(3, 11, 11), "Token of step 3 after all 11 blocks");
        assert_eq!([1.002, 0.93, -0.001, 0.0].map(digit), ["1", "0.930", "0", "0"]);
        let mut broken = vec![0.7; layout.width()];
        assert_eq!(reading(layout, &machine, &broken, TokenGroup::Symbol), "_ + 1");
        assert_eq!(reading(layout, &machine, &broken, TokenGroup::Flags), "0.700 0.700 0.700");
        broken.fill(f64::NAN);
        assert_eq!(reading(layout, &machine, &broken, TokenGroup::Head), MISSING);
        assert_eq!(reading(layout, &machine, &[], TokenGroup::State), MISSING);
    }

    #[test]
    fn agreement_ends_with_the_first_wrong_step() {
        assert_eq!(agreement(None, 0), "No step has been made yet.");
        assert_eq!(agreement(None, 1), "The token agrees with the simulator's step.");
        assert_eq!(agreement(None, 1200), "The tokens agree with the simulator in all 1,200 steps.");
        assert_eq!(agreement(Some(9), 8), "The tokens agree with the simulator in all 8 steps.");
        assert_eq!(
            agreement(Some(9), 9),
            "Step 9 is the first step with a token that differs from the simulator's step."
        );
    }

    #[test]
    fn every_kind_has_a_name() {
        let mut names = Kind::ALL.map(Kind::name).to_vec();
        names.dedup();
        assert_eq!(names.len(), 4);
        assert!(TokenGroup::ALL.iter().all(|group| Kind::ALL.contains(&Kind::of(*group))));
    }
}
