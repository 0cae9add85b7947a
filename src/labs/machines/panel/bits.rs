//! Tokens as columns of bits: the last ones after their steps, and the present one after the block that is shown.
//!
//! # Why
//! A token has 46 numbers for the busy beaver with four states, at most 121, and some thirty tokens are shown at once.
//! An element for each number would be slow, so that each group of coordinates is a small picture with one pixel for a
//! number; the browser enlarges it. Between steps most groups are 0: that they are is what the picture shows.

use crate::machines::tape;
use vivarium_science::machines::{Machine, ResidualLayout, StepRecord, StepTrace, TokenGroup, Transformer};
use vivarium_view::display::words::{MISSING, format_significant, format_thousands};

/// Maximum number of tokens of earlier steps shown to the left of the present token.
pub const MAX_PAST_TOKENS: usize = 31;
/// Number of colour shades in which token entries from 0 to 1 are drawn.
pub const SHADE_COUNT: usize = 33;
/// Total height of a drawn token in CSS pixels, unless that makes the square of an entry smaller than its minimum side.
const MAX_HEIGHT: usize = 400;
/// Minimum and maximum side of the square that shows one token entry, in CSS pixels.
const CELL_SIDES: (usize, usize) = (4, 9);
/// Maximum distance of a token entry from 0 or 1 at which it is displayed as that bit.
const BIT_TOLERANCE: f64 = 0.005;

/// Kinds of groups of token coordinates, each drawn in its own colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// One-hot code of the machine's state.
    State,
    /// One-hot codes of symbols.
    Symbol,
    /// Numbers of steps and cells, in binary.
    Position,
    /// Flags and the move of the head.
    Flag,
}

impl GroupKind {
    /// All kinds of groups of token coordinates, in the order of the legend.
    pub const ALL: [GroupKind; 4] =
        [GroupKind::State, GroupKind::Symbol, GroupKind::Position, GroupKind::Flag];

    /// Kind (state, symbol, position or flag) to which a group of token coordinates belongs.
    pub fn of(group: TokenGroup) -> GroupKind {
        match group {
            TokenGroup::State => GroupKind::State,
            TokenGroup::Symbol | TokenGroup::Written | TokenGroup::Recalled | TokenGroup::Given => {
                GroupKind::Symbol
            }
            TokenGroup::Time | TokenGroup::Before | TokenGroup::Head | TokenGroup::Prefix => {
                GroupKind::Position
            }
            TokenGroup::Flags | TokenGroup::Move => GroupKind::Flag,
        }
    }

    /// Name of the kind of token coordinates in the legend.
    pub fn name(self) -> &'static str {
        match self {
            GroupKind::State => tr!("state"),
            GroupKind::Symbol => tr!("symbols (one bit for each symbol)"),
            GroupKind::Position => tr!("numbers of steps and cells, in binary"),
            GroupKind::Flag => tr!("flags, and the move of the head"),
        }
    }
}

/// Side of the square that shows one token entry, in CSS pixels, for tokens with `width` coordinates.
pub fn cell_side(width: usize) -> usize {
    (MAX_HEIGHT / width.max(1)).clamp(CELL_SIDES.0, CELL_SIDES.1)
}

/// Earlier machine steps whose tokens are shown to the left of the present one when `step` is displayed; the token of
/// step 0 reads the first symbol.
pub fn past_steps(step: usize) -> std::ops::Range<usize> {
    step.saturating_sub(MAX_PAST_TOKENS)..step
}

/// Token of the displayed step after block number `block`, from 1, or before the first block for 0; the initial token
/// if `trace` is `None`. `None` if there is no block.
pub fn present_token<'a>(
    transformer: &'a Transformer,
    trace: Option<&'a StepTrace>,
    block: usize,
) -> Option<&'a [f64]> {
    match (trace, block.checked_sub(1)) {
        (None, _) => transformer.output(0),
        (Some(trace), None) => Some(&trace.input_token),
        (Some(trace), Some(at)) => {
            let stage = trace.blocks.get(at).or(trace.blocks.last())?;
            Some(&stage.residual)
        }
    }
}

