//! Texts on the layers of one step: what each of them computes, its number of heads, and the blocks it reads and
//! writes.

use super::strip::{self, PartAccess, TokenPart};
use vivarium_science::descent::{ConstructedTransformer, LayerKind, LayerPhase};
use vivarium_view::display::words::format_thousands;
use vivarium_view::ui::stage::StageButton;

/// The buttons that select one of the 2N + 4 transformer layers of a step, for a network of N = `layers` layers in the
/// tokens.
pub fn layer_buttons(layers: usize) -> Vec<StageButton> {
    let phases = LayerPhase::all(layers);
    let group = |phase: &LayerPhase| match phase {
        LayerPhase::Forward(_) => 0,
        LayerPhase::Derivatives | LayerPhase::LossGradient => 1,
        LayerPhase::Backward(_) => 2,
        LayerPhase::Step | LayerPhase::CleanUp => 3,
    };
    let button = |(at, phase): (usize, &LayerPhase)| StageButton {
        name: phase.name(),
        short: match phase {
            LayerPhase::Forward(j) => format!("p({j})"),
            LayerPhase::Derivatives => "r′".into(),
            LayerPhase::LossGradient => "g".into(),
            LayerPhase::Backward(j) => format!("s({j})"),
            LayerPhase::Step => "w".into(),
            LayerPhase::CleanUp => "0".into(),
        },
        begins: at > 0 && group(phase) != group(&phases[at - 1]),
    };
    phases.iter().enumerate().map(button).collect()
}

/// The phase (task within the step of descent) of transformer layer `layer`, from 1, for a network of N = `layers`
/// layers in the tokens; none for 0 and after layer 2N + 4.
pub fn layer_phase(layers: usize, layer: usize) -> Option<LayerPhase> {
    LayerPhase::all(layers).get(layer.checked_sub(1)?).copied()
}

/// The heading "Layer 4 of 10: …" of transformer layer `layer`, from 1, for a network of `layers` layers in the tokens;
/// for 0, a heading for the tokens before the first layer.
pub fn layer_heading(layers: usize, layer: usize) -> String {
    let of = 2 * layers + 4;
    match layer_phase(layers, layer) {
        Some(phase) => tr!("Layer {layer} of {of}: {name}", layer, of, name = phase.name().to_lowercase()),
        None => tr!("Before the {of} layers of the step", of),
    }
}

/// The sentence that names the step of descent shown, which is the one after `step_count` steps.
pub fn describe_step(step_count: u64) -> String {
    tr!(
        "Step {next} starts from the weights after step {made}.",
        next = format_thousands(step_count.saturating_add(1)),
        made = format_thousands(step_count)
    )
}

/// A sentence on what transformer layer `layer`, from 1, computes, for a network of `layers` layers in the tokens; for
/// 0, on what the tokens contain.
pub fn describe_layer(layers: usize, layer: usize) -> String {
    match layer_phase(layers, layer) {
        Some(phase) => phase.description(),
        None => tr!(
            "Each token holds its example and the weights of the network; the blocks p, r′, g and s are 0."
        )
        .into(),
    }
}

/// The formula by which transformer layer `layer`, from 1, updates a token, for a network of `layers` layers in the
/// tokens; empty for 0.
pub fn layer_formula(layers: usize, layer: usize) -> String {
    layer_phase(layers, layer).map(|phase| phase.formula(layers)).unwrap_or_default()
}

