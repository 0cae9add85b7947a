//! Attention heads that are written down and not trained: one that selects a few of T places, and those that shatter
//! log₂ T inputs (Edelman 2024, lemma A.19 and proposition 4.8 with appendix A.1.3).
//!
//! # A head that selects
//! Tokens are X_i = v_i + E_{b_i} for i = 1..T and X_CLS = v_CLS, where v_CLS, E_0 and E_1 are orthonormal and orthogonal
//! to every v_i, and |v_i·v_j| ≤ Δ for i ≠ j. With v_I = Σ_{i∈I} v_i and keys of one component,
//!
//! ```text
//! W_Q = R v_CLS e_1ᵀ   W_K = v_I e_1ᵀ   W_V = (E_0 − E_1) e_1ᵀ   W_C = e_1 e_1ᵀ
//! scores: R on I, 0 elsewhere (Δ = 0)     output: (1/s) Σ_{i∈I} χ_i ± 2T / e^{R(1 − 2sΔ)},  χ_i = 1 − 2b_i
//! ```
//!
//! so that R = ln(8T/γ)/(1 − 2sΔ) makes the error at most γ/4. The thesis divides by 1 − sΔ, with which its own bound
//! is not reached where Δ > 0.
//!
//! # Heads that shatter
//! For T a power of two, x_t = (cos 2πt/T, sin 2πt/T, bit i of t) is input number i at place t. The head with
//! w_QK = T² (cos 2πs/T, sin 2πs/T, 0) and w_V = (0, 0, 1) looks at place s, and says bit i of s: all 2^{log₂ T} answers
//! to the log₂ T inputs occur. So heads of unbounded norm have a pseudo-dimension of at least log₂ T.

use super::{Grid, Lines, Role, Series};
use vivarium_core::math::{dot, norm, softmax};
use vivarium_core::rng::{Purpose, Stream};

/// A head that selects some of the places.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectingHead {
    /// v_1 to v_T, of unit norm.
    positions: Vec<Vec<f64>>,
    /// I, from 0.
    places: Vec<usize>,
    /// R.
    sharpness: f64,
}

/// Frobenius norms of W_Q, W_K, W_V and W_C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norms {
    /// R.
    pub query: f64,
    /// ‖v_I‖, which is √s where positions are orthogonal, and s at most.
    pub key: f64,
    /// √2.
    pub value: f64,
    /// 1.
    pub out: f64,
}

impl SelectingHead {
    /// One that selects `places` out of `length`, with orthogonal positions.
    pub fn orthogonal(length: usize, places: &[usize], sharpness: f64) -> Self {
        let unit = |i: usize| (0..length).map(|j| f64::from(u8::from(i == j))).collect();
        SelectingHead { positions: (0..length).map(unit).collect(), places: places.to_vec(), sharpness }
    }

    /// One whose positions are random signs in `dimensions` dimensions, which are nearly orthogonal where there are
    /// many more than ln `length`.
    pub fn nearly_orthogonal(
        length: usize,
        dimensions: usize,
        places: &[usize],
        sharpness: f64,
        seed: u64,
    ) -> Self {
        let (stream, size) = (Stream::new(seed, Purpose::Weights, 0), 1.0 / libm::sqrt(dimensions as f64));
        let sign = |i: usize, j: usize| if stream.chance(i as u64, j as u32, 0.5) { size } else { -size };
        let position = |i: usize| (0..dimensions).map(|j| sign(i, j)).collect();
        SelectingHead { positions: (0..length).map(position).collect(), places: places.to_vec(), sharpness }
    }

    /// Δ, the largest |v_i·v_j| for i ≠ j.
    pub fn delta(&self) -> f64 {
        let pairs = (0..self.positions.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| dot(&self.positions[i], &self.positions[j]).abs()).fold(0.0, f64::max)
    }

