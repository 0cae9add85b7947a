//! The scale of a network's answer in moving pictures: an axis with ticks, the label as a notch, the answer as a needle.

use vivarium_plot::scene::{Ink, Point, Scene, Shape, Stroke};

/// An axis for answers between two values, upright, or from left to right on a phone.
pub struct AnswerScale {
    /// Points of the smallest and of the largest value.
    pub ends: [Point; 2],
    /// Smallest and largest value; answers beyond them are drawn at the ends.
    pub range: [f32; 2],
    /// Whether the axis is from left to right.
    pub is_horizontal: bool,
}

impl AnswerScale {
    /// Point of a value on the axis.
    pub fn point(&self, value: f32) -> Point {
        let [low, high] = self.range;
        self.ends[0].towards(self.ends[1], (value.clamp(low, high) - low) / (high - low))
    }

    /// A point moved by `away` pixels across the axis: to the right of an upright axis, or below a horizontal axis.
    pub fn offset(&self, point: Point, away: f32) -> Point {
        match self.is_horizontal {
            true => Point::new(point.x, point.y + away),
            false => Point::new(point.x + away, point.y),
        }
    }

    /// Draws the axis with ticks at these values, `half` pixels long on each side.
    pub fn draw_axis(&self, scene: &mut Scene, ticks: &[f32], half: f32) {
        let stroke = Stroke::new(Ink::Quiet, 2.0);
        scene.line(self.ends[0], self.ends[1], stroke);
        for at in ticks.iter().map(|tick| self.point(*tick)) {
            scene.line(self.offset(at, -half), self.offset(at, half), stroke);
        }
    }

    /// Draws one side of the notch of the label, `from` to `to` pixels away from the axis, in the colour of its sign.
    pub fn draw_notch(&self, scene: &mut Scene, label: f32, sign: f32, [from, to]: [f32; 2]) {
        let at = self.point(label);
        scene.line(self.offset(at, from), self.offset(at, to), Stroke::new(Ink::of_sign(sign), 4.0));
    }

    /// Draws the needle of the answer from a point to its value; nothing for an answer that is not finite.
    pub fn draw_needle(&self, scene: &mut Scene, from: Point, answer: f32) {
        if answer.is_finite() {
            let tip = self.point(answer);
            scene.line(from, tip, Stroke::new(Ink::Mark, 4.0));
            scene.fill(Shape::Circle(tip, 6.0), Ink::Mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_beyond_the_scale_are_at_its_ends() {
        let ends = [Point::new(10.0, 200.0), Point::new(10.0, 0.0)];
        let scale = AnswerScale { ends, range: [-2.0, 2.0], is_horizontal: false };
        assert_eq!(
            [-9.0, -1.0, 0.0, 2.0, 9.0].map(|value| scale.point(value).y),
            [200.0, 150.0, 100.0, 0.0, 0.0]
        );
        assert_eq!(scale.offset(ends[0], 5.0), Point::new(15.0, 200.0));
        let mut scene = Scene::new(100.0, 200.0);
        scale.draw_needle(&mut scene, ends[0], f32::NAN);
        assert!(scene.items.is_empty());
    }
}