/// Sentences on the size of transformer layer `layer`, from 1, and on the token blocks it reads and writes; for 0, the
/// sizes of all layers of a step.
pub fn describe_wiring(transformer: &ConstructedTransformer, parts: &[TokenPart], layer: usize) -> String {
    let layout = transformer.layout();
    let Some(of) = layer.checked_sub(1).and_then(|at| transformer.layers().get(at)) else {
        let counts = transformer.counts();
        return tr!(
            "One step takes {layers} layers with {heads} attention heads, {products} product heads and {units} hidden units.",
            layers = counts.layers,
            heads = format_thousands(counts.attention_heads),
            products = format_thousands(counts.product_heads),
            units = format_thousands(counts.mlp_units)
        );
    };
    let heads = match of.head_count() {
        1 => tr!("1 head").into(),
        heads => tr!("{heads} heads", heads = format_thousands(heads as u64)),
    };
    let size = match of.kind() {
        LayerKind::Attention => tr!("This layer is a ReLU attention layer with {heads}.", heads),
        LayerKind::Product => {
            tr!(
                "This layer computes element-wise products with {heads}; ordinary transformers have no product heads.",
                heads
            )
        }
        LayerKind::Feedforward => {
            tr!(
                "This layer is an MLP with {units} hidden units.",
                units = format_thousands(of.unit_count() as u64)
            )
        }
    };
    let named = |role| strip::list_part_names(layout, of.phase, parts, role);
    // The clean-up layer reads and writes the same blocks.
    let (read, written) = (named(PartAccess::Read), named(PartAccess::Written));
    match read.is_empty() {
        true => tr!("{size} This layer reads and writes {written}.", size, written),
        false => tr!("{size} This layer reads {read} and writes {written}.", size, read, written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::descent::{DescentPlan, DescentPrompts};

    #[test]
    fn buttons_stand_in_groups() {
        let all = layer_buttons(3);
        let shown: Vec<&str> = all.iter().map(|button| button.short.as_str()).collect();
        assert_eq!(shown, ["p(1)", "p(2)", "p(3)", "r′", "g", "s(3)", "s(2)", "s(1)", "w", "0"]);
        let begins: Vec<usize> = (0..all.len()).filter(|at| all[*at].begins).collect();
        assert_eq!(begins, [3, 5, 8]);
        assert_eq!(
            (all[4].name.as_str(), layer_buttons(1).len(), layer_buttons(6).len()),
            ("Loss gradient", 6, 16)
        );
    }

    #[test]
    fn every_layer_has_words_of_its_own() {
        let plan = DescentPlan::default();
        let transformer = ConstructedTransformer::new(&plan, &DescentPrompts::default().draw_examples(0, 0));
        let parts = strip::token_parts(transformer.layout());
        let mut seen = vec![];
        for layer in 0..=10 {
            let (about, wiring) = (describe_layer(3, layer), describe_wiring(&transformer, &parts, layer));
            assert!(about.ends_with('.') && wiring.ends_with('.'), "{about} {wiring}");
            assert_eq!(layer_formula(3, layer).is_empty(), layer == 0);
            for said in [layer_heading(3, layer), about] {
                assert!(!seen.contains(&said), "{said}");
                seen.push(said);
            }
        }
        assert_eq!(layer_heading(3, 4), "Layer 4 of 10: slopes");
        assert_eq!(layer_heading(3, 0), "Before the 10 layers of the step");
        assert_eq!(describe_step(1234), "Step 1,235 starts from the weights after step 1,234.");
        let said = |layer| describe_wiring(&transformer, &parts, layer);
        // 8 + 8 + 2 heads forward, 16 + 16 + 1 for slopes, 17 products, 34 that move weights.
        assert_eq!(
            said(2),
            "This layer is a ReLU attention layer with 8 heads. This layer reads v(2) and p(1) and writes p(2)."
        );
        assert_eq!(
            said(5),
            "This layer is an MLP with 2 hidden units. This layer reads y, p(3) and t and writes g."
        );
        assert!(
            said(6).starts_with("This layer computes element-wise products with 1 head; ordinary"),
            "{}",
            said(6)
        );
        assert!(said(10).ends_with("This layer reads and writes w, p, r′, g and s."), "{}", said(10));
        assert!(said(0).starts_with("One step takes 10 layers with "), "{}", said(0));
        // A layer that the network does not have is none, whatever a link says.
        assert_eq!((layer_phase(3, 11), layer_phase(3, usize::MAX)), (None, None));
        assert_eq!(said(usize::MAX), said(0));
    }
}
