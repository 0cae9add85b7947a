//! The tape of the simulator next to the tokens of the transformer, at the same step.

use leptos::html::Canvas;
use leptos::prelude::*;

use crate::machines::page::context::{PanelContext, SendAction};
use crate::machines::page::paint::paint_on_frames;
use vivarium_labs::machines::MachineState;
use vivarium_labs::machines::panel::bits::{self, GroupKind, MAX_PAST_TOKENS};
use vivarium_labs::machines::tape::{self, CELL_COUNT, TapeCell};
use vivarium_model::permalink::ViewSettings;
use vivarium_science::machines::{ResidualLayout, TokenGroup};
use vivarium_ui::pixels;
use vivarium_ui::text::element_text;

/// Draws the simulator's tape next to the transformer's tokens, and a sentence on whether they agree.
pub(super) fn draw_tape_and_tokens(panel: PanelContext) -> AnyView {
    let layout = panel.memo_per_run(|state| state.layout().clone());
    let agreement =
        panel.memo(|state, _| bits::describe_agreement(state.first_wrong(), compared_steps(state)));
    let is_wrong = panel.memo(|state, _| state.first_wrong().is_some_and(|wrong| wrong <= state.step));
    view! {
        <div class="tape-comparison">
            <section class="tape-comparison__part" aria-labelledby="tape-title" data-testid="tape">
                <h3 class="card__name" id="tape-title">{tr!("Tape of an ordinary simulator, for comparison")}</h3>
                {draw_tape(panel)}
            </section>
            <section class="tape-comparison__part" aria-labelledby="tokens-title" data-testid="tokens">
                <h3 class="card__name" id="tokens-title">
                    {tr!("Tokens of the transformer: one for each step, and no tape")}
                </h3>
                {move || layout.get().map(|layout| draw_tokens(panel, &layout))}
            </section>
        </div>
        <p class="tape-comparison__agreement" class:tape-comparison__agreement--violated=move || is_wrong.get() == Some(true)
            data-testid="agreement" prop:textContent=agreement></p>
    }
    .into_any()
}

/// Number of machine steps whose tokens are compared with the simulator: up to the step on display, and only those that
/// the transformer has executed.
fn compared_steps(state: &MachineState) -> usize {
    state.step.min(state.transformer.steps())
}

/// Machine step whose transformer blocks are on display; 0 before any step was traced.
fn traced_step(state: &MachineState) -> usize {
    state.trace.as_ref().map_or(0, |trace| trace.step)
}

/// Draws the cells of the Turing machine's tape around the head, and the machine's state.
fn draw_tape(panel: PanelContext) -> AnyView {
    let cells = panel.memo(|state, _| tape::shown_cells(&state.program.machine, &state.run, state.step));
    let words = panel.memo(|state, _| tape::describe_tape(&state.program.machine, &state.run, state.step));
    let says = panel.memo(|state, _| {
        tape::describe_record(&state.program.machine, tape::record_after(&state.run, state.step))
    });
    let halted = panel.memo(|state, _| tape::describe_halt(&state.program.machine, &state.run, state.step));
    let one = move |at: usize| {
        let cell = Memo::new(move |_| cells.with(|cells| cells.as_ref()?.get(at).cloned()));
        let is = move |of: fn(&TapeCell) -> bool| move || cell.with(|cell| cell.as_ref().is_some_and(of));
        let symbol = move || cell.with(|cell| cell.as_ref().map(|cell| cell.symbol.to_string()));
        let number = move || cell.with(|cell| cell.as_ref().map(|cell| cell.number.to_string()));
        let is_head = is(|cell| cell.is_head);
        view! {
            <span class="cell" translate="no" class:cell--head=is_head class:cell--written=is(|cell| cell.is_written)
                data-testid=format!("cell-{at}")>
                <span class="cell__head">{move || is_head().then_some("▼")}</span>
                <span class="cell__symbol">{symbol}</span>
                <span class="cell__number">{number}</span>
            </span>
        }
    };
    view! {
        <div class="tape" role="img" aria-label=move || words.get() data-testid="tape-cells">
            {(0..CELL_COUNT).map(one).collect_view()}
        </div>
        <p class="card__text" data-testid="tape-summary" prop:textContent=says></p>
        <p class="card__note" data-testid="tape-halted" prop:textContent=element_text(move || halted.get())></p>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair">"▼ "{tr!("head")}</span>
            <span class="blocks__pair"><i class="blocks__sample cell__sample"></i>{tr!("cell written in this step")}</span>
        </p>
    }
    .into_any()
}

/// Coordinates of the token of the current step after the chosen transformer block; `None` before they are computed.
fn shown_token<'a>(state: &'a MachineState, view: &ViewSettings) -> Option<&'a [f64]> {
    bits::present_token(&state.transformer, state.trace.as_ref(), state.shown_block(view))
}

