//! Charts of the attention weights of a transformer's \[CLS\] token on the input bits.

use super::{BarChart, LineChart, Role, Series};

/// Bar chart of the attention weight from the \[CLS\] token to each input bit, averaged over heads and held-out
/// examples, from `weights` with one number per input bit; the bits with the indices `relevant`, from 0, are
/// highlighted. The weights sum to 1 together with the weight of the \[CLS\] token on itself.
pub fn mean_attention_chart(weights: &[f32], relevant: &[usize]) -> BarChart {
    BarChart {
        title: tr!("Attention of [CLS]").into(),
        x_label: tr!("input bit").into(),
        y_label: tr!("mean attention").into(),
        bars: weights.iter().enumerate().map(|(i, mass)| ((i + 1).to_string(), *mass)).collect(),
        marked: relevant.to_vec(),
        marked_name: "relevant bits".into(),
        ..Default::default()
    }
}

/// Scatter plot of the attention weight from the \[CLS\] token to each input bit, one dot per example and bit, for the
/// head with index `head`, from 0, or averaged over all heads if it is `None` (Edelman 2024, figure 4.3, right). The
/// bits with the indices `relevant`, from 0, have their own colour.
///
/// # Shapes
/// The attention weights are `[examples, heads, tokens]`; the last token is \[CLS\].
pub fn attention_by_example_chart(
    weights: &[f32],
    heads: usize,
    tokens: usize,
    head: Option<usize>,
    relevant: &[usize],
) -> LineChart {
    let dots =
        |name: &str, role: Role| Series { name: name.into(), role, scatter: true, ..Default::default() };
    let mut series = [dots(tr!("irrelevant bits"), Role::Other), dots(tr!("relevant bits"), Role::Relevant)];
    for example in weights.chunks_exact(heads * tokens) {
        for place in 0..tokens - 1 {
            let of = |head: usize| example[head * tokens + place];
            let share = head.map_or_else(|| (0..heads).map(of).sum::<f32>() / heads as f32, of);
            let own = &mut series[usize::from(relevant.contains(&place))];
            own.x.push((place + 1) as f64);
            own.y.push(share);
        }
    }
    LineChart {
        x_label: tr!("input bit").into(),
        y_label: tr!("attention in one example").into(),
        x_range: Some((0.5, tokens as f64 - 0.5)),
        y_range: Some((0.0, 1.0)),
        series: series.to_vec(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_a_dot_at_every_bit() {
        // Two examples of two heads on two bits and [CLS].
        let shares = [0.5, 0.25, 0.25, 1.0, 0.0, 0.0, 0.0, 0.75, 0.25, 0.0, 0.25, 0.75];
        let of = |head| attention_by_example_chart(&shares, 2, 3, head, &[1]).series;
        let [other, relevant] = &of(None)[..] else { panic!("two kinds") };
        assert_eq!(
            (other.y.as_slice(), relevant.y.as_slice()),
            ([0.75, 0.0].as_slice(), [0.125, 0.5].as_slice())
        );
        assert_eq!(
            (other.x.as_slice(), relevant.x.as_slice()),
            ([1.0, 1.0].as_slice(), [2.0, 2.0].as_slice())
        );
        assert_eq!(of(Some(1))[0].y, [1.0, 0.0]);
        assert!(
            attention_by_example_chart(&[], 1, 3, None, &[1]).series.iter().all(|series| series.x.is_empty())
        );
    }

    #[test]
    fn bits_are_counted_from_one() {
        let bars = mean_attention_chart(&[0.25, 0.5], &[1]);
        assert_eq!(bars.bars, [("1".to_string(), 0.25), ("2".to_string(), 0.5)]);
        assert_eq!(bars.marked, [1]);
    }
}
