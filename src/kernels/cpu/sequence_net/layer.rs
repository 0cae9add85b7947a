//! One layer: a norm, attention, and an MLP behind it.

use super::attention::{Cells, Distances, Head, LEAD, Slopes, Span, Spare, Weighing};
use super::axis::{Axis, Matrix, Part, Vectors, place};
use super::norm::Norm;
use crate::cpu::dense::relu_backward;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::family::LayerPlaces;
use vivarium_operators::pointwise::{self, Function};

/// An MLP without biases.
#[derive(Debug, Clone)]
pub struct FeedForward {
    /// Positions that it is for.
    span: Span,
    norm: Option<Norm>,
    into: Matrix,
    out: Matrix,
    read: Vec<Row>,
    /// Derivative of GELU; empty for ReLU, whose derivative follows from its output.
    derivative: Vec<Row>,
    hidden: Vec<Row>,
    of_hidden: Vec<Row>,
}

/// What a layer is besides the places of its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerKind {
    /// Heads.
    pub heads: usize,
    /// Columns of the residual stream.
    pub width: usize,
    /// Neurons of the MLP, where there is one.
    pub hidden: usize,
    /// Whether their non-linearity is GPT-2's GELU, else it is ReLU.
    pub gelu: bool,
    /// Whether norms take the mean away.
    pub centred: bool,
    /// What becomes of scores.
    pub weighing: Weighing,
}

/// A layer with what it keeps of one sequence.
///
/// # Shapes
/// Activations are `[panel][position]`.
#[derive(Debug, Clone)]
pub struct Layer {
    at: LayerPlaces,
    weighing: Weighing,
    span: Span,
    /// Of the heads.
    pub axis: Axis,
    residual: Axis,
    /// Before attention.
    pub norm: Option<Norm>,
    /// W_Q, divided by √d_head.
    pub query: Matrix,
    /// W_K.
    pub key: Matrix,
    /// W_V.
    pub value: Matrix,
    /// R, after [`LEAD`] rows of zeros.
    pub distances: Option<Vectors>,
    /// W_O.
    pub out: Option<Matrix>,
    mlp: Option<FeedForward>,
    /// R once more, `[component][LANES + distance]`.
    turned: Vec<f32>,
    /// What the layer reads.
    pub z: Vec<Row>,
    read: Vec<Row>,
    /// Queries, keys and values.
    vectors: [Vec<Row>; 3],
    /// Of each head.
    pub shares: Vec<Cells>,
    heads: Vec<Row>,
}

/// Memory that layers share.
#[derive(Debug, Clone)]
pub struct Shared {
    spare: Vec<Spare>,
    of_heads: Vec<Row>,
    of_vectors: [Vec<Row>; 3],
    of_read: Vec<Row>,
}

impl Shared {
    /// For layers of `axes`.
    pub fn new(axes: &[Axis], residual: Axis, span: Span) -> Self {
        let widest = axes.iter().map(|axis| axis.panels()).max().unwrap_or(1) * span.stride();
        let wide = vec![Row::ZERO; widest];
        Shared {
            spare: axes.iter().map(|axis| Spare::new(*axis, span)).collect(),
            of_heads: wide.clone(),
            of_vectors: [wide.clone(), wide.clone(), wide],
            of_read: vec![Row::ZERO; residual.panels() * span.stride()],
        }
    }
}

impl Layer {
    /// A layer with its parameters at the places `at`, whose attention is at the positions of `span` and whose MLP at those
    /// of `thinking`, which may be fewer.
    pub fn new(at: LayerPlaces, kind: LayerKind, span: Span, thinking: Span) -> Self {
        let LayerKind { heads, width, hidden, gelu, centred, weighing } = kind;
        let axis = Axis { groups: heads, size: width / heads };
        let residual = Axis::plain(width);
        let stride = span.stride();
        let matrix = |scale: f32| Matrix::new(residual, axis, scale);
        let rows = |axis: Axis| vec![Row::ZERO; axis.panels() * stride];
        let mlp = at.mlp.map(|_| {
            let (wide, stride) = (Axis::plain(hidden), thinking.stride());
            let rows = |axis: Axis| vec![Row::ZERO; axis.panels() * stride];
            FeedForward {
                span: thinking,
                norm: at.mlp_gain.map(|_| Norm::new(residual, stride, centred)),
                into: Matrix::new(residual, wide, 1.0),
                out: Matrix::new(wide, residual, 1.0),
                read: rows(residual),
                derivative: if gelu { rows(wide) } else { vec![] },
                hidden: rows(wide),
                of_hidden: rows(wide),
            }
        });
        Layer {
            at,
            weighing,
            span,
            axis,
            residual,
            norm: at.gain.map(|_| Norm::new(residual, stride, centred)),
            query: matrix(1.0 / (axis.size as f32).sqrt()),
            key: matrix(1.0),
            value: matrix(1.0),
            distances: at.distances.map(|_| Vectors::new(axis, span.length, LEAD, LEAD + stride, false)),
            out: at.out.map(|_| Matrix::new(axis, residual, 1.0)),
            mlp,
            turned: match at.distances {
                Some(_) => vec![0.0; axis.rows() * (LANES + stride)],
                None => vec![],
            },
            z: rows(residual),
            read: rows(residual),
            vectors: [rows(axis), rows(axis), rows(axis)],
            shares: vec![Cells::new(span); heads],
            heads: rows(axis),
        }
    }

