//! Attention-only transformers, one sequence after the other.

use super::attention::{Span, Weighing};
use super::axis::{Axis, Vectors};
use super::layer::{Layer, LayerKind, Shared};
use super::norm::Norm;
use super::products::{TILE_ROWS, ZERO_SUMS, inner, outer, store, sums_of, transpose};
use super::sequence::Sequence;
use super::symbols;
use super::table::Table;
use crate::cpu::one_hidden_layer::{LANES, Row};
use vivarium_model::models::family::{AttentionLayers, Places};
use vivarium_operators::simd::wide;

/// A transformer with what it keeps of one sequence.
#[derive(Debug, Clone)]
pub struct Transformer {
    alphabet: usize,
    places: Places,
    residual: Axis,
    span: Span,
    embed: Vectors,
    positions: Option<Vectors>,
    layers: Vec<Layer>,
    norm: Option<Norm>,
    readout: Vectors,
    /// The first layer, where it knows symbols and distances alone.
    table: Option<Table>,
    /// Whether it is used with the parameters of the moment.
    tabled: bool,
    shared: Shared,
    /// The residual stream, and the slopes in it.
    z: Vec<Row>,
    of_z: Vec<Row>,
    /// What is read out, and the slopes in it.
    read: Vec<Row>,
    of_read: Vec<Row>,
    turned: Vec<Row>,
    /// Logits or the slopes in them, `[block][symbol]`.
    pub logits: Vec<Row>,
}

impl Transformer {
    /// A transformer of these layers whose parameters are zero.
    pub fn new(net: &AttentionLayers, alphabet: usize, length: usize) -> Self {
        let (places, span, residual) = (net.places(), Span::new(length), Axis::plain(net.hidden));
        let stride = span.stride();
        let kind = |heads| LayerKind {
            heads,
            width: net.hidden,
            hidden: 4 * net.hidden,
            gelu: false,
            centred: true,
            weighing: Weighing::Softmax,
        };
        let layers = places.layers.iter().zip(&net.heads);
        let layers: Vec<Layer> =
            layers.map(|(at, heads)| Layer::new(*at, kind(*heads), span, span)).collect();
        let axes: Vec<Axis> = layers.iter().map(|layer| layer.axis).collect();
        let zeros = vec![Row::ZERO; residual.panels() * stride];
        let rows = alphabet.next_multiple_of(TILE_ROWS);
        Transformer {
            alphabet,
            residual,
            span,
            embed: Vectors::new(residual, alphabet, 0, stride, false),
            positions: places.positions.map(|_| Vectors::new(residual, length, 0, stride, false)),
            norm: places.gain.map(|_| Norm::new(residual, stride, true)),
            readout: Vectors::new(residual, alphabet, 0, rows, true),
            table: places.positions.is_none().then(|| Table::new(alphabet, axes[0], residual, span)),
            tabled: false,
            shared: Shared::new(&axes, residual, span),
            layers,
            places,
            z: zeros.clone(),
            of_z: zeros.clone(),
            read: zeros.clone(),
            of_read: zeros,
            turned: vec![Row::ZERO; residual.rows() * span.blocks],
            logits: vec![Row::ZERO; span.blocks * rows],
        }
    }

    /// Heads of each layer.
    pub fn heads(&self) -> Vec<usize> {
        self.layers.iter().map(|layer| layer.axis.groups).collect()
    }

    /// Takes the parameters.
    pub fn load(&mut self, parameters: &[Vec<Row>]) {
        self.embed.load(&parameters[self.places.embed]);
        self.readout.load(&parameters[self.places.readout]);
        if let (Some(positions), Some(at)) = (&mut self.positions, self.places.positions) {
            positions.load(&parameters[at]);
        }
        if let (Some(norm), Some(at)) = (&mut self.norm, self.places.gain) {
            norm.gain.load(&parameters[at]);
        }
        for layer in &mut self.layers {
            layer.load(parameters);
        }
        let Transformer { table, layers, embed, .. } = self;
        self.tabled = table.as_mut().is_some_and(|table| table.load(&mut layers[0], embed));
    }