/// Draws the last tokens as columns of pixels, and the token of the current step with the value of each of its
/// coordinate groups.
fn draw_tokens(panel: PanelContext, layout: &ResidualLayout) -> AnyView {
    let title = panel.memo(|state, view| {
        let blocks = state.transformer.construction().blocks().len();
        bits::token_title(traced_step(state), state.shown_block(view), blocks)
    });
    let words = panel.memo(|state, view| {
        let layout = state.layout();
        Some(bits::describe_token(layout, &state.program.machine, shown_token(state, view)?))
    });
    let says = panel.memo(|state, _| {
        bits::describe_step(&state.program.machine, state.step, state.decode_token(state.step))
    });
    let readings = panel.memo(|state, view| {
        let layout = state.layout();
        let token = shown_token(state, view).unwrap_or_default();
        TokenGroup::ALL.map(|group| bits::decode_group(layout, &state.program.machine, token, group))
    });
    let changed = panel.memo(|state, view| {
        let layout = state.layout();
        state.trace.as_ref().map(|trace| bits::changed_groups(layout, trace, state.shown_block(view)))
    });
    let side = bits::cell_side(layout.width());
    let [past, present]: [Vec<NodeRef<Canvas>>; 2] =
        [(); 2].map(|()| TokenGroup::ALL.iter().map(|_| NodeRef::new()).collect());
    let row = |(at, group): (usize, TokenGroup)| {
        let reading = move || readings.with(|all| all.as_ref().map(|all| all[at].clone()));
        let is_changed =
            Memo::new(move |_| changed.with(|all| all.iter().flatten().flatten().any(|one| *one == group)));
        view! {
            <div class="bits__row" class:bits__row--changed=is_changed data-testid=format!("bits-{}", group.key())
                style:--group-height=format!("{}px", side * layout.group(group).len())>
                <span class="bits__key">{group.key()}</span>
                <canvas class="bits__previous" node_ref=past[at]></canvas>
                <canvas class="bits__current" node_ref=present[at]></canvas>
                <span class="bits__text">
                    <span class="bits__name">{group.name()}</span>
                    <strong class="bits__reading" prop:textContent=element_text(reading)></strong>
                    <span class="bits__changed" prop:textContent=element_text(move || is_changed.get().then(|| tr!("changed")))></span>
                </span>
            </div>
        }
    };
    let rows = TokenGroup::ALL.into_iter().enumerate().map(row).collect_view();
    paint_groups(panel, past, present);
    view! {
        <p class="card__text" data-testid="token-title" prop:textContent=title></p>
        <div class="bits" role="img" aria-labelledby="token-announcement" data-testid="bits">{rows}</div>
        <p class="visually-hidden" id="token-announcement" data-testid="token-announcement"
            prop:textContent=element_text(move || words.get())></p>
        <p class="card__text" data-testid="token-summary" prop:textContent=says></p>
        <p class="card__note">
            {tr!("Each column on the left is the output token of a past step. The group pos1 shows the number of this past step; this number comes from the positional encoding. The wide column is the token of the present step after the block that is shown.")}
        </p>
        <p class="blocks__key" aria-hidden="true">{GroupKind::ALL.map(draw_kind_legend).into_iter().collect_view()}</p>
    }
    .into_any()
}

/// Draws the legend entry of a kind of coordinate group (state, symbol, position, flag): its colour and name.
fn draw_kind_legend(kind: GroupKind) -> AnyView {
    let class = match kind {
        GroupKind::State => "blocks__sample bits__sample--state",
        GroupKind::Symbol => "blocks__sample bits__sample--symbol",
        GroupKind::Position => "blocks__sample bits__sample--position",
        GroupKind::Flag => "blocks__sample bits__sample--flag",
    };
    view! { <span class="blocks__pair"><i class=class></i>{kind.name()}</span> }.into_any()
}

/// Repaints the canvases of all coordinate groups on the next frame after a change; `past` (last tokens) and `present`
/// (current token) have one canvas per group.
fn paint_groups(panel: PanelContext, past: Vec<NodeRef<Canvas>>, present: Vec<NodeRef<Canvas>>) {
    paint_on_frames(panel, move |colours| {
        panel.peek(|state, view| {
            let layout = state.layout();
            let columns = bits::build_columns(&state.transformer, traced_step(state));
            let token = shown_token(state, view).unwrap_or_default();
            for (at, group) in TokenGroup::ALL.into_iter().enumerate() {
                let (colours, high) =
                    (colours.shades(GroupKind::of(group)), layout.group(group).len() as u32);
                let all = columns.iter().map(Vec::as_slice);
                paint_canvas(
                    past.get(at),
                    (MAX_PAST_TOKENS as u32, high),
                    &bits::render_group(layout, group, all, colours),
                );
                let one = std::iter::once(token);
                paint_canvas(present.get(at), (1, high), &bits::render_group(layout, group, one, colours));
            }
        });
    });
}

/// Paints pixels (RGBA) of the given width and height on a canvas, if it exists.
fn paint_canvas(canvas: Option<&NodeRef<Canvas>>, size: (u32, u32), pixels: &[u8]) {
    if let Some(canvas) = canvas.and_then(|canvas| canvas.get_untracked()) {
        pixels::draw_pixels(&canvas, size, pixels);
    }
}
