//! The tape of the simulator beside the tokens of the transformer, in step.

use leptos::html::Canvas;
use leptos::prelude::*;

use crate::machines::page::news::{News, Requests};
use crate::machines::page::paint::on_frames;
use vivarium_labs::machines::MachineState;
use vivarium_labs::machines::panel::bits::{self, Kind, PAST};
use vivarium_labs::machines::tape::{self, CELLS, Cell};
use vivarium_model::permalink::View;
use vivarium_science::machines::{ResidualLayout, TokenGroup};
use vivarium_ui::pixels;

/// The two, and whether they agree.
pub(super) fn beside(news: News) -> AnyView {
    let layout = news.once_per_run(|state| state.layout().clone());
    let agreement = news.memo(|state, _| bits::agreement(state.first_wrong(), compared(state)));
    let is_wrong = news.memo(|state, _| state.first_wrong().is_some_and(|wrong| wrong <= state.step));
    view! {
        <div class="beside">
            <section class="beside__part" aria-labelledby="tape-title" data-testid="tape">
                <h3 class="card__name" id="tape-title">{tr!("Tape of an ordinary simulator, for comparison")}</h3>
                {tape_of(news)}
            </section>
            <section class="beside__part" aria-labelledby="tokens-title" data-testid="tokens">
                <h3 class="card__name" id="tokens-title">
                    {tr!("Tokens of the transformer: one for each step, and no tape")}
                </h3>
                {move || layout.get().map(|layout| tokens(news, &layout))}
            </section>
        </div>
        <p class="beside__agreement" class:beside__agreement--wrong=move || is_wrong.get() == Some(true)
            data-testid="agreement">
            {agreement}
        </p>
    }
    .into_any()
}

/// Steps whose tokens are compared: of large transformers fewer than the run has made, until the others are executed.
fn compared(state: &MachineState) -> usize {
    state.step.min(state.transformer.steps())
}

/// The step whose blocks are shown.
fn step(state: &MachineState) -> usize {
    state.trace.as_ref().map_or(0, |trace| trace.step)
}

/// The cells around the head, and the state.
fn tape_of(news: News) -> AnyView {
    let cells = news.memo(|state, _| tape::cells(&state.program.machine, &state.run, state.step));
    let words = news.memo(|state, _| tape::spoken(&state.program.machine, &state.run, state.step));
    let says = news.memo(|state, _| tape::says(&state.program.machine, tape::moment(&state.run, state.step)));
    let halted = news.memo(|state, _| tape::halted(&state.program.machine, &state.run, state.step));
    let one = move |at: usize| {
        let cell = Memo::new(move |_| cells.with(|cells| cells.as_ref()?.get(at).cloned()));
        let is = move |of: fn(&Cell) -> bool| move || cell.with(|cell| cell.as_ref().is_some_and(of));
        let symbol = move || cell.with(|cell| cell.as_ref().map(|cell| cell.symbol.to_string()));
        let number = move || cell.with(|cell| cell.as_ref().map(|cell| cell.number.to_string()));
        let is_head = is(|cell| cell.is_head);
        view! {
            <span class="cell" class:cell--head=is_head class:cell--written=is(|cell| cell.is_written)
                data-testid=format!("cell-{at}")>
                <span class="cell__head">{move || is_head().then_some("▼")}</span>
                <span class="cell__symbol">{symbol}</span>
                <span class="cell__number">{number}</span>
            </span>
        }
    };
    view! {
        <div class="tape" role="img" aria-label=move || words.get() data-testid="tape-cells">
            {(0..CELLS).map(one).collect_view()}
        </div>
        <p class="card__text" data-testid="tape-says">{says}</p>
        <p class="card__note" data-testid="tape-halted">{move || halted.get().flatten()}</p>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair">"▼ "{tr!("head")}</span>
            <span class="blocks__pair"><i class="blocks__sample cell__sample"></i>{tr!("cell written in this step")}</span>
        </p>
    }
    .into_any()
}

/// The numbers of the present token after the block that is shown, with what the simulator knows of none.
fn now<'a>(state: &'a MachineState, view: &View) -> Option<&'a [f64]> {
    bits::present(&state.transformer, state.trace.as_ref(), state.stage(view))
}