    /// Writes the gradients.
    pub fn unload(&mut self, gradients: &mut [Vec<Row>]) {
        if let (true, Some(table)) = (self.tabled, &mut self.table) {
            table.unload(&mut self.layers[0], &mut self.embed);
        }
        self.embed.unload(&mut gradients[self.places.embed]);
        self.readout.unload(&mut gradients[self.places.readout]);
        if let (Some(positions), Some(at)) = (&self.positions, self.places.positions) {
            positions.unload(&mut gradients[at]);
        }
        if let (Some(norm), Some(at)) = (&self.norm, self.places.gain) {
            norm.gain.unload(&mut gradients[at]);
        }
        for layer in &self.layers {
            layer.unload(gradients);
        }
    }

    /// Logits of `sequence`, at least those of its last position; all of them, and all that a backward pass needs,
    /// if they are wanted. Heads that are `off`, counted layer by layer, bring nothing.
    pub fn forward(&mut self, sequence: &Sequence, all: bool, off: &[usize]) {
        let (stride, length) = (self.span.stride(), self.span.length);
        for (z, embed) in self.z.chunks_exact_mut(stride).zip(self.embed.values.chunks_exact(stride)) {
            for (z, x) in z[..length].iter_mut().zip(&sequence.symbols) {
                *z = embed[usize::from(*x)];
            }
            z[length..].fill(Row::ZERO);
        }
        if let Some(positions) = &self.positions {
            for (z, u) in self.z.iter_mut().zip(&positions.values) {
                *z = *z + *u;
            }
        }
        let (mut heads, last) = (0, self.layers.len() - 1);
        for (which, layer) in self.layers.iter_mut().enumerate() {
            let first = if all || which < last { 0 } else { self.span.blocks - 1 };
            let own = heads..heads + layer.axis.groups;
            let off: &[usize] = &Off::of(off, own.clone());
            heads = own.end;
            match &mut self.table {
                Some(table) if which == 0 && self.tabled => table.forward(sequence, first, off, &mut self.z),
                _ => {
                    layer.z.copy_from_slice(&self.z);
                    layer.attend(&mut self.shared, which, first, off, &mut self.z);
                }
            }
            layer.think(first * LANES, &mut self.z);
        }
        let first = if all { 0 } else { self.span.blocks - 1 };
        if let Some(norm) = &mut self.norm {
            norm.forward(&self.z, first * LANES, self.span.count(), &mut self.read);
        } else {
            self.read.copy_from_slice(&self.z);
        }
        self.read_out(first);
    }

    fn read_out(&mut self, first: usize) {
        read_out(self, first);
    }

    /// Adds the gradient of `scale` times the cross-entropy of a sequence whose forward pass has just been made, with label
    /// smoothing ε.
    pub fn backward(&mut self, sequence: &Sequence, scale: f32, smoothing: f32) {
        let (count, rows) = (self.span.count(), self.readout.stride);
        symbols::slopes(sequence, self.alphabet, rows, scale, &mut self.logits);
        if smoothing > 0.0 {
            symbols::smooth(sequence, self.alphabet, rows, scale, smoothing, &mut self.logits);
        }
        learn_readout(self);
        if let Some(norm) = &mut self.norm {
            self.of_z.fill(Row::ZERO);
            norm.backward(&self.of_read, count, &mut self.of_z);
        }
        for (which, layer) in self.layers.iter_mut().enumerate().rev() {
            layer.think_back(&mut self.shared, &mut self.of_z);
            match &mut self.table {
                Some(table) if which == 0 && self.tabled => {
                    table.backward(sequence, &self.of_z, self.residual.deep());
                }
                _ => layer.attend_back(&mut self.shared, which, &mut self.of_z),
            }
        }
        self.learn_embedding(sequence);
    }