    /// v_I.
    fn sum(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.positions.first().map_or(0, Vec::len)];
        for place in &self.places {
            sum.iter_mut().zip(&self.positions[*place]).for_each(|(sum, v)| *sum += v);
        }
        sum
    }

    /// How large the matrices are.
    pub fn norms(&self) -> Norms {
        let sum = self.sum();
        let key = norm(&sum);
        Norms { query: self.sharpness, key, value: std::f64::consts::SQRT_2, out: 1.0 }
    }

    /// Share of attention of every place and, last, of `[CLS]`; it does not depend on the bits.
    pub fn shares(&self) -> Vec<f64> {
        let key = self.sum();
        let scores = self.positions.iter().map(|position| self.sharpness * dot(position, &key));
        // v_CLS is orthogonal to all positions.
        let mut shares: Vec<f64> = scores.chain([0.0]).collect();
        softmax(&mut shares);
        shares
    }

    /// Attention on the selected places together.
    pub fn mass(&self) -> f64 {
        let shares = self.shares();
        self.places.iter().map(|place| shares[*place]).sum()
    }

    /// What the head says of these bits: the first component of its output.
    ///
    /// # Panics
    /// If there is not a bit for every place.
    pub fn output(&self, bits: &[bool]) -> f64 {
        assert_eq!(bits.len(), self.positions.len(), "a bit for every place");
        // The value of a token is E_0 − E_1 on its own embedding; [CLS] has none.
        let value = |bit: &bool| if *bit { -1.0 } else { 1.0 };
        self.shares().iter().zip(bits).map(|(share, bit)| share * value(bit)).sum()
    }

    /// What it should say: (1/s) Σ_{i∈I} χ_i.
    pub fn target(&self, bits: &[bool]) -> f64 {
        let value = |place: &usize| if bits[*place] { -1.0 } else { 1.0 };
        self.places.iter().map(value).sum::<f64>() / self.places.len() as f64
    }

    /// 2T/e^{R(1 − 2sΔ)}, which no error exceeds.
    pub fn bound(&self) -> f64 {
        let (length, selected) = (self.positions.len() as f64, self.places.len() as f64);
        2.0 * length / libm::exp(self.sharpness * (1.0 - 2.0 * selected * self.delta()))
    }
}

/// The sharpness that makes the error of a head over `length` places at most γ/4, for orthogonal positions.
pub fn sharpness_for(length: usize, gamma: f64) -> f64 {
    libm::log(8.0 * length as f64 / gamma)
}

/// Attention on the `selected` places of `length` together, for orthogonal positions: s e^R / (s e^R + T + 1 − s).
pub fn mass_at(length: usize, selected: usize, sharpness: f64) -> f64 {
    let (all, selected) = (length as f64, selected as f64);
    selected / (selected + (all + 1.0 - selected) * libm::exp(-sharpness))
}

/// The largest error of the same head over all inputs: what attention is missing on the selected places, and what lies
/// on others but `[CLS]`.
pub fn error_at(length: usize, selected: usize, sharpness: f64) -> f64 {
    let mass = mass_at(length, selected, sharpness);
    let each = mass * libm::exp(-sharpness) / selected as f64;
    (1.0 - mass) + (1.0 - mass - each).max(0.0)
}