/// Groups of token coordinates in which block number `block`, from 1, changed an entry by more than [`BIT_TOLERANCE`];
/// empty for 0.
pub fn changed_groups(layout: &ResidualLayout, trace: &StepTrace, block: usize) -> Vec<TokenGroup> {
    let Some(at) = block.checked_sub(1) else { return vec![] };
    let before = match at.checked_sub(1) {
        None => Some(&trace.input_token),
        Some(before) => trace.blocks.get(before).map(|stage| &stage.residual),
    };
    let Some((before, after)) = before.zip(trace.blocks.get(at)) else { return vec![] };
    let differs = |group: &TokenGroup| {
        let range = layout.group(*group);
        let pairs = range.map(|i| (before.get(i), after.residual.get(i)));
        let far = |(a, b): (Option<&f64>, Option<&f64>)| {
            a.zip(b).is_some_and(|(a, b)| (a - b).abs() > BIT_TOLERANCE || a.is_nan() != b.is_nan())
        };
        pairs.into_iter().any(far)
    };
    TokenGroup::ALL.into_iter().filter(differs).collect()
}

/// Index of the colour shade for a token entry, from 0 to [`SHADE_COUNT`] − 1; `None` for NaN. Positive entries never
/// get the shade of 0.
pub fn shade_index(value: f64) -> Option<usize> {
    let max_shade = SHADE_COUNT - 1;
    let rounded = (value.clamp(0.0, 1.0) * max_shade as f64).round() as usize;
    (!value.is_nan()).then(|| rounded.max(usize::from(value > 1e-9)))
}

/// [`SHADE_COUNT`] colours interpolated linearly between two RGB colours.
pub fn interpolate_shades(from: [u8; 3], to: [u8; 3]) -> Vec<[u8; 3]> {
    let max_shade = (SHADE_COUNT - 1) as f64;
    let part = |from: u8, to: u8, share: f64| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    let one = |at: usize| [0, 1, 2].map(|i| part(from[i], to[i], at as f64 / max_shade));
    (0..SHADE_COUNT).map(one).collect()
}

/// RGBA pixels of one group of token coordinates: a pixel row per coordinate, a pixel column per token; NaN is
/// transparent, and `colours` holds a colour per shade.
pub fn render_group<'a>(
    layout: &ResidualLayout,
    group: TokenGroup,
    tokens: impl ExactSizeIterator<Item = &'a [f64]>,
    colours: &[[u8; 3]],
) -> Vec<u8> {
    let (range, columns) = (layout.group(group), tokens.len());
    let mut pixels = vec![0; 4 * columns * range.len()];
    for (column, token) in tokens.enumerate() {
        for (row, value) in token.get(range.clone()).unwrap_or_default().iter().enumerate() {
            if let Some([red, green, blue]) = shade_index(*value).and_then(|shade| colours.get(shade)) {
                let pixel = 4 * (row * columns + column);
                pixels[pixel..pixel + 4].copy_from_slice(&[*red, *green, *blue, 255]);
            }
        }
    }
    pixels
}

/// Tokens of the [`MAX_PAST_TOKENS`] steps before `step` as columns of the display, each with its own step number in
/// binary in the coordinates pos1 (group [`TokenGroup::Time`]). The first columns are empty if there are fewer tokens.
pub fn build_columns(transformer: &Transformer, step: usize) -> Vec<Vec<f64>> {
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
    let past = past_steps(step);
    let missing = MAX_PAST_TOKENS - past.len();
    std::iter::repeat_n(vec![], missing).chain(past.map(column)).collect()
}

/// Number that a group of coordinates of a token holds in binary; entries above ½ count as 1.
pub fn decode_binary(layout: &ResidualLayout, token: &[f64], group: TokenGroup) -> usize {
    let numbers = token.get(layout.group(group)).unwrap_or_default();
    numbers.iter().fold(0, |number, bit| 2 * number + usize::from(*bit > 0.5))
}