/// The last tokens as columns, and the present one with what its groups say.
fn tokens(news: News, layout: &ResidualLayout) -> AnyView {
    let title = news.memo(|state, view| {
        let blocks = state.transformer.construction().blocks().len();
        bits::title(step(state), state.stage(view), blocks)
    });
    let words = news.memo(|state, view| {
        let layout = state.layout();
        Some(bits::spoken(layout, &state.program.machine, now(state, view)?))
    });
    let says = news.memo(|state, _| bits::says(&state.program.machine, state.step, state.token(state.step)));
    let readings = news.memo(|state, view| {
        let layout = state.layout();
        let token = now(state, view).unwrap_or_default();
        TokenGroup::ALL.map(|group| bits::reading(layout, &state.program.machine, token, group))
    });
    let changed = news.memo(|state, view| {
        let layout = state.layout();
        state.trace.as_ref().map(|trace| bits::changed(layout, trace, state.stage(view)))
    });
    let side = bits::side(layout.width());
    let [past, present]: [Vec<NodeRef<Canvas>>; 2] =
        [(); 2].map(|()| TokenGroup::ALL.iter().map(|_| NodeRef::new()).collect());
    let row = |(at, group): (usize, TokenGroup)| {
        let reading = move || readings.with(|all| all.as_ref().map(|all| all[at].clone()));
        let is_changed =
            Memo::new(move |_| changed.with(|all| all.iter().flatten().flatten().any(|one| *one == group)));
        view! {
            <div class="bits__row" class:bits__row--changed=is_changed data-testid=format!("bits-{}", group.key())
                style:--high=format!("{}px", side * layout.group(group).len())>
                <span class="bits__key">{group.key()}</span>
                <canvas class="bits__past" node_ref=past[at]></canvas>
                <canvas class="bits__now" node_ref=present[at]></canvas>
                <span class="bits__says">
                    <span class="bits__name">{group.name()}</span>
                    <strong class="bits__reading">{reading}</strong>
                    <span class="bits__changed">{move || is_changed.get().then(|| tr!("changed"))}</span>
                </span>
            </div>
        }
    };
    let rows = TokenGroup::ALL.into_iter().enumerate().map(row).collect_view();
    paint(news, past, present);
    view! {
        <p class="card__text" data-testid="token-title">{title}</p>
        <div class="bits" role="img" aria-labelledby="token-words" data-testid="bits">{rows}</div>
        <p class="spoken" id="token-words" data-testid="token-words">{move || words.get().flatten()}</p>
        <p class="card__text" data-testid="token-says">{says}</p>
        <p class="card__note">
            {tr!("Each column on the left is the output token of a past step. The group pos1 shows the number of this past step; this number comes from the positional encoding. The wide column is the token of the present step after the block that is shown.")}
        </p>
        <p class="blocks__key" aria-hidden="true">{Kind::ALL.map(kind).into_iter().collect_view()}</p>
    }
    .into_any()
}

/// The colour of a kind of group.
fn kind(kind: Kind) -> AnyView {
    let class = match kind {
        Kind::State => "blocks__sample bits__sample--state",
        Kind::Symbol => "blocks__sample bits__sample--symbol",
        Kind::Position => "blocks__sample bits__sample--position",
        Kind::Flag => "blocks__sample bits__sample--flag",
    };
    view! { <span class="blocks__pair"><i class=class></i>{kind.name()}</span> }.into_any()
}

/// Paints all groups on every frame on which they have changed.
fn paint(news: News, past: Vec<NodeRef<Canvas>>, present: Vec<NodeRef<Canvas>>) {
    on_frames(news, move |colours| {
        news.peek(|state, view| {
            let layout = state.layout();
            let columns = bits::columns(&state.transformer, step(state));
            let token = now(state, view).unwrap_or_default();
            for (at, group) in TokenGroup::ALL.into_iter().enumerate() {
                let (colours, high) = (colours.of_kind(Kind::of(group)), layout.group(group).len() as u32);
                let all = columns.iter().map(Vec::as_slice);
                put(past.get(at), (PAST as u32, high), &bits::pixels(layout, group, all, colours));
                let one = std::iter::once(token);
                put(present.get(at), (1, high), &bits::pixels(layout, group, one, colours));
            }
        });
    });
}

fn put(canvas: Option<&NodeRef<Canvas>>, size: (u32, u32), picture: &[u8]) {
    if let Some(canvas) = canvas.and_then(|canvas| canvas.get_untracked()) {
        pixels::put(&canvas, size, picture);
    }
}