/// What there is to say of the head that selects so many of so many places.
pub fn texts(length: usize, selected: usize, sharpness: f64) -> Vec<String> {
    let mass = mass_at(length, selected, sharpness);
    // The values of the mean of s signs are 2/s apart.
    let gamma = 2.0 / selected as f64;
    let needed = sharpness_for(length, gamma);
    let enough = if sharpness >= needed {
        tr!("the sharpness of this head is at least ln(8T/γ)")
    } else {
        tr!("the sharpness of this head is less than ln(8T/γ)")
    };
    vec![
        tr!(
            "{mass} % of the attention is on the {selected} relevant bits (of {length} bits in all); with equal attention to all bits, this share would be {even} %.",
            mass = format!("{:.1}", 100.0 * mass),
            selected,
            length,
            even = format!("{:.1}", 100.0 * mass_at(length, selected, 0.0))
        ),
        tr!(
            "The relevant bits are read as numbers, +1 or −1. The output differs from the mean of these numbers by at most {error}; the lemma guarantees a difference of at most 2T/e^R = {bound}, where T is the context length and R is the sharpness.",
            error = format!("{:.3}", error_at(length, selected, sharpness)),
            bound = format!("{:.3}", 2.0 * length as f64 * libm::exp(-sharpness))
        ),
        tr!(
            "Two neighbouring values of the mean differ by γ = {gamma}. A sharpness of R = ln(8T/γ) = {needed} guarantees an error of at most γ/4; {enough}. If the context length T doubles, this R increases by {more}.",
            gamma = format!("{gamma:.2}"),
            needed = format!("{needed:.2}"),
            enough,
            more = format!("{:.2}", std::f64::consts::LN_2)
        ),
        tr!(
            "‖W_Q‖ = R, ‖W_K‖ = √s = {root}, ‖W_V‖ = √2 and ‖W_C‖ = 1, where s is the number of relevant bits. If R = ln(8T/γ), the norms depend on the context length T only through ln T. The norms give an upper bound on the number of training examples that are needed for generalisation.",
            root = format!("{:.2}", libm::sqrt(selected as f64))
        ),
    ]
}

/// R = ln(8T/γ) against T, with what is chosen marked.
pub fn needed(selected: usize, chosen: (usize, f64)) -> Lines {
    let gamma = 2.0 / selected as f64;
    let lengths: Vec<usize> = (3..=11).map(|bits| 1 << bits).collect();
    let needed = Series {
        name: "R = ln(8T/γ)".into(),
        role: Role::Test,
        x: lengths.iter().map(|length| *length as f64).collect(),
        y: lengths.iter().map(|length| sharpness_for(*length, gamma) as f32).collect(),
        ..Default::default()
    };
    Lines {
        title: tr!("Sharpness that guarantees an error of at most γ/4").into(),
        x_label: tr!("context length T").into(),
        y_label: "R = ‖W_Q‖".into(),
        y_range: Some((0.0, SHARPEST)),
        log_x: true,
        series: vec![needed],
        references: vec![(chosen.1, format!("R = {:.1}", chosen.1))],
        marks: vec![(chosen.0 as f64, format!("T = {}", chosen.0))],
        ..Default::default()
    }
}

/// Sharpness up to which a chart goes.
const SHARPEST: f64 = 16.0;
/// Places at which a curve is drawn.
const PLACES: usize = 80;

/// Attention on the selected places against R, for each of these lengths, with what is chosen marked.
pub fn masses(lengths: &[usize], selected: usize, chosen: (usize, f64)) -> Lines {
    let curve = |length: &usize| {
        let x: Vec<f64> = (0..PLACES).map(|i| SHARPEST * i as f64 / (PLACES - 1) as f64).collect();
        Series {
            name: format!("T = {length}"),
            role: if *length == chosen.0 { Role::Test } else { Role::Other },
            y: x.iter().map(|r| mass_at(*length, selected, *r) as f32).collect(),
            x,
            ..Default::default()
        }
    };
    Lines {
        title: tr!("Attention on the relevant bits").into(),
        x_label: tr!("sharpness R = ‖W_Q‖").into(),
        y_label: tr!("share of attention").into(),
        x_range: Some((0.0, SHARPEST)),
        y_range: Some((0.0, 1.0)),
        series: lengths.iter().map(curve).collect(),
        marks: vec![(chosen.1, format!("R = {:.1}", chosen.1))],
        ..Default::default()
    }
}

/// The heads over `length` places that shatter log₂ `length` inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shattering {
    bits: u32,
}

impl Shattering {
    /// For 2^`bits` places.
    pub fn new(bits: u32) -> Self {
        Shattering { bits }
    }

    /// Places, which are as many as there are heads: T.
    pub fn length(self) -> usize {
        1 << self.bits
    }

