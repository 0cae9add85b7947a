//! Functions of each number by itself. k ≥ 1 is the degree:
//!
//! ```text
//! out = σ(x)                                                  grad_x = grad_out σ'(x)
//!
//! relu         max(0, x)                                      derivative 0 at x = 0
//! power        x^k
//! zigzag       (−1)^j (1 + x − p_j) on p_{j+1} < x ≤ p_j, where p_j = k − 2j; the outer of the k segments, j = 0
//!              and j = k − 1, extend to infinity              at a kink the derivative is that of the segment below
//! wave         1 − 4|t|, where t = (x − k)/4 − ⌊(x − k)/4 + 1/2⌋
//!                                                             derivative −sign(t): 0 at the tops, where t = 0,
//!                                                             and 1 at the bottoms, where t = −1/2
//! oscillating  Σ_m (−1)^(k+m)/m! · Π_{i<m} (x + k − 2i)       through the points (p_j, (−1)^j), j = 0..k
//! sine         sin(πx/2 + π/2 − πk/2)
//! gelu         x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2     GPT-2's (Hendrycks and Gimpel 2016)
//! normal gelu  x Φ(x), Φ the distribution function of a standard normal number
//! ```
//!
//! Zigzag, wave, oscillating polynomial and sine are the parity of k signs as a function of their sum (Edelman 2024, appendix B.4.1): the sum of k signs of
//! which j are negative is k − 2j.
//!
//! # Why
//! Every form in Rust takes the derivatives above at the kinks, so that all executions agree there too. The rectified linear
//! function has forms of its own in [`relu`](crate::relu), which need no memory for the derivative.

use crate::matrix::Matrix;
use crate::simd::{LANES, Row, exp, normal_cdf, row_by_row, tanh, wide};

/// A function of one number, with its degree k.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// max(0, x).
    Relu,
    /// x to the power of the degree.
    Power(usize),
    /// Piecewise linear through alternating points, its ends extended.
    Zigzag(usize),
    /// Triangle wave of period 4.
    Wave(usize),
    /// Polynomial through alternating points.
    Oscillating(usize),
    /// Sine of period 4.
    Sine(usize),
    /// The Gaussian error linear unit with a hyperbolic tangent.
    Gelu,
    /// The Gaussian error linear unit with the normal distribution.
    NormalGelu,
}

/// √(2/π).
const GELU_SCALE: f64 = 0.797_884_560_802_865_4;
/// The factor of x³.
const GELU_CUBE: f64 = 0.044_715;