/// Formats a token entry that should be 0 or 1: "1", "0.93".
pub fn format_bit(value: f64) -> String {
    if value.abs() <= BIT_TOLERANCE {
        "0".into()
    } else if (value - 1.0).abs() <= BIT_TOLERANCE {
        "1".into()
    } else {
        format_significant(value)
    }
}

/// Decoded value of a group of token coordinates: "B", "37", "0 1 0"; a dash if an entry is not finite, or if all are 0
/// in a one-hot group.
pub fn decode_group(layout: &ResidualLayout, machine: &Machine, token: &[f64], group: TokenGroup) -> String {
    let numbers = token.get(layout.group(group)).unwrap_or_default();
    let active: Vec<usize> = (0..numbers.len()).filter(|at| numbers[*at] > 0.5).collect();
    if numbers.iter().any(|x| !x.is_finite()) {
        return MISSING.into();
    }
    let named = |of: &dyn Fn(usize) -> String| match active.as_slice() {
        [] => MISSING.into(),
        all => all.iter().map(|at| of(*at)).collect::<Vec<_>>().join(" + "),
    };
    match (group, GroupKind::of(group)) {
        (TokenGroup::Move, _) => {
            let direction = |at: usize| if at == 0 { tr!("left").to_string() } else { tr!("right").into() };
            named(&direction)
        }
        (_, GroupKind::State) => named(&|at| tape::state_name(machine, at).into()),
        (_, GroupKind::Symbol) => named(&|at| machine.format_symbols([at])),
        (_, GroupKind::Position) => decode_binary(layout, token, group).to_string(),
        (_, GroupKind::Flag) => numbers.iter().map(|x| format_bit(*x)).collect::<Vec<_>>().join(" "),
    }
}

/// Decoded values of all groups of a token in words, for screen readers.
pub fn describe_token(layout: &ResidualLayout, machine: &Machine, token: &[f64]) -> String {
    let one = |group: TokenGroup| {
        let (key, name) = (group.key(), group.name());
        tr!("{key}, {name}: {value}.", key, name, value = decode_group(layout, machine, token, group))
    };
    TokenGroup::ALL.map(one).join(" ")
}

/// Title of the displayed token: the step, and the block number `stage` (0 before the first) of `blocks` after which it
/// is shown.
pub fn token_title(step: usize, stage: usize, blocks: usize) -> String {
    let step = format_thousands(step as u64);
    match stage {
        0 => tr!("Token of step {step} before its blocks", step),
        stage if stage >= blocks => tr!("Token of step {step} after all {blocks} blocks", step, blocks),
        stage => tr!("Token of step {step} after block {stage} of {blocks}", step, stage, blocks),
    }
}

/// Sentence on a machine step: "Step 37: state B, symbol under the head 1, symbol written 0, head on cell 66."
pub fn describe_step(machine: &Machine, step: usize, record: Option<StepRecord>) -> String {
    let Some(moment) = record else {
        return tr!("Step {step}: the token is being computed.", step = format_thousands(step as u64));
    };
    let (state, reads) = (tape::state_name(machine, moment.state), machine.format_symbols([moment.symbol]));
    match step {
        0 => tr!(
            "Step 0: state {state}, symbol under the head {reads}, head on cell {cell}.",
            state,
            reads,
            cell = moment.head
        ),
        _ => tr!(
            "Step {step}: state {state}, symbol under the head {reads}, symbol written {wrote}, head on cell {cell}.",
            step = format_thousands(step as u64),
            state,
            reads,
            wrote = machine.format_symbols([moment.written]),
            cell = moment.head
        ),
    }
}