    /// Inputs.
    pub fn inputs(self) -> usize {
        self.bits as usize
    }

    /// Component 3 of input `input` at place `at`: bit `input` of that number, the highest first.
    pub fn token(self, input: usize, at: usize) -> f64 {
        f64::from((at >> (self.inputs() - 1 - input) & 1) as u8)
    }

    /// How head `head` shares its attention, from the vectors themselves.
    pub fn shares(self, head: usize) -> Vec<f64> {
        let length = self.length() as f64;
        let on_circle = |at: usize| {
            let angle = 2.0 * std::f64::consts::PI * at as f64 / length;
            [libm::cos(angle), libm::sin(angle)]
        };
        let query = on_circle(head).map(|component| length * length * component);
        let mut shares: Vec<f64> = (0..self.length()).map(|at| dot(&query, &on_circle(at))).collect();
        softmax(&mut shares);
        shares
    }

    /// What head `head` says of input `input`.
    pub fn output(self, head: usize, input: usize) -> f64 {
        self.shares(head).iter().enumerate().map(|(at, share)| share * self.token(input, at)).sum()
    }

    /// Outputs less the threshold ½, a row for each head and a column for each input.
    pub fn grid(self) -> Grid {
        let rows = self.length();
        let values =
            (0..rows).flat_map(|s| (0..self.inputs()).map(move |i| (self.output(s, i) - 0.5) as f32));
        Grid {
            title: tr!("Output of every head on every input, minus ½").into(),
            x_label: tr!("input").into(),
            y_label: tr!("head number s").into(),
            rows,
            columns: self.inputs(),
            values: values.collect(),
            row_names: (0..rows).map(|s| s.to_string()).collect(),
            column_names: (1..=self.inputs()).map(|i| i.to_string()).collect(),
            ..Default::default()
        }
    }
}