impl Function {
    /// σ(x) and σ'(x) in double precision.
    pub fn value_and_derivative(self, x: f64) -> (f64, f64) {
        match self {
            Function::Relu if x > 0.0 => (x, 1.0),
            // NaN stays NaN.
            Function::Relu => (x * 0.0 + 0.0, 0.0),
            Function::Power(degree) => {
                let below = (1..degree).fold(1.0, |power, _| power * x);
                (below * x, degree as f64 * below)
            }
            Function::Zigzag(degree) => {
                let k = degree as f64;
                let j = libm::floor((k - x) / 2.0).clamp(0.0, k - 1.0);
                let derivative = if j % 2.0 == 0.0 { 1.0 } else { -1.0 };
                (derivative * (1.0 + x - (k - 2.0 * j)), derivative)
            }
            // By the distance from the top on the left.
            Function::Wave(degree) => match (x - degree as f64).rem_euclid(4.0) {
                0.0 => (1.0, 0.0),
                distance if distance < 2.0 => (1.0 - distance, -1.0),
                distance => (distance - 3.0, 1.0),
            },
            Function::Oscillating(degree) => {
                let horner = |(value, derivative), c: &f64| (value * x + c, derivative * x + value);
                interpolant(degree).iter().rev().fold((0.0, 0.0), horner)
            }
            Function::Sine(degree) => {
                let half = std::f64::consts::FRAC_PI_2;
                let angle = half * (x + 1.0 - degree as f64);
                (libm::sin(angle), half * libm::cos(angle))
            }
            Function::Gelu => {
                let tanh = libm::tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x));
                let inner = GELU_SCALE * (1.0 + 3.0 * GELU_CUBE * x * x);
                (0.5 * x * (1.0 + tanh), 0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner)
            }
            Function::NormalGelu => {
                let below = 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
                let density = libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * std::f64::consts::PI);
                (x * below, below + x * density)
            }
        }
    }

    /// Coefficients of the polynomial for the forms in vectors, the constant first; empty for other functions.
    pub fn coefficients(self) -> Vec<f32> {
        match self {
            Function::Oscillating(degree) => interpolant(degree).iter().map(|c| *c as f32).collect(),
            _ => vec![],
        }
    }

    /// σ of the expression `x` in a PyTorch script, with [`Function::python_definition`].
    pub fn python(self, x: &str) -> String {
        match self {
            Function::Relu => format!("torch.relu({x})"),
            Function::Power(k) => format!("torch.pow({x}, {k})"),
            Function::Zigzag(k) => format!("zigzag({x}, {k})"),
            Function::Wave(k) => format!("wave({x}, {k})"),
            Function::Oscillating(k) => format!("oscillating({x}, {k})"),
            Function::Sine(k) => format!("sine({x}, {k})"),
            Function::Gelu => format!("torch.nn.functional.gelu({x}, approximate=\"tanh\")"),
            Function::NormalGelu => format!("torch.nn.functional.gelu({x})"),
        }
    }

    /// The function of a PyTorch script that [`Function::python`] calls; empty where it calls one of PyTorch.
    pub fn python_definition(self) -> &'static str {
        match self {
            Function::Relu | Function::Power(_) | Function::Gelu | Function::NormalGelu => "",
            Function::Zigzag(_) => {
                "\
def zigzag(x, k):
    \"\"\"Lines through (k − 2j, (−1)^j); the outer ones extend to infinity.\"\"\"
    j = torch.floor((k - x.detach()) / 2).clamp(0, k - 1)
    return (1 - 2 * (j % 2)) * (1 + x - (k - 2 * j))


"
            }
            Function::Wave(_) => {
                "\
def wave(x, k):
    \"\"\"The triangle wave of period 4.\"\"\"
    distance = (x - k) % 4
    return torch.where(distance < 2, 1 - distance, distance - 3)


"
            }
            Function::Oscillating(_) => {
                "\
def oscillating(x, k):
    \"\"\"The polynomial through (k − 2j, (−1)^j), in Newton's form.\"\"\"
    total, product, weight = 0, torch.ones_like(x), (-1.0) ** k
    for m in range(k + 1):
        total = total + weight * product
        product, weight = product * (x + k - 2 * m), -weight / (m + 1)
    return total


"
            }
            Function::Sine(_) => {
                "\
def sine(x, k):
    return torch.sin(math.pi / 2 * (x + 1 - k))


"
            }
        }
    }
}

/// Coefficients c_0 to c_k of the polynomial of degree k through (k − 2j, (−1)^j) for j from 0 to k.
///
/// Newton's form over the points from −k upwards has the divided differences (−1)^(k+m)/m!, so that k! times
/// the polynomial has whole coefficients: they are summed without rounding, and c_k−1, c_k−3 and so on are zero.
pub fn interpolant(k: usize) -> Vec<f64> {
    let factorial: i64 = (1..=k as i64).product();
    let mut sum = vec![0i64; k + 1];
    let mut product = vec![1i64]; // Π_{i<m} (x + k − 2i), the constant first
    let mut weight = if k.is_multiple_of(2) { factorial } else { -factorial }; // (−1)^(k+m) k!/m!
    for m in 0..=k as i64 {
        for (c, p) in sum.iter_mut().zip(&product) {
            *c += weight * p;
        }
        weight = -weight / (m + 1);
        let shift = k as i64 - 2 * m;
        product.push(0);
        for i in (0..product.len()).rev() {
            product[i] = shift * product[i] + if i > 0 { product[i - 1] } else { 0 };
        }
    }
    sum.into_iter().map(|c| c as f64 / factorial as f64).collect()
}

/// σ(x).
pub fn forward(x: &Matrix, function: Function) -> Matrix {
    let value = |x: &f64| function.value_and_derivative(*x).0;
    Matrix { values: x.values.iter().map(value).collect(), ..*x }
}

/// The gradient of x.
pub fn backward(x: &Matrix, function: Function, grad_output: &Matrix) -> Matrix {
    let product = |(x, grad): (&f64, &f64)| function.value_and_derivative(*x).1 * grad;
    Matrix { values: x.values.iter().zip(&grad_output.values).map(product).collect(), ..*x }
}

wide! {
    /// Replaces each x by σ(x); `coefficients` are those of [`Function::coefficients`].
    pub fn forward_simd(function: Function, coefficients: &[f32], x: &mut [Row]) {
        apply::<false>(function, coefficients, x, &mut []);
    }
}

wide! {
    /// As [`forward_simd`], and writes σ'(x) into `derivative`.
    pub fn forward_simd_with_derivative(function: Function, coefficients: &[f32], x: &mut [Row], derivative: &mut [Row]) {
        apply::<true>(function, coefficients, x, derivative);
    }
}

