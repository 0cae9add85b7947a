//! Opening a table of the user, and choosing its label column.

use super::openers::openers;
use crate::effect::Effect;
use crate::state::State;
use vivarium_labs::data_file_link;
use vivarium_labs::tables::user_tables::{file_of_run, find_file, store_file};
use vivarium_model::platform::file::UploadedFile;
use vivarium_view::record::dataset::{self, Dataset, TableChoices};

/// Limit on (file size in bytes × number of columns) up to which a data table is read again once per column, to find
/// the label column.
const MAX_REREAD_BYTES: u64 = 1 << 20;

impl State {
    /// Opens a data table that was read from a file, and starts a run that trains on it.
    pub(super) fn open_table(
        &mut self,
        name: &str,
        file: UploadedFile,
        table: Dataset,
        effects: &mut Vec<Effect>,
    ) {
        self.refused_table = None;
        let number = store_file(name, file, table);
        effects.push(Effect::StoreTable(number));
        let Some(mut link) = data_file_link(number, &self.player.run.link) else {
            return;
        };
        self.notices = link.spec.repair();
        let columns = find_file(number).map_or(0, |opened| opened.table.names.len());
        let message = tr!(
            "Opened {name}: a table of {columns} columns. The table does not leave this device.",
            name,
            columns
        );
        self.change_link(link, message, effects);
    }

    /// Opens the table for which a saved run waits and resumes the run, or reports that it is another table.
    pub(super) fn open_awaited_table(
        &mut self,
        name: &str,
        file: UploadedFile,
        table: Dataset,
        effects: &mut Vec<Effect>,
    ) {
        let Some((number, label)) = self.awaited_table() else { return };
        // Where the label is not known, each column of a short file is tried.
        let columns = table.all.len();
        let is_short = file.size.saturating_mul(columns as u64) <= MAX_REREAD_BYTES;
        let again = file.bytes().filter(|_| label.is_none() && is_short);
        let others = again.into_iter().flat_map(|bytes| {
            let choices = (0..columns).map(|label| TableChoices::with_label(Some(label)));
            choices.filter_map(move |choices| dataset::read_numbered(bytes, &choices, number))
        });
        let found = std::iter::once(table).chain(others).find(|table| table.number == number);
        match found {
            Some(table) => {
                effects.push(Effect::StoreTable(store_file(name, file, table)));
                self.resume_waiting_run(effects);
            }
            None => self.reject_table(name),
        }
    }

    /// Makes the column with this index (from 0) the label of the run's table, and restarts the run.
    pub fn set_table_label(&mut self, label: usize, effects: &mut Vec<Effect>) {
        if let Some(opened) = file_of_run(&self.player.run.link.spec) {
            let choices = TableChoices { label: Some(label), ..opened.table.choices };
            self.read_table_again(&choices, effects);
        }
    }

    /// Reads the file of the run's table again according to other choices, and restarts the run.
    pub fn read_table_again(&mut self, choices: &TableChoices, effects: &mut Vec<Effect>) {
        // The menus of these choices come with the second WebAssembly module.
        let (Some(opened), Some(openers)) = (file_of_run(&self.player.run.link.spec), openers()) else {
            return;
        };
        (openers.open_table)(self, &opened.name, opened.file.clone(), choices, effects);
    }

