//! The result of a search: the chosen rule with its nine entries, buttons for other learning problems, and the
//! probability of drawing the paper's filter.

use leptos::prelude::*;

use crate::succinct::context::{PanelContext, SendAction};
use vivarium_labs::succinct::panel::action::{self, SuccinctAction};
use vivarium_labs::succinct::panel::sentences::{self, FilterProbability};
use vivarium_science::succinct::search::{CellRule, CellValue};
use vivarium_ui::button::button;

/// Draws the cell update rule that the lab's random search over rules chose so far, and buttons for another learning
/// problem.
pub(super) fn draw_rule(panel: PanelContext) -> AnyView {
    let rule =
        Memo::new(move |_| panel.see(|state, _| state.search_state().and_then(|own| own.rule)).flatten());
    let found = Memo::new(move |_| {
        panel.see(|state, _| state.search_state().and_then(sentences::describe_found_rule)).flatten()
    });
    let is_largest = panel.memo(|state, _| action::double_size(state).is_none());
    let shown = move || match rule.get() {
        Some(rule) => draw_rule_table(rule),
        None => {
            view! { <p class="card__text" data-testid="no-rule">{tr!("No rule has been tried yet.")}</p> }
                .into_any()
        }
    };
    view! {
        {shown}
        <p class="card__note" data-testid="rule-result" prop:textContent=found></p>
        <div class="editor__buttons" role="group" aria-label=tr!("Choose another learning problem")>
            {button("another-task", tr!("Another problem of the same kind"), Box::new(|| false),
                Box::new(move || panel.send_action(SuccinctAction::NextProblem)))}
            {button("twice-size", tr!("A problem of twice the size"), Box::new(move || is_largest.get() != Some(false)),
                Box::new(move || panel.send_action(SuccinctAction::DoubleSize)))}
        </div>
    }
    .into_any()
}

/// Draws a cell update rule as a table: the new value of a cell for each of the 3 × 3 pairs of old values of the cell
/// and the cell above; with name and description.
fn draw_rule_table(rule: CellRule) -> AnyView {
    let entry = move |centre: CellValue, above: CellValue| {
        let becomes = rule.apply(centre, above);
        let class = match becomes {
            CellValue::Minus => "succinct-entry succinct-entry--minus",
            CellValue::Zero => "succinct-entry",
            CellValue::Plus => "succinct-entry succinct-entry--plus",
        };
        view! { <td class=class translate="no">{sentences::format_cell(becomes)}</td> }
    };
    let row = move |centre: CellValue| {
        let entries = CellValue::ALL.into_iter().map(|above| entry(centre, above)).collect_view();
        view! { <tr><th scope="row">{sentences::format_cell(centre)}</th>{entries}</tr> }
    };
    let heading = |above: CellValue| view! { <th scope="col">{sentences::format_cell(above)}</th> };
    let title = match rule.name() {
        Some(name) => tr!("Rule {number}, the {name} rule", number = rule.to_text(), name),
        None => tr!("Rule {number}", number = rule.to_text()),
    };
    let sentence = |sentence: String| view! { <li prop:textContent=sentence></li> };
    view! {
        <table class="succinct-rule" data-testid="rule-table">
            <caption class="succinct-caption">
                {tr!("New value of a cell. Rows: old value of the cell. Columns: value of the cell above this cell.")}
            </caption>
            <thead>
                <tr><td></td>{CellValue::ALL.into_iter().map(heading).collect_view()}</tr>
            </thead>
            <tbody>{CellValue::ALL.into_iter().map(row).collect_view()}</tbody>
        </table>
        <p class="card__text" data-testid="rule-name"
            prop:textContent=title></p>
        <ul class="theory__texts" data-testid="rule-reading">
            {rule.describe().into_iter().map(sentence).collect_view()}
        </ul>
    }
    .into_any()
}

/// Draws the table of probabilities that a randomly drawn filter equals one particular filter, for programs with
/// different numbers of states.
pub(super) fn draw_odds(panel: PanelContext) -> AnyView {
    let compared = Memo::new(move |_| {
        panel.see(|state, _| state.search_state().map(sentences::describe_good_rules)).flatten()
    });
    let row = |row: FilterProbability| {
        view! {
            <tr>
                <th scope="row">{row.states}</th>
                <td>{row.parameters}</td>
                <td>{row.values_per_parameter}</td>
                <td>"10"<sup>{row.exponent}</sup></td>
            </tr>
        }
    };
    let caption =
        tr!("Probability that a random filter is one particular filter, for programs with s states");
    view! {
        <div class="succinct-frame" role="region" tabindex="0" aria-label=caption>
            <table class="succinct-odds" data-testid="odds-table">
                <caption class="succinct-caption">{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{tr!("States s")}</th>
                        <th scope="col">{tr!("Parameters")}</th>
                        <th scope="col">{tr!("Possible values of a parameter")}</th>
                        <th scope="col">{tr!("Probability")}</th>
                    </tr>
                </thead>
                <tbody>{sentences::filter_probabilities().into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        <p class="card__text" data-testid="odds-compared" prop:textContent=compared></p>
        <p class="card__note">
            {tr!("Appendix B of the paper counts about 10,000 s² parameters. The network of definition 5 in the paper has three matrices of this size. If all three are counted, the exponent of the probability is three times as large. The programs of this page have 20 and 47 states.")}
        </p>
    }
    .into_any()
}
