//! Where a transformer's \[CLS\] token looks: mean attention on every input bit.

use super::Bars;

/// The mean weight of each input bit under the heads' attention, with the relevant ones pointed at; what is missing
/// to 1 rests on \[CLS\] itself.
pub fn by_bit(mass: &[f32], relevant: &[usize]) -> Bars {
    Bars {
        title: tr!("Attention of [CLS]").into(),
        x_label: tr!("input bit").into(),
        y_label: tr!("mean attention").into(),
        bars: mass.iter().enumerate().map(|(i, mass)| ((i + 1).to_string(), *mass)).collect(),
        marked: relevant.to_vec(),
        marked_name: "relevant bits".into(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_from_one() {
        let bars = by_bit(&[0.25, 0.5], &[1]);
        assert_eq!(bars.bars, [("1".to_string(), 0.25), ("2".to_string(), 0.5)]);
        assert_eq!(bars.marked, [1]);
    }
}
