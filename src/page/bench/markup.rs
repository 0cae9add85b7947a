//! The benchmark as HTML.

use super::Bench;
use crate::html::Html;
use vivarium_player::trainer::Program;
use vivarium_view::record::bench::{BenchDevice, BenchRow, NETWORKS, format_cell};

impl Bench {
    /// Returns the heading of the benchmark as HTML; a button carries its name as attribute `data-press`.
    pub fn heading_html(&self) -> String {
        let mut out = Html::default();
        out.alternate(&[
            "<div class=\"gallery__top\"><h2 class=\"gallery__title\" tabindex=\"-1\">",
            tr!("Speed of this device"),
            "</h2><button class=\"button\" type=\"button\" data-press=\"close\" data-testid=\"bench-close\">",
            tr!("Back to the run"),
            "</button></div><p class=\"gallery__about\">",
            tr!(
                "The benchmark trains each of ten networks for a short time: on the CPU, on the GPU with the kernels of this page, and on the GPU with automatic differentiation (autodiff). This usually takes up to two minutes, and less without a GPU. Close other programs and tabs before you start. Nothing is sent anywhere: copy the table to send it to somebody."
            ),
            "</p>",
        ]);
        out.0
    }

    /// Returns the buttons of the benchmark, such as Start and Stop, as HTML.
    pub fn buttons_html(&self) -> String {
        let mut out = Html::default();
        let has_rows = !self.table.rows.is_empty();
        let mut buttons = vec![match (self.is_running(), has_rows) {
            (true, _) => ("stop", tr!("Stop")),
            (false, false) => ("start", tr!("Start")),
            (false, true) => ("start", tr!("Run again")),
        }];
        if has_rows {
            buttons.extend([("markdown", tr!("Copy as Markdown")), ("json", tr!("Copy as JSON"))]);
        }
        for (name, words) in buttons {
            out.button(name, "button", &format!("bench-{name}"), "", words);
        }
        out.0
    }

    /// Returns notes and tables of the benchmark's results so far as HTML.
    pub fn results_html(&self) -> String {
        let mut out = Html::default();
        for note in &self.notes {
            out.alternate(&["<p class=\"gallery__about\">", note, "</p>"]);
        }
        if !self.table.devices.is_empty() {
            self.write_device_table(&mut out);
        }
        if !self.table.rows.is_empty() {
            self.write_network_table(&mut out);
        }
        out.0
    }

    /// Returns a sentence on the benchmark's progress: program and network that are timed; empty before the start.
    pub fn status_text(&self) -> String {
        let Some(progress) = &self.progress else {
            return match (self.is_complete, self.table.rows.is_empty()) {
                (true, _) if self.notes.is_empty() => tr!("All networks have been timed.").into(),
                (true, _) => tr!("The benchmark has ended.").into(),
                (false, true) => String::new(),
                (false, false) => tr!("The benchmark was stopped.").into(),
            };
        };
        let program = match progress.program {
            Program::Cpu => tr!("CPU"),
            Program::CpuAutodiff => tr!("CPU, autodiff"),
            Program::Fused => tr!("GPU, kernels of this page"),
            Program::Gpu => tr!("GPU, autodiff"),
        };
        match progress.network_index {
            Some(at) => {
                let network = NETWORKS[at].name;
                tr!(
                    "{program}: {network} ({at} of {all})",
                    program,
                    network,
                    at = at + 1,
                    all = NETWORKS.len()
                )
            }
            None => tr!("{program}: getting ready", program),
        }
    }

    /// Appends the benchmark's table of devices with their peak arithmetic speeds.
    fn write_device_table(&self, out: &mut Html) {
        let headings = [
            tr!("Device"),
            tr!("Maximum GFLOP/s"),
            tr!("Maximum GFLOP/s in one workgroup"),
            tr!("Microseconds per launch"),
        ];
        out.start_table("bench-devices", tr!("Devices"), &headings);
        for device in &self.table.devices {
            let BenchDevice { name, simulated, gflops, workgroup_gflops, launch_us } = device;
            let name = if *simulated { tr!("{name} (simulated on the CPU)", name) } else { name.clone() };
            let numbers = [Some(*gflops), *workgroup_gflops, *launch_us].map(format_cell);
            out.write_table_row(&name, &[], &numbers);
        }
        out.raw("</tbody></table></div>");
    }

    /// Appends the benchmark's table of networks with their training speeds per device.
    fn write_network_table(&self, out: &mut Html) {
        let mut headings = vec![
            tr!("Network"),
            tr!("Device"),
            tr!("Learner"),
            tr!("Steps per second"),
            tr!("GFLOP/s"),
            tr!("Share of the maximum"),
        ];
        if self.other_table.is_some() {
            headings.extend([tr!("Other table"), tr!("Speed relative to the other table")]);
        }
        out.start_table("bench-rows", tr!("Networks"), &headings);
        for row in &self.table.rows {
            let BenchRow { network, device, learner, steps_per_s, gflops } = row;
            let share = self.table.format_fraction_of_maximum(row).map(|share| format!("{share} %"));
            let mut numbers =
                vec![format_cell(*steps_per_s), format_cell(*gflops), share.unwrap_or_default()];
            if let Some(theirs) = &self.other_table {
                let times = self.table.speedup(row, theirs);
                let other = times.zip(*steps_per_s).map(|(times, ours)| ours / times);
                numbers.extend([format_cell(other), format_cell(times)]);
            }
            out.write_table_row(network, &[device, learner], &numbers);
        }
        out.raw("</tbody></table></div>");
        // Smaller excesses are rounded to 100 %.
        if self
            .table
            .rows
            .iter()
            .any(|row| self.table.fraction_of_maximum(row).is_some_and(|part| part >= 1.005))
        {
            out.alternate(&[
                "<p class=\"gallery__about\">",
                tr!(
                    "A share above 100 % means that the device was slower while its maximum was measured, for example because other programs used it."
                ),
                "</p>",
            ]);
        }
    }

    /// Returns the note on the pasted benchmark table of another browser: its origin, or why it cannot be read.
    pub fn comparison_note(&self) -> String {
        match &self.other_table {
            Some(theirs) if !theirs.program.is_empty() => {
                tr!("The other table is from {program}.", program = theirs.program)
            }
            Some(_) => tr!("The other table is shown beside this one.").into(),
            None => self.table_error.clone(),
        }
    }
}

impl Html {
    /// Appends the start of a table, with caption and column headings, up to its first row; a wide table scrolls
    /// sideways. `name` is the table's test id.
    fn start_table(&mut self, name: &str, caption: &str, headings: &[&str]) {
        self.raw("<div class=\"bench-table\" tabindex=\"0\" role=\"region\" aria-label=\"");
        self.text(caption);
        for part in ["\"><table data-testid=\"", name, "\"><caption>"] {
            self.raw(part);
        }
        self.text(caption);
        self.raw("</caption><thead><tr>");
        for heading in headings {
            self.alternate(&["<th scope=\"col\">", heading, "</th>"]);
        }
        self.raw("</tr></thead><tbody>");
    }

    /// Appends a row to the benchmark's table: `name` as the row's heading, then cells of text, then cells of numbers.
    fn write_table_row(&mut self, name: &str, texts: &[&str], numbers: &[String]) {
        self.alternate(&["<tr><th scope=\"row\">", name, "</th>"]);
        for word in texts {
            self.alternate(&["<td>", word, "</td>"]);
        }
        for number in numbers {
            self.alternate(&["<td class=\"bench-number\">", number, "</td>"]);
        }
        self.raw("</tr>");
    }
}