/// Sentence on whether tokens and simulator agree up to `step`; `wrong` is the first step where they differ.
pub fn describe_agreement(wrong: Option<usize>, step: usize) -> String {
    match (wrong.filter(|wrong| *wrong <= step), step) {
        (Some(wrong), _) => {
            tr!(
                "Step {wrong} is the first step with a token that differs from the simulator's step.",
                wrong = format_thousands(wrong as u64)
            )
        }
        (None, 0) => tr!("No step has been made yet.").into(),
        (None, 1) => tr!("The token agrees with the simulator's step.").into(),
        (None, step) => {
            tr!(
                "The tokens agree with the simulator in all {step} steps.",
                step = format_thousands(step as u64)
            )
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
            let (moment, token) =
                (run.records[step - 1], present_token(&transformer, Some(&trace), 11).unwrap());
            let read = |group| decode_group(&layout, &machine, token, group);
            assert_eq!(read(TokenGroup::State), machine.state_names()[moment.state]);
            assert_eq!(read(TokenGroup::Symbol), machine.format_symbols([moment.symbol]));
            assert_eq!(read(TokenGroup::Before), moment.head.to_string());
            assert_eq!((read(TokenGroup::Written), read(TokenGroup::Time)), (MISSING.into(), "0".into()));
            let applied = present_token(&transformer, Some(&trace), 1).unwrap();
            assert_eq!(
                decode_group(&layout, &machine, applied, TokenGroup::Written),
                machine.format_symbols([moment.written])
            );
            assert_eq!(decode_group(&layout, &machine, applied, TokenGroup::Time), step.to_string());
            let way = decode_group(&layout, &machine, applied, TokenGroup::Move);
            assert!(way == "left" || way == "right", "{way}");
            // A block that is not there is the last one.
            assert_eq!(present_token(&transformer, Some(&trace), 99), Some(token));
        }
        assert_eq!(present_token(&transformer, None, 5), transformer.output(0));
    }

    #[test]
    fn a_block_changes_what_it_writes() {
        let (_, _, transformer) = beaver(40);
        let layout = transformer.construction().layout();
        let trace = transformer.last_trace().unwrap();
        assert_eq!(changed_groups(layout, trace, 0), []);
        assert!(changed_groups(layout, trace, 1).contains(&TokenGroup::Written));
        assert_eq!(changed_groups(layout, trace, 2), [TokenGroup::Head]);
        let visited = changed_groups(layout, trace, 3);
        assert!(visited.iter().all(|group| *group == TokenGroup::Flags), "{visited:?}");
        for stage in 4..11 {
            let search = changed_groups(layout, trace, stage);
            assert!(search.iter().all(|group| *group == TokenGroup::Prefix), "{search:?}");
        }
        assert!(changed_groups(layout, trace, 11).contains(&TokenGroup::Head), "it is cleared");
        assert_eq!(changed_groups(layout, trace, 12), []);
    }

    #[test]
    fn the_last_tokens_are_columns() {
        let (_, run, transformer) = beaver(50);
        let layout = transformer.construction().layout();
        assert_eq!((past_steps(0), past_steps(5), past_steps(50)), (0..0, 0..5, 19..50));
        let columns = build_columns(&transformer, 50);
        assert_eq!(columns.len(), MAX_PAST_TOKENS);
        for (t, token) in past_steps(50).zip(&columns) {
            assert_eq!(decode_binary(layout, token, TokenGroup::Time), t);
            assert_eq!(decode_binary(layout, token, TokenGroup::Before), run.records[t - 1].head);
            assert!(token[layout.group(TokenGroup::Recalled)].iter().all(|x| *x == 0.0));
        }
        let few = super::build_columns(&transformer, 3);
        assert_eq!(
            (few.len(), few.iter().filter(|token| token.is_empty()).count()),
            (MAX_PAST_TOKENS, MAX_PAST_TOKENS - 3)
        );
        assert_eq!((cell_side(46), cell_side(121), cell_side(12), cell_side(0)), (8, 4, 9, 9));
    }

    #[test]
    fn numbers_have_shades_and_one_pixel_each() {
        let max_shade = SHADE_COUNT - 1;
        assert_eq!(
            [0.0, 1e-4, 0.5, 1.0, 7.0, -1.0].map(|x| shade_index(x).unwrap()),
            [0, 1, max_shade / 2, max_shade, max_shade, 0]
        );
        assert_eq!(shade_index(f64::NAN), None);
        let colours = interpolate_shades([0; 3], [64, 128, 255]);
        assert_eq!(
            (colours[0], colours[max_shade / 2], colours[max_shade]),
            ([0; 3], [32, 64, 128], [64, 128, 255])
        );
        let layout = ResidualLayout::new(2, 2, 3);
        let (mut first, mut second) = (vec![0.0; layout.width()], vec![0.0; layout.width()]);
        (first[0], second[1]) = (1.0, f64::NAN);
        let seen = render_group(&layout, TokenGroup::State, [&first[..], &second[..]].into_iter(), &colours);
        assert_eq!(seen, [[64, 128, 255, 255], [0, 0, 0, 255], [0, 0, 0, 255], [0; 4]].concat());
        // A token that is too short, as one of another run would be, has no colours.
        let none = render_group(&layout, TokenGroup::State, [&first[..1]].into_iter(), &colours);
        assert_eq!(none, [0; 8]);
    }

    #[test]
    fn tokens_are_stated_in_words() {
        let (machine, run, transformer) = beaver(3);
        let layout = transformer.construction().layout();
        let said = describe_token(layout, &machine, transformer.output(0).unwrap());
        assert!(said.starts_with("st, State: A. sym1, Symbol under the head: _. "), "{said}");
        assert!(said.ends_with("mv, Move: left, right: –."), "{said}");
        assert_eq!(
            describe_step(&machine, 1, Some(run.records[0])),
            "Step 1: state B, symbol under the head _, symbol written 1, head on cell 65."
        );
        assert_eq!(
            describe_step(&machine, 0, Some(run.initial_record())),
            "Step 0: state A, symbol under the head _, head on cell 64."
        );
        assert_eq!(describe_step(&machine, 1234, None), "Step 1,234: the token is being computed.");
        assert_eq!(token_title(0, 4, 11), "Token of step 0 after block 4 of 11");
        assert_eq!(token_title(1234, 0, 11), "Token of step 1,234 before its blocks");
        assert_eq!(token_title(3, 4, 11), "Token of step 3 after block 4 of 11");
        assert_eq!(token_title(3, 11, 11), "Token of step 3 after all 11 blocks");
        assert_eq!([1.002, 0.93, -0.001, 0.0].map(format_bit), ["1", "0.930", "0", "0"]);
        let mut broken = vec![0.7; layout.width()];
        assert_eq!(decode_group(layout, &machine, &broken, TokenGroup::Symbol), "_ + 1");
        assert_eq!(decode_group(layout, &machine, &broken, TokenGroup::Flags), "0.700 0.700 0.700");
        broken.fill(f64::NAN);
        assert_eq!(decode_group(layout, &machine, &broken, TokenGroup::Head), MISSING);
        assert_eq!(decode_group(layout, &machine, &[], TokenGroup::State), MISSING);
    }

    #[test]
    fn agreement_ends_with_the_first_wrong_step() {
        assert_eq!(describe_agreement(None, 0), "No step has been made yet.");
        assert_eq!(describe_agreement(None, 1), "The token agrees with the simulator's step.");
        assert_eq!(describe_agreement(None, 1200), "The tokens agree with the simulator in all 1,200 steps.");
        assert_eq!(describe_agreement(Some(9), 8), "The tokens agree with the simulator in all 8 steps.");
        assert_eq!(
            describe_agreement(Some(9), 9),
            "Step 9 is the first step with a token that differs from the simulator's step."
        );
    }

    #[test]
    fn every_kind_has_a_name() {
        let mut names = GroupKind::ALL.map(GroupKind::name).to_vec();
        names.dedup();
        assert_eq!(names.len(), 4);
        assert!(TokenGroup::ALL.iter().all(|group| GroupKind::ALL.contains(&GroupKind::of(*group))));
    }
}