wide! {
    /// Multiplies the gradient of the output by σ'(x), which makes it that of x.
    pub fn backward_simd(derivative: &[Row], gradient: &mut [Row]) {
        for (gradient, derivative) in gradient.iter_mut().zip(derivative) {
            row_by_row();
            *gradient = gradient.zip(*derivative, |gradient, derivative| gradient * derivative);
        }
    }
}

/// 1 if true.
#[inline(always)]
fn one(on: bool) -> f32 {
    if on { 1.0 } else { 0.0 }
}

/// σ and σ' on the segment of the zigzag that z lies on.
#[inline(always)]
fn zigzag(z: f32, top: f32) -> (f32, f32) {
    let segment = (0.5 * (top - z)).floor();
    // By comparison, so that what is no number stays none.
    let segment = if segment < 0.0 { 0.0 } else { segment };
    let segment = if segment > top - 1.0 { top - 1.0 } else { segment };
    let derivative = 1.0 - 2.0 * (segment - 2.0 * (0.5 * segment).floor());
    (derivative * (1.0 + (z - (top - 2.0 * segment))), derivative)
}

/// The triangle wave and its derivative, from the distance to the nearest top.
#[inline(always)]
fn wave(z: f32, top: f32) -> (f32, f32) {
    let shifted = (z - top) * 0.25;
    let t = shifted - (shifted + 0.5).floor();
    (1.0 - 4.0 * t.abs(), one(t < 0.0) - one(t > 0.0))
}

/// cos(πt/2) and its derivative, by Taylor's series around the nearest whole t, where it ends below rounding.
#[inline(always)]
fn cosine(t: f32) -> (f32, f32) {
    const HALF: f32 = std::f32::consts::FRAC_PI_2;
    let quarter = (t + 0.5).floor();
    let x = (t - quarter) * HALF; // |x| ≤ π/4
    let s = x * x;
    let tail = 1.0 / 120.0 + s * (-1.0 / 5040.0 + s * (1.0 / 362_880.0));
    let sin = x + x * s * (-1.0 / 6.0 + s * tail);
    let tail = 1.0 / 24.0 + s * (-1.0 / 720.0 + s * (1.0 / 40_320.0));
    let cos = 1.0 + s * (-0.5 + s * tail);
    // cos(x + qπ/2) is cos, −sin, −cos, sin for q = 0, 1, 2, 3, and sin(x + qπ/2) is the one before.
    let q = quarter - 4.0 * (0.25 * quarter).floor();
    let odd = q == 1.0 || q == 3.0;
    let value = if odd { sin } else { cos };
    let other = if odd { cos } else { sin };
    let value = if q == 1.0 || q == 2.0 { -value } else { value };
    let other = if q >= 2.0 { -other } else { other };
    (value, -HALF * other)
}

/// Replaces each row by σ of the row and, if `DERIVATIVE`, writes σ' into the other rows; `$sigma` gives both for a number.
///
/// # Why
/// A closure of this length is not inlined, and what is not inlined has no vectors: 48 networks of one sine ran at
/// 1,125 steps/s instead of 3,340 (batches of 128, one core of an Intel Xeon, 2026-11-26). Two loops, since a loop that makes
/// pairs does not become vectors either.
macro_rules! lane_by_lane {
    ($z:ident, $derivative:ident, |$number:ident| $sigma:expr) => {
        if DERIVATIVE {
            for (z, derivative) in $z.iter_mut().zip($derivative) {
                for ($number, derivative) in z.0.into_iter().zip(&mut derivative.0) {
                    *derivative = $sigma.1;
                }
                for z in &mut z.0 {
                    let $number = *z;
                    *z = $sigma.0;
                }
            }
        } else {
            for z in $z.iter_mut().flat_map(|z| &mut z.0) {
                let $number = *z;
                *z = $sigma.0;
            }
        }
    };
}