    fn learn_embedding(&mut self, sequence: &Sequence) {
        learn_embedding(self, sequence);
    }

    /// The share of attention of place `from` on place `to`, after a forward pass of all positions.
    pub fn share(&self, sequence: &Sequence, layer: usize, head: usize, from: usize, to: usize) -> f32 {
        match &self.table {
            Some(table) if layer == 0 && self.tabled => table.share(sequence, head, from, to),
            _ => self.layers[layer].shares[head].at(from, to),
        }
    }
}

/// Heads of one layer that are switched off, counted within it.
struct Off([usize; 8], usize);

impl Off {
    fn of(off: &[usize], own: std::ops::Range<usize>) -> Self {
        let mut found = Off([0; 8], 0);
        for head in off.iter().filter(|head| own.contains(head)).take(8) {
            found.0[found.1] = head - own.start;
            found.1 += 1;
        }
        found
    }
}

impl std::ops::Deref for Off {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0[..self.1]
    }
}

wide! {
    /// As [`Transformer::read_out`].
    fn read_out(this: &mut Transformer, first: usize) {
        let (stride, deep, rows) = (this.span.stride(), this.residual.deep(), this.residual.rows());
        transpose(&this.read, stride, deep, first..this.span.blocks, &mut this.turned);
        let blocks = this.turned.chunks_exact(rows).zip(this.logits.chunks_exact_mut(this.readout.stride));
        for (turned, logits) in blocks.skip(first) {
            for a in (0..this.readout.stride).step_by(TILE_ROWS) {
                let mut sums = ZERO_SUMS;
                let panels = this.readout.values.chunks_exact(this.readout.stride);
                for (readout, turned) in panels.zip(turned.chunks_exact(deep)) {
                    sums = inner(&readout[a..], turned, sums);
                }
                store(&mut logits[a..], sums);
            }
        }
    }
}

wide! {
    /// As [`Transformer::learn_embedding`].
    fn learn_embedding(this: &mut Transformer, sequence: &Sequence) {
        let stride = this.span.stride();
        for (slope, of_z) in this.embed.slope.chunks_exact_mut(stride).zip(this.of_z.chunks_exact(stride)) {
            for (a, slope) in slope[..this.alphabet].iter_mut().enumerate() {
                *slope = sequence.places(a).iter().fold(*slope, |sum, i| sum + of_z[*i as usize]);
            }
        }
        let Some(positions) = &mut this.positions else { return };
        for (slope, of_z) in positions.slope.chunks_exact_mut(stride).zip(this.of_z.chunks_exact(stride)) {
            for (slope, of_z) in slope.iter_mut().zip(of_z).take(this.span.length) {
                *slope = *slope + *of_z;
            }
        }
    }
}

wide! {
    /// Adds what the slopes in logits say of the read-out, and takes them to what is read.
    fn learn_readout(this: &mut Transformer) {
        let (stride, count, rows) = (this.span.stride(), this.span.count(), this.readout.stride);
        let panels = this.readout.values.chunks_exact(rows).zip(this.readout.slope.chunks_exact_mut(rows));
        let panels = panels.zip(this.read.chunks_exact(stride));
        let of_read = if this.norm.is_some() { &mut this.of_read } else { &mut this.of_z };
        for (((values, slope), read), of_read) in panels.zip(of_read.chunks_exact_mut(stride)) {
            for a in (0..rows).step_by(TILE_ROWS) {
                let mut sums = sums_of(&slope[a..]);
                for (logits, read) in this.logits.chunks_exact(rows).zip(read.chunks_exact(LANES)) {
                    sums = inner(&logits[a..], read, sums);
                }
                store(&mut slope[a..], sums);
            }
            for i in (0..count).step_by(TILE_ROWS) {
                let logits = &this.logits[i / LANES * rows..][..rows];
                store(&mut of_read[i..], outer(logits, i % LANES / TILE_ROWS, values, ZERO_SUMS));
            }
        }
    }
}