    /// Reads the file of the table that was refused again, with the column with this index (from 0) as the label; None
    /// closes the file.
    pub fn choose_refused_label(&mut self, label: Option<usize>, effects: &mut Vec<Effect>) {
        let Some(refused) = self.refused_table.take() else { return };
        self.file_error.clear();
        if let (Some(label), Some(openers)) = (label, openers()) {
            let choices = TableChoices { label: Some(label), ..refused.table.choices };
            (openers.open_table)(self, &refused.name, refused.file, &choices, effects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use vivarium_core::settings::Value;
    use vivarium_labs::tables::user_tables::{describe_table, larger_class_share};
    use vivarium_model::chart;
    use vivarium_model::permalink::encode;
    use vivarium_model::protocol::{Command, Payload};
    use vivarium_model::run::RunSpec;
    use vivarium_plot::analysis::Reading;
    use vivarium_view::display::charts::ChartOfRun;
    use vivarium_view::ui::request::Request;

    fn file(rows: usize) -> Vec<u8> {
        let line = |i: usize| {
            format!("{},{},{}", i * 7 % 31, i * i % 53, if i.is_multiple_of(4) { "yes" } else { "no" })
        };
        ["size,age,sold".to_string()]
            .into_iter()
            .chain((0..rows).map(line))
            .collect::<Vec<_>>()
            .join("\n")
            .into_bytes()
    }

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn a_dropped_table_becomes_the_run_and_can_be_undone() {
        let mut state = open("#v1/sparse-parity?n=20");
        let effects = state.apply(Action::open_file("houses.csv", file(100)));
        assert!(matches!(effects[0], Effect::StoreTable(_)));
        let opened = file_of_run(&state.player.run.link.spec).expect("it is open");
        assert_eq!((opened.name.as_str(), opened.table.names.len()), ("houses.csv", 2));
        assert!(encode(&state.player.run.link).starts_with("#v1/tabular?data=own&csv="));
        assert!(state.player.message.contains("2 columns") && state.notices.is_empty());
        let Some(Value::Int(m)) = state.player.run.link.spec.value("m") else { panic!("a number") };
        assert_eq!(m, 90, "as many as there are");
        let about = describe_table(&state.player.run.link.spec).join(" ");
        for part in [
            "100 rows and 2 columns",
            "10 random rows are held out",
            "the column sold, with the two classes no and yes",
            "75.0 %",
        ] {
            assert!(about.contains(part), "{part}: {about}");
        }
        state.apply(Action::Request(Request::Relabel(1)));
        let opened = file_of_run(&state.player.run.link.spec).unwrap();
        assert_eq!((opened.table.label, opened.table.names.join(" ")), (1, "size".into()));
        state.apply(Action::Undo);
        state.apply(Action::Undo);
        assert_eq!(encode(&state.player.run.link), "#v1/sparse-parity?n=20");
    }

    /// A table whose usual label has one value, so that another column has to be chosen.
    fn unlabeled(rows: usize) -> Vec<u8> {
        let line = |i: usize| format!("{},{},same", i * 7 % 31, ["no", "yes"][i % 2]);
        let lines: Vec<String> =
            ["size,sold,kind".to_string()].into_iter().chain((0..rows).map(line)).collect();
        lines.join("\n").into_bytes()
    }

    #[test]
    fn another_label_can_be_chosen_where_a_table_is_refused() {
        let mut state = open("#v1/sparse-parity?n=20");
        state.apply(Action::open_file("houses.csv", unlabeled(100)));
        assert!(state.file_error.contains("the same value in all rows"), "{}", state.file_error);
        let refused = state.refused_table.clone().expect("a choice").table;
        assert_eq!((refused.all.join(" "), refused.label), ("size sold kind".into(), 2));
        assert_eq!(encode(&state.player.run.link), "#v1/sparse-parity?n=20", "nothing has changed");
        // Another bad choice leaves the choice open.
        state.apply(Action::Request(Request::LabelRefusedTable(Some(2))));
        assert!(state.refused_table.is_some() && !state.file_error.is_empty());
        state.apply(Action::Request(Request::LabelRefusedTable(Some(1))));
        assert!(state.refused_table.is_none() && state.file_error.is_empty(), "{}", state.file_error);
        let opened = file_of_run(&state.player.run.link.spec).expect("it is open");
        assert_eq!((opened.table.label, opened.table.names.join(" ")), (1, "size".into()));
        // The user may also leave it.
        state.apply(Action::open_file("houses.csv", unlabeled(90)));
        state.apply(Action::Request(Request::LabelRefusedTable(None)));
        assert!(state.refused_table.is_none() && state.file_error.is_empty());
        // Another file closes it.
        state.apply(Action::open_file("houses.csv", unlabeled(80)));
        state.apply(Action::open_file("notes.csv", b"only\nhere\n".to_vec()));
        assert!(state.refused_table.is_none());
    }

    #[test]
    fn a_table_can_be_read_again_with_other_choices() {
        let line = |i: usize| format!("{i},{},{}", i * 7 % 31, ["no", "yes"][i % 2]);
        let rows = |count: usize| (0..count).map(line).collect::<Vec<_>>().join("\n");
        let mut state = open("#v1/tabular");
        state.apply(Action::open_file("rows.csv", format!("id,size,sold\n{}", rows(100)).into_bytes()));
        let table = |state: &State| file_of_run(&state.player.run.link.spec).unwrap().table.clone();
        let first = table(&state);
        assert_eq!((first.names.join(" "), first.counters.join(" ")), ("size".into(), "id".into()));
        let choices = TableChoices { keeps_counters: true, ..first.choices };
        state.apply(Action::Request(Request::ReadTableAgain(choices)));
        assert_eq!(table(&state).names.join(" "), "id size");
        // Another label keeps the other choices.
        state.apply(Action::Request(Request::Relabel(1)));
        assert_eq!((table(&state).names.join(" "), table(&state).label), ("id".into(), 1));
        let choices = TableChoices { has_header: Some(false), label: Some(2), ..first.choices };
        state.apply(Action::Request(Request::ReadTableAgain(choices)));
        assert!(state.file_error.contains("no column contains only numbers"), "{}", state.file_error);
        assert_eq!(table(&state).label, 1, "nothing has changed");
    }

    #[test]
    fn the_command_names_the_file_and_the_label() {
        let mut state = open("#v1/tabular?replicas=1");
        state.apply(Action::open_file("my houses.csv", file(100)));
        let [command, code] = crate::files::repeating_commands(&state);
        assert!(command.contains(" --table \"my houses.csv\" --label sold"), "{command}");
        assert!(command.starts_with("lab run \"#v1/tabular?data=own&csv="), "{command}");
        assert!(code.contains(", table=\"my houses.csv\", label=\"sold\")"), "{code}");
        state.apply(Action::Request(Request::edit("data", "generated")));
        assert!(!crate::files::repeating_commands(&state)[0].contains("--table"));
    }

    /// A file and its link from before the rules of reading changed are the same run.
    #[test]
    fn a_link_to_a_table_of_the_first_version_finds_it_in_its_file() {
        let line = |i: usize| format!("{i},{},{}", i * 11 % 37, ["no", "yes"][i % 2]);
        let text = (0..100).map(line).collect::<Vec<_>>().join("\n");
        let text = format!("id,size,sold\n{text}").into_bytes();
        let first = TableChoices { rules: dataset::ReadingRules::First, ..TableChoices::with_label(None) };
        let number = dataset::read_with(&text[..], &first).unwrap().number;
        assert_ne!(dataset::read_bytes(&text, None).unwrap().number, number, "the rules differ");
        let link = format!("#v1/tabular?data=own&csv={number}&m=20");
        let mut state = open(&link);
        assert!(state.notices[0].expected.contains("not open"));
        state.apply(Action::open_file("rows.csv", text));
        assert_eq!(encode(&state.player.run.link), link);
        assert_eq!(file_of_run(&state.player.run.link.spec).unwrap().table.names.join(" "), "id size");
    }

    #[test]
    fn the_trainer_gets_the_table_before_the_run() {
        use crate::scripted::Scripted;
        use vivarium_player::device::GpuSupport;
        use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
        let mut state = open("#v1/tabular?replicas=1");
        state.apply(Action::GpuDetected(GpuSupport::NoWebGpu));
        let trainer = Scripted::new(Program::Cpu, 10);
        let mut sent = vec![];
        for message in trainer.take() {
            sent.extend(state.apply(Action::Trainer(Program::Cpu, TrainerMessage::Message(message))));
        }
        sent.clear();
        sent.extend(state.apply(Action::open_file("t.csv", file(60))));
        let place = |of: fn(&Command) -> bool| {
            sent.iter().position(|effect| matches!(effect, Effect::Send(command, _) if of(command)))
        };
        let table = place(|command| matches!(command, Command::Table { columns: 2 })).expect("a table");
        let start = place(|command| matches!(command, Command::Start { .. })).expect("a start");
        assert!(table < start);
        let Effect::Send(command, Payload::Numbers(numbers)) = &sent[table] else { panic!("numbers") };
        assert_eq!(numbers.len(), 60 * 3);
        trainer.send(command, &Payload::Numbers(numbers.clone()));
    }

    #[test]
    fn what_is_no_table_changes_nothing() {
        let mut state = open("#v1/tabular?n=9");
        state.apply(Action::open_file("notes.csv", b"only,words\nhere,and\n".to_vec()));
        assert!(
            state.file_error.contains("notes.csv was not opened")
                && state.file_error.contains("Nothing has changed")
        );
        assert_eq!(encode(&state.player.run.link), "#v1/tabular?n=9");
        state.apply(Action::open_file("metrics.csv", b"step,replica,train_loss\n1,0,0.5\n".to_vec()));
        assert!(state.file_error.contains("table of metrics"), "{}", state.file_error);
    }

    #[test]
    fn what_networks_reach_is_a_target_and_nothing_found() {
        let mut state = open("#v1/tabular?replicas=2");
        (state.player.run.step, state.player.run.solved) = (50, vec![(0, 40), (1, 50)]);
        for chart in [chart::LOSS, chart::ACCURACY] {
            let Reading::Lines(lines) = chart.reading(&state.player.run) else { panic!("curves") };
            assert_eq!(lines.marks, [(50.0, "target".to_string())]);
        }
        let mut hidden = open("#v1/sparse-parity");
        (hidden.player.run.step, hidden.player.run.solved) = (50, vec![(0, 50)]);
        let Reading::Lines(lines) = chart::LOSS.reading(&hidden.player.run) else { panic!("curves") };
        assert_eq!(lines.marks, [(50.0, "solution found".to_string())]);
    }

    #[test]
    fn a_generated_table_is_described_with_its_columns() {
        let text = |query: &str| {
            describe_table(&open(&format!("#v1/tabular{query}")).player.run.link.spec).join(" ")
        };
        let of = text("?s=4.7.11&seed=3");
        assert!(
            of.contains("4,000 rows and 20 columns")
                && of.contains("depends only on columns 4, 7 and 11, and it jumps at one point"),
            "{of}"
        );
        assert!(
            text("?turned=yes&pieces=8")
                .contains("on 3 random directions, and it jumps at 7 points along each of these directions. No single column is informative.")
        );
        assert!(describe_table(&RunSpec::default()).is_empty());
        assert_eq!(larger_class_share(&RunSpec::default()), None);
    }
}