/// Replaces each x by σ(x) and, if `DERIVATIVE`, writes σ'(x) into `derivative`, inside a function in vectors.
#[inline(always)]
pub fn apply<const DERIVATIVE: bool>(
    function: Function,
    coefficients: &[f32],
    x: &mut [Row],
    derivative: &mut [Row],
) {
    // Equal for a period, and small enough to lose no digits of x.
    let phase = |shift: usize| (shift % 4) as f32;
    match function {
        Function::Relu => each::<DERIVATIVE>(x, derivative, |x| {
            let on = one(x > 0.0);
            (x * on, on)
        }),
        Function::Power(degree) => rows::<DERIVATIVE>(x, derivative, |x| {
            let below = (1..degree).fold(Row([1.0; LANES]), |power, _| power.zip(x, |a, b| a * b));
            (below.zip(x, |a, b| a * b), below * degree as f32)
        }),
        Function::Zigzag(degree) => {
            let top = degree as f32;
            lane_by_lane!(x, derivative, |x| zigzag(x, top));
        }
        Function::Wave(degree) => {
            let top = phase(degree);
            lane_by_lane!(x, derivative, |x| wave(x, top));
        }
        Function::Oscillating(_) => rows::<DERIVATIVE>(x, derivative, |x| {
            coefficients.iter().rev().fold((Row::ZERO, Row::ZERO), |(value, derivative), c| {
                let derivative = derivative.zip(x, |s, x| s * x) + value;
                (value.zip(x, |v, x| v * x + c), derivative)
            })
        }),
        Function::Sine(degree) => {
            let top = phase(degree);
            lane_by_lane!(x, derivative, |x| cosine(x - top));
        }
        Function::Gelu => gelu::<DERIVATIVE>(x, derivative),
        Function::NormalGelu => normal_gelu::<DERIVATIVE>(x, derivative),
    }
}

#[inline(always)]
fn gelu<const DERIVATIVE: bool>(x: &mut [Row], derivative: &mut [Row]) {
    const SCALE: f32 = GELU_SCALE as f32;
    const CUBE: f32 = GELU_CUBE as f32;
    let tanh_of = |x: Row| tanh(x.map(|x| SCALE * (x + CUBE * x * x * x)));
    let value = |x: Row, tanh: Row| x.zip(tanh, |x, tanh| 0.5 * x * (1.0 + tanh));
    if !DERIVATIVE {
        for x in x {
            row_by_row();
            *x = value(*x, tanh_of(*x));
        }
        return;
    }
    for (x, derivative) in x.iter_mut().zip(derivative) {
        row_by_row();
        let tanh = tanh_of(*x);
        let inner = x.map(|x| 0.5 * x * SCALE * (1.0 + 3.0 * CUBE * x * x));
        let of_tanh = inner.zip(tanh, |inner, tanh| inner * (1.0 - tanh * tanh));
        *derivative = of_tanh.zip(tanh, |of_tanh, tanh| of_tanh + 0.5 * (1.0 + tanh));
        *x = value(*x, tanh);
    }
}

#[inline(always)]
fn normal_gelu<const DERIVATIVE: bool>(x: &mut [Row], derivative: &mut [Row]) {
    /// 1/√(2π).
    const DENSITY: f32 = 0.398_942_3;
    if !DERIVATIVE {
        for x in x {
            row_by_row();
            *x = x.zip(normal_cdf(*x), |x, below| x * below);
        }
        return;
    }
    for (x, derivative) in x.iter_mut().zip(derivative) {
        row_by_row();
        let below = normal_cdf(*x);
        let density = exp(x.map(|x| -0.5 * x * x)).map(|e| e * DENSITY);
        *derivative = below + x.zip(density, |x, density| x * density);
        *x = x.zip(below, |x, below| x * below);
    }
}

#[inline(always)]
fn rows<const DERIVATIVE: bool>(z: &mut [Row], derivative: &mut [Row], f: impl Fn(Row) -> (Row, Row)) {
    if DERIVATIVE {
        for (z, derivative) in z.iter_mut().zip(derivative) {
            (*z, *derivative) = f(*z);
        }
    } else {
        for z in z.iter_mut() {
            *z = f(*z).0;
        }
    }
}

#[inline(always)]
fn each<const DERIVATIVE: bool>(z: &mut [Row], derivative: &mut [Row], f: impl Fn(f32) -> (f32, f32)) {
    // Two maps, since a loop that makes pairs does not become vectors.
    rows::<DERIVATIVE>(z, derivative, |z| (z.map(|z| f(z).0), z.map(|z| f(z).1)));
}

#[cfg(feature = "train")]
mod tensors {
    use burn::tensor::Tensor;
    use burn::tensor::activation::{relu, sigmoid};

    use super::{Function, GELU_CUBE, GELU_SCALE, interpolant};

