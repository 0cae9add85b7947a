//! The layout of the page. Components show the state and dispatch actions; they decide nothing.

use leptos::prelude::*;

use crate::charts::curves::PointerContext;
use crate::charts::numbers::ShownTable;
use crate::charts::plots::{Plots, provide_chart_tools};
use crate::lecture::LectureDialog;
use crate::run::preset::{Presets, Story};
use crate::run::readouts::Readouts;
use crate::run::task::Task;
use crate::run::transport::Transport;
use crate::settings::sections::Form;
use crate::share::embed_header::EmbedHeader;
use crate::share::links::Links;
use crate::shell::deferred::{Deferred, Part};
use crate::shell::help::listen_to_shortcuts;
use crate::shell::mount_queue::{Later, MountQueue};
use crate::shell::second_module;
use crate::stage::{ShowPicture, Stage};
use crate::store::Store;
use crate::tour::printing::TeacherPage;
use vivarium_core::language::translated;
use vivarium_page::presenter::PresenterAction;
use vivarium_page::share::titles;
use vivarium_page::stage::StagePlacement;
use vivarium_page::state::Action;
use vivarium_ui::appearance::{Appearance, PresentButton, ThemeButton};
use vivarium_ui::browser::set_root_attribute;
use vivarium_ui::icon;

/// View of the whole page.
#[component]
pub fn App() -> impl IntoView {
    let store = Store::open();
    let appearance = Appearance::provide();
    let shown = ShownTable::provide();
    PointerContext::provide();
    TeacherPage::provide();
    LectureDialog::provide();
    provide_chart_tools(store);
    MountQueue::provide();
    let hidden = store.memo(|state| {
        let hidden = vivarium_model::permalink::HIDEABLE_PARTS
            .iter()
            .filter(|(part, _)| state.player.run.link.hides(part));
        hidden.map(|(part, _)| *part).collect::<Vec<_>>().join(" ")
    });
    let covered = store.memo(|state| state.is_run_hidden() || state.shows_stage());
    let staged = store.memo(|state| state.shows_stage());
    let placement = store.memo(|state| state.stage_placement());
    let title = store.memo(titles::page_title);
    Effect::new(move |_| document().set_title(&title.get()));
    let embedded = store.memo(|state| state.player.run.link.is_embedded());
    Effect::new(move |_| {
        set_root_attribute("data-hide", &hidden.get());
        set_root_attribute("data-embed", if embedded.get() { "on" } else { "off" });
        let stage = match placement.get() {
            StagePlacement::Hidden => "off",
            StagePlacement::FirstScreen => "on",
            StagePlacement::Panel => "panel",
        };
        set_root_attribute("data-stage", stage);
    });
    let [help, files, tours] = [(); 3].map(|()| RwSignal::new(false));
    listen_to_shortcuts(store, help, files, appearance);
    second_module::provide_second_program(store, move || {
        help.get() | files.get() | tours.get() | shown.is_open()
    });
    // The first screen covers the details.
    let is_delayed = staged.get_untracked();
    view! {
        <header class="masthead">
            <h1 class="masthead__name" translate="no">"Vivarium"</h1>
            <p class="masthead__tagline">{translated(POINT)}</p>
            <Presets />
            <div class="masthead__tools">
                <a class="button" href="#gallery" title=tr!("All experiments and their results (G)") data-testid="gallery">
                    {tr!("Gallery")}
                </a>
                <button class="button" type="button" data-testid="stories" on:click=move |_| tours.set(true)>
                    {tr!("Stories")}
                </button>
                <PresentButton appearance />
                <button class="tool tool--present" type="button" aria-label=tr!("Presenter mode") title=tr!("Presenter mode (Shift+P)")
                    data-testid="presenter" on:click=move |_| store.act(Action::Presenter(PresenterAction::Enter))>
                    <icon::Icon name=icon::Name::Enlarge />
                </button>
                <ThemeButton appearance />
                <button class="tool" type="button" aria-label=tr!("Save and open files") title=tr!("Save and open files (S)")
                    data-testid="files" on:click=move |_| files.set(true)>
                    <icon::Icon name=icon::Name::Files />
                </button>
                <button class="tool" type="button" aria-label=tr!("Help and shortcuts") title=tr!("Help and shortcuts (?)")
                    data-testid="help" on:click=move |_| help.set(true)>
                    <icon::Icon name=icon::Name::Help />
                </button>
            </div>
        </header>
        <Notices />
        <Deferred part=Part::ResumeOffer />
        <Deferred part=Part::Gallery />
        <Deferred part=Part::Bench />
        <Stage />
        <main class="run-view" hidden=covered>
            <Deferred part=Part::Presenter />
            <Deferred part=Part::Tour />
            <div class="stage">
                <Deferred part=Part::HeroPanel />
                <EmbedHeader />
                <ShowPicture />
                <Later is_delayed><Story /></Later>
                <Later is_delayed><Task /></Later>
                <Later is_delayed><Transport /></Later>
                <Deferred part=Part::Compared />
                <Deferred part=Part::SweepMap />
                <Later is_delayed><Plots /></Later>
                <Later is_delayed><Readouts /></Later>
                <Deferred part=Part::Panels />
                <Later is_delayed><Links /></Later>
                <Deferred part=Part::Library />
                <Deferred part=Part::StoryTeaser />
            </div>
            <aside class="panel" aria-label=tr!("Settings")>
                <Deferred part=Part::SweepForm />
                // The first screen has the form in a drawer; there are not two of it, since its fields have ids.
                {move || (!staged.get()).then(|| view! { <Form /> })}
            </aside>
        </main>
        <Deferred part=Part::Help(help) />
        <Deferred part=Part::Numbers />
        <Deferred part=Part::Files(files) />
        <Deferred part=Part::StoryList(tours) />
        <Deferred part=Part::Lecture />
    }
    .into_any()
}

/// Subtitle of the page, shown below its name.
const POINT: &str = text!("A small neural network learns here, in your browser, while you watch.");

/// The list of notices about ignored parts of the link.
#[component]
fn Notices() -> impl IntoView {
    let store = Store::here();
    let notices = store.memo(|state| state.notices.iter().map(ToString::to_string).collect::<Vec<_>>());
    move || {
        let notices = notices.get();
        (!notices.is_empty()).then(|| {
            view! {
                <section class="notice" role="alert" data-testid="notice">
                    <div class="notice__text">
                        <p class="notice__head">{tr!("Some parts of this link could not be used as they are written; the other parts were kept.")}</p>
                        <ul>{notices.into_iter().map(|text| view! { <li prop:textContent=text></li> }).collect_view()}</ul>
                    </div>
                    <button class="button" type="button" on:click=move |_| store.act(Action::DismissNotices)>
                        {tr!("Close")}
                    </button>
                </section>
            }
        })
    }
}