/// Least attention on the target that proposition 4.8 promises: 1/(1 + √(π/8)).
pub fn promised() -> f64 {
    1.0 / (1.0 + libm::sqrt(std::f64::consts::PI / 8.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits at random, and both extremes.
    fn inputs(length: usize) -> Vec<Vec<bool>> {
        let stream = Stream::new(5, Purpose::Batch, 0);
        let drawn = |e: u64| (0..length).map(|i| stream.chance(e, i as u32, 0.5)).collect();
        (0..20).map(drawn).chain([vec![false; length], vec![true; length]]).collect()
    }

    #[test]
    fn a_selecting_head_is_within_its_bound_and_its_norms_are_those_of_the_lemma() {
        for (length, places) in [(300, vec![5, 20, 30]), (40, vec![0]), (25, vec![1, 2, 3, 4, 24])] {
            let selected = places.len() as f64;
            for sharpness in [0.0, 2.0, 5.0, 8.2, 12.0] {
                let head = SelectingHead::orthogonal(length, &places, sharpness);
                assert_eq!(head.delta(), 0.0);
                assert!((head.mass() - mass_at(length, places.len(), sharpness)).abs() < 1e-12);
                // The ℓ1 distance of lemma A.24.
                let distance = 2.0 * (1.0 - head.mass());
                assert!(distance <= head.bound(), "{length} {sharpness}: {distance} over {}", head.bound());
                for bits in inputs(length) {
                    let error = (head.output(&bits) - head.target(&bits)).abs();
                    assert!(error <= head.bound() + 1e-12, "{length} {sharpness}: {error}");
                }
                let norms = head.norms();
                assert!(norms.query <= sharpness && norms.key <= selected && norms.value <= 2.0);
                assert!((norms.key - libm::sqrt(selected)).abs() < 1e-12 && norms.out <= 1.0);
            }
        }
    }

    #[test]
    fn the_largest_error_is_reached() {
        let (length, places) = (30, [3, 7, 9]);
        for sharpness in [0.0, 1.0, 4.0, 9.0] {
            let head = SelectingHead::orthogonal(length, &places, sharpness);
            // All relevant bits of one kind, and all others of the other.
            let bits: Vec<bool> = (0..length).map(|i| places.contains(&i)).collect();
            let error = (head.output(&bits) - head.target(&bits)).abs();
            assert!((error - error_at(length, 3, sharpness)).abs() < 1e-12, "{sharpness}: {error}");
        }
        let said = texts(300, 3, 8.2).join(" ");
        assert!(
            said.starts_with("97.3 % of")
                && said.contains("= 8.19 guarantees")
                && said.contains("the sharpness of this head is at least ln(8T/γ)"),
            "{said}"
        );
        assert!(texts(300, 3, 8.0)[2].contains("the sharpness of this head is less than ln(8T/γ)"));
        assert_eq!(needed(3, (256, 8.0)).series[0].y.len(), 9);
        assert_eq!(masses(&[25, 300], 3, (300, 8.0)).series[1].role, Role::Test);
    }

    /// With R = ln(8T/γ) the error is at most γ/4, and a head half as sharp is not enough; R grows by ln 2 where T
    /// doubles.
    #[test]
    fn the_sharpness_that_is_needed_grows_like_the_logarithm() {
        let gamma = 2.0 / 3.0;
        let needed = sharpness_for(300, gamma);
        assert!((needed - 8.19).abs() < 0.01, "{needed}");
        let inputs = inputs(300);
        for (sharpness, is_enough) in [(needed, true), (needed / 2.0, false)] {
            let head = SelectingHead::orthogonal(300, &[4, 19, 29], sharpness);
            let worst = inputs.iter().map(|bits| (head.output(bits) - head.target(bits)).abs());
            assert_eq!(worst.fold(0.0, f64::max) <= gamma / 4.0, is_enough, "{sharpness}");
        }
        let doubled = sharpness_for(600, gamma) - needed;
        assert!((doubled - std::f64::consts::LN_2).abs() < 1e-12);
    }

    /// Where positions are not quite orthogonal, 1 − 2sΔ is what to divide by.
    #[test]
    fn nearly_orthogonal_positions_want_a_sharper_head() {
        let (length, places, gamma) = (60, [3, 20], 1.0);
        let head = |sharpness| SelectingHead::nearly_orthogonal(length, 4000, &places, sharpness, 1);
        let delta = head(1.0).delta();
        assert!((0.02..0.1).contains(&delta), "{delta}");
        let sharpness = sharpness_for(length, gamma) / (1.0 - 2.0 * 2.0 * delta);
        let head = head(sharpness);
        assert!((head.bound() - gamma / 4.0).abs() < 1e-9);
        for bits in inputs(length) {
            assert!((head.output(&bits) - head.target(&bits)).abs() <= gamma / 4.0);
        }
        // As the thesis prints it, its bound is missed.
        let printed = sharpness_for(length, gamma) / (1.0 - 2.0 * delta);
        let bound = 2.0 * length as f64 / libm::exp(printed * (1.0 - 4.0 * delta));
        assert!(bound > gamma / 4.0);
    }

    #[test]
    fn sixteen_heads_give_all_answers_to_four_inputs() {
        assert!((promised() - 0.615).abs() < 1e-3);
        for bits in 1..=6 {
            let heads = Shattering::new(bits);
            let mut answers: Vec<usize> = vec![];
            for s in 0..heads.length() {
                let shares = heads.shares(s);
                assert!(shares[s] >= promised(), "{bits} {s}: {}", shares[s]);
                let says = |input: usize| usize::from(heads.output(s, input) > 0.5);
                answers.push((0..heads.inputs()).fold(0, |answer, input| 2 * answer + says(input)));
            }
            assert_eq!(answers, (0..heads.length()).collect::<Vec<_>>(), "head s spells s");
        }
        let grid = Shattering::new(4).grid();
        assert_eq!((grid.rows, grid.columns, grid.values.len()), (16, 4, 64));
    }
}