    impl Function {
        /// σ of every number of a tensor.
        ///
        /// # Shapes
        /// Any, kept.
        pub fn forward_tensors(self, x: Tensor<3>) -> Tensor<3> {
            match self {
                Function::Relu => relu(x),
                // By multiplication: a power function is NaN for negative bases on some GPUs.
                Function::Power(degree) => (1..degree).fold(x.clone(), |power, _| power * x.clone()),
                Function::Zigzag(degree) => zigzag(degree, x),
                Function::Wave(degree) => {
                    let t = offset_in_period(x, degree);
                    (relu(t.clone()) + relu(-t)) * -4.0 + 1.0
                }
                Function::Oscillating(degree) => oscillating(degree, x),
                Function::Sine(degree) => (offset_in_period(x, degree - 1) * std::f64::consts::TAU).sin(),
                // (1 + tanh u) / 2 is the logistic function of 2u, whose values are right for large u on every device.
                Function::Gelu => {
                    let cube = x.clone() * x.clone() * x.clone();
                    let twice = (x.clone() + cube * GELU_CUBE as f32) * (2.0 * GELU_SCALE) as f32;
                    x * sigmoid(twice)
                }
                // Not Burn's: its gradient on GPUs is that of the approximation by tanh (burn 0.22).
                Function::NormalGelu => {
                    let below = ((x.clone() * std::f32::consts::FRAC_1_SQRT_2).erf() + 1.0) * 0.5;
                    x * below
                }
            }
        }
    }

    /// The lowest segment, and at each kink a rectified linear function that changes the derivative by ±2.
    fn zigzag(degree: usize, z: Tensor<3>) -> Tensor<3> {
        let derivative = if degree.is_multiple_of(2) { -1.0 } else { 1.0 };
        let lowest = (z.clone() + (degree as f32 - 1.0)) * derivative;
        let mut change = -2.0 * derivative;
        (1..degree).fold(lowest, |sum, i| {
            let kink = 2.0 * i as f32 - degree as f32;
            let bent = sum + relu(z.clone() - kink) * change;
            change = -change;
            bent
        })
    }

    /// Horner's rule; every other coefficient is zero and not added.
    fn oscillating(degree: usize, z: Tensor<3>) -> Tensor<3> {
        let coefficients = interpolant(degree);
        let mut sum = z.clone() * coefficients[degree];
        for i in (0..degree).rev() {
            if coefficients[i] != 0.0 {
                sum = sum + coefficients[i];
            }
            if i > 0 {
                sum = sum * z.clone();
            }
        }
        sum
    }

    /// (z − top)/4 less the nearest whole number, from −1/2 on and below 1/2: where in its period z is.
    ///
    /// The sine needs it as well, since WGSL promises sines only between −π and π.
    fn offset_in_period(z: Tensor<3>, top: usize) -> Tensor<3> {
        // The remainder keeps the digits that z loses in a subtraction.
        let t = (z - (top % 4) as f32) * 0.25;
        let whole = (t.clone() + 0.5).detach().floor();
        t - whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolants_are_the_printed_polynomials() {
        assert_eq!(interpolant(1), [0.0, 1.0]);
        assert_eq!(interpolant(2), [-1.0, 0.0, 0.5]);
        assert_eq!(interpolant(3), [0.0, -7.0 / 6.0, 0.0, 1.0 / 6.0]);
        for k in 1..=8 {
            assert_eq!(interpolant(k).len(), k + 1);
            for j in 0..=k {
                let z = k as f64 - 2.0 * j as f64;
                let value: f64 = interpolant(k).iter().enumerate().map(|(i, c)| c * z.powi(i as i32)).sum();
                let expected = if j % 2 == 0 { 1.0 } else { -1.0 };
                assert!((value - expected).abs() < 1e-12, "k = {k}: {value} at {z}");
            }
        }
    }

    #[test]
    fn gelu_of_the_normal_distribution_is_that_of_libm() {
        for i in -90_000..=90_000 {
            let x = i as f32 * 1e-4;
            let (mut rows, mut derivatives) = ([Row([x; LANES])], [Row::ZERO]);
            forward_simd_with_derivative(Function::NormalGelu, &[], &mut rows, &mut derivatives);
            let wide = f64::from(x);
            let below = 0.5 * libm::erfc(-wide * std::f64::consts::FRAC_1_SQRT_2);
            let density = libm::exp(-0.5 * wide * wide) / libm::sqrt(2.0 * std::f64::consts::PI);
            let [found, derivative] = [rows[0].0[3], derivatives[0].0[3]].map(f64::from);
            // The square in the exponent has the digits of single precision.
            let exact = wide * below;
            let error = 1e-6 * (1.0 + 0.5 * wide * wide);
            assert!((found - exact).abs() <= error * exact.abs(), "{x}: {found} {exact}");
            let exact = below + wide * density;
            assert!(
                (derivative - exact).abs() <= error * (below + (wide * density).abs()),
                "{x}: {derivative} {exact}"
            );
            let mut alone = [Row([x; LANES])];
            forward_simd(Function::NormalGelu, &[], &mut alone);
            assert_eq!(alone, rows);
        }
    }
}