    /// Takes the parameters.
    pub fn load(&mut self, parameters: &[Vec<Row>]) {
        let at = self.at;
        let matrices = [(&mut self.query, at.query), (&mut self.key, at.key), (&mut self.value, at.value)];
        for (matrix, at) in matrices {
            matrix.load(&parameters[at]);
        }
        if let (Some(matrix), Some(at)) = (&mut self.out, at.out) {
            matrix.load(&parameters[at]);
        }
        if let (Some(norm), Some(at)) = (&mut self.norm, at.gain) {
            norm.gain.load(&parameters[at]);
        }
        if let (Some(mlp), Some([into, out])) = (&mut self.mlp, at.mlp) {
            mlp.into.load(&parameters[into]);
            mlp.out.load(&parameters[out]);
            if let (Some(norm), Some(at)) = (&mut mlp.norm, at.mlp_gain) {
                norm.gain.load(&parameters[at]);
            }
        }
        if let (Some(near), Some(at)) = (&mut self.distances, at.distances) {
            near.load(&parameters[at]);
            let width = LANES + self.span.stride();
            let panels = near.values.chunks_exact(near.stride);
            for (near, turned) in panels.zip(self.turned.chunks_exact_mut(self.axis.deep() * width)) {
                for (l, turned) in turned.chunks_exact_mut(width).enumerate() {
                    for (x, near) in turned[LANES..].iter_mut().zip(&near[LEAD..]) {
                        *x = near.0[l];
                    }
                }
            }
        }
    }

    /// Writes the gradients.
    pub fn unload(&self, gradients: &mut [Vec<Row>]) {
        let at = self.at;
        for (matrix, at) in [(&self.query, at.query), (&self.key, at.key), (&self.value, at.value)] {
            matrix.unload(&mut gradients[at]);
        }
        if let (Some(matrix), Some(at)) = (&self.out, at.out) {
            matrix.unload(&mut gradients[at]);
        }
        if let (Some(norm), Some(at)) = (&self.norm, at.gain) {
            norm.gain.unload(&mut gradients[at]);
        }
        if let (Some(near), Some(at)) = (&self.distances, at.distances) {
            near.unload(&mut gradients[at]);
        }
        if let (Some(mlp), Some([into, out])) = (&self.mlp, at.mlp) {
            mlp.into.unload(&mut gradients[into]);
            mlp.out.unload(&mut gradients[out]);
            if let (Some(norm), Some(at)) = (&mlp.norm, at.mlp_gain) {
                norm.gain.unload(&mut gradients[at]);
            }
        }
    }

    /// Adds what the slopes in queries, keys and values say of their matrices.
    pub fn learn(&mut self, read: &[Row], of: [&[Row]; 3], stride: usize, count: usize) {
        self.query.learn(read, of[0], stride, count);
        self.key.learn(read, of[1], stride, count);
        self.value.learn(read, of[2], stride, count);
    }

    /// Adds what attention brings at the positions from block `first` on to `z`; heads that are `off` bring nothing.
    pub fn attend(&mut self, shared: &mut Shared, which: usize, first: usize, off: &[usize], z: &mut [Row]) {
        let (stride, count) = (self.span.stride(), self.span.count());
        let read = match &mut self.norm {
            Some(norm) => {
                norm.forward(&self.z, 0, count, &mut self.read);
                &self.read
            }
            None => &self.z,
        };
        let (some, each) = (first * LANES..count, self.axis.each());
        let [query, key, value] = &mut self.vectors;
        self.query.forward(read, stride, some.clone(), query, false);
        self.key.forward(read, stride, 0..count, key, false);
        self.value.forward(read, stride, 0..count, value, false);
        for head in 0..self.axis.groups {
            let near = self.distances.as_ref().map(|near| near.part(head * each..(head + 1) * each));
            let look = look((self.axis, self.weighing), self.span, &self.vectors, (near, &self.turned), head);
            let heads = &mut self.heads[head * each * stride..(head + 1) * each * stride];
            look.forward(first, &mut self.shares[head], &mut shared.spare[which], heads);
            if off.contains(&head) {
                heads.fill(Row::ZERO);
            }
        }
        match &self.out {
            Some(out) => out.forward(&self.heads, stride, some, z, true),
            None => place(self.axis, &self.heads, self.residual, z, stride, count, true),
        }
    }

    /// Adds to the slopes in what the layer reads, `of_z`, those that come through attention, given the slopes in
    /// what attention adds to, which are the same numbers.
    pub fn attend_back(&mut self, shared: &mut Shared, which: usize, of_z: &mut [Row]) {
        let (stride, count) = (self.span.stride(), self.span.count());
        let Shared { spare, of_heads, of_vectors, of_read } = shared;
        let (panels, each) = (self.axis.panels() * stride, self.axis.each());
        let of_heads = &mut of_heads[..panels];
        match &mut self.out {
            Some(out) => {
                out.learn(&self.heads, of_z, stride, count);
                out.backward(of_z, stride, 0..count, of_heads, false);
            }
            None => place(self.residual, of_z, self.axis, of_heads, stride, count, false),
        }
        let [of_query, of_key, of_value] = of_vectors;
        for head in 0..self.axis.groups {
            let (near, learnt) = match &mut self.distances {
                Some(near) => {
                    let (near, learnt) = near.split(head * each..(head + 1) * each);
                    (Some(near), Some(learnt))
                }
                None => (None, None),
            };
            let look = look((self.axis, self.weighing), self.span, &self.vectors, (near, &self.turned), head);
            let own = head * each * stride..(head + 1) * each * stride;
            let slopes = Slopes {
                out: &of_heads[own.clone()],
                query: &mut of_query[own.clone()],
                key: &mut of_key[own.clone()],
                value: &mut of_value[own],
                distances: learnt,
            };
            look.backward(&self.shares[head], &mut spare[which], slopes);
        }
        let of = [&of_query[..panels], &of_key[..panels], &of_value[..panels]];
        let read = if self.norm.is_some() { &self.read } else { &self.z };
        self.query.learn(read, of[0], stride, count);
        self.key.learn(read, of[1], stride, count);
        self.value.learn(read, of[2], stride, count);
        let all = 0..count;
        match &mut self.norm {
            Some(norm) => {
                self.query.backward(of[0], stride, all.clone(), of_read, false);
                self.key.backward(of[1], stride, all.clone(), of_read, true);
                self.value.backward(of[2], stride, all, of_read, true);
                norm.backward(of_read, count, of_z);
            }
            None => {
                self.query.backward(of[0], stride, all.clone(), of_z, true);
                self.key.backward(of[1], stride, all.clone(), of_z, true);
                self.value.backward(of[2], stride, all, of_z, true);
            }
        }
    }

    /// Adds what the MLP brings at the positions from `from` on to `z`.
    pub fn think(&mut self, from: usize, z: &mut [Row]) {
        let Some(mlp) = &mut self.mlp else { return };
        let (stride, count) = (mlp.span.stride(), mlp.span.count());
        match &mut mlp.norm {
            Some(norm) => norm.forward(z, from, count, &mut mlp.read),
            None => mlp.read.copy_from_slice(z),
        }
        mlp.into.forward(&mlp.read, stride, from..count, &mut mlp.hidden, false);
        for (panel, hidden) in mlp.hidden.chunks_exact_mut(stride).enumerate() {
            let hidden = &mut hidden[from..count];
            match mlp.derivative.get_mut(panel * stride..) {
                Some(derivative) if !derivative.is_empty() => {
                    let derivative = &mut derivative[from..count];
                    pointwise::forward_simd_with_derivative(Function::Gelu, &[], hidden, derivative);
                }
                // NaN stays NaN.
                _ => hidden.iter_mut().for_each(|h| *h = h.map(|h| if h > 0.0 { h } else { h * 0.0 })),
            }
        }
        mlp.out.forward(&mlp.hidden, stride, from..count, z, true);
    }

    /// Adds to the slopes in what the MLP reads those that come through it.
    pub fn think_back(&mut self, shared: &mut Shared, of_z: &mut [Row]) {
        let Some(mlp) = &mut self.mlp else { return };
        let (stride, count) = (mlp.span.stride(), mlp.span.count());
        mlp.out.learn(&mlp.hidden, of_z, stride, count);
        mlp.out.backward(of_z, stride, 0..count, &mut mlp.of_hidden, false);
        match mlp.derivative.is_empty() {
            true => relu_backward(&mlp.hidden, &mut mlp.of_hidden),
            false => pointwise::backward_simd(&mlp.derivative, &mut mlp.of_hidden),
        }
        mlp.into.learn(&mlp.read, &mlp.of_hidden, stride, count);
        match &mut mlp.norm {
            Some(norm) => {
                mlp.into.backward(&mlp.of_hidden, stride, 0..count, &mut shared.of_read, false);
                norm.backward(&shared.of_read, count, of_z);
            }
            None => mlp.into.backward(&mlp.of_hidden, stride, 0..count, of_z, true),
        }
    }
}

/// One head's part of a layer.
#[inline(always)]
fn look<'a>(
    (axis, weighing): (Axis, Weighing),
    span: Span,
    vectors: &'a [Vec<Row>; 3],
    (near, turned): (Option<Part<'a>>, &'a [f32]),
    head: usize,
) -> Head<'a> {
    let (each, stride) = (axis.each(), span.stride());
    let panels = head * each..(head + 1) * each;
    let [query, key, value] =
        [0, 1, 2].map(|part: usize| &vectors[part][panels.start * stride..panels.end * stride]);
    let width = LANES + stride;
    let component = axis.deep() * width;
    let distances = near.map(|(rows, stride)| Distances {
        rows,
        stride,
        turned: &turned[panels.start * component..panels.end * component],
        width,
    });
    Head { weighing, axis: Axis::plain(axis.size), span, query, key, value, distances }
}
