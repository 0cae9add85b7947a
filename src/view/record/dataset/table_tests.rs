//! Tables as people have them: read as they are meant, or refused, and never in silence.

use super::*;
use crate::record::head::ForeignFormat;

/// Number of rows of the tables here.
const ROWS: usize = 120;

/// A table with the first line `head` and [`ROWS`] lines that `row` gives.
fn table(head: &str, row: impl Fn(usize) -> String) -> String {
    let lines: Vec<String> = std::iter::once(head.to_string()).chain((0..ROWS).map(row)).collect();
    lines.join("\n") + "\n"
}

/// Number without a pattern, for row `i`.
fn number(i: usize) -> usize {
    i * i * 7 % 101
}

/// Class of row `i`.
fn class(i: usize) -> &'static str {
    ["no", "yes"][i / 3 % 2]
}

fn read(text: &str) -> Dataset {
    read_with(text.as_bytes(), &TableChoices::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    read_with(text.as_bytes(), &TableChoices::default()).unwrap_err().to_string()
}

/// Names of the features, and all notes in one text.
fn names_and_notes(text: &str) -> (String, String) {
    let table = read(text);
    (table.names.join(" "), table.notes.join(" "))
}

/// Ordinary tables keep columns, label, classes and hash for ever, since links name them by their hash.
#[test]
fn ordinary_tables_keep_their_columns_and_their_hash() {
    let comma = table("size,age,sold", |i| format!("{},{}.5,{}", number(i), i * 13 % 47, class(i)));
    let tabs = table("size\tClass\tage", |i| format!("{}\t{}\t{}", number(i), class(i), i * 13 % 47));
    let quoted = table("\"size\",\"age\",\"target\"", |i| format!("\"{}\",{},{}", number(i), i % 29, i % 2));
    let regression = table("size;age;price", |i| format!("{};{};{}", number(i), i % 29, i * 31 % 113));
    let gaps = table("size,age,sold", |i| {
        format!("{},{},{}", number(i), if i % 40 == 7 { "NA".into() } else { (i % 29).to_string() }, class(i))
    });
    for (text, names, label, classes) in [
        (&comma, "size age", 2, "no yes"),
        (&tabs, "size age", 1, "no yes"),
        (&quoted, "size age", 2, "0 1"),
        (&regression, "size age", 2, "below 56 56 or more"),
        (&gaps, "size age", 2, "no yes"),
    ] {
        let current = read(text);
        let first = TableChoices { rules: ReadingRules::First, ..TableChoices::default() };
        let first = read_with(text.as_bytes(), &first).unwrap();
        assert_eq!((current.names.join(" "), current.label), (names.to_string(), label));
        assert_eq!(current.classes.join(" "), classes);
        assert_eq!((current.number, &current.table), (first.number, &first.table), "{names}");
        assert_eq!((&current.all, &current.notes), (&first.all, &first.notes), "{:?}", current.notes);
    }
    // By hand: two columns of mean 0 and deviation 1, and the labels, hashed by FNV-1a.
    let tiny = table("x,y", |i| format!("{},{}", i % 2 * 2, ["a", "b"][i / 2 % 2]));
    let read = read(&tiny);
    let expected = UploadedTable {
        columns: 1,
        x: (0..ROWS).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 }).collect(),
        y: (0..ROWS).map(|i| if i / 2 % 2 == 0 { -1.0 } else { 1.0 }).collect(),
    };
    assert_eq!((read.number, read.table), (expected.table_id(), expected));
}

#[test]
fn classes_called_none_na_and_nan_are_classes() {
    for name in ["None", "NA", "nan", "null", "N/A"] {
        let text = table("x,kind", |i| format!("{},{}", number(i), [name, "left"][i % 2]));
        let table = read(&text);
        assert_eq!(table.table.y.len(), ROWS, "{name}");
        assert!(table.classes.contains(&name.to_string()), "{:?}", table.classes);
        assert!(table.notes.is_empty(), "{:?}", table.notes);
    }
    // The empty cell and the question mark are missing.
    let text = table("x,kind", |i| format!("{},{}", number(i), ["None", "left", "", "?"][i % 4]));
    let table = read(&text);
    assert_eq!((table.table.y.len(), table.classes.join(" ")), (ROWS / 2, "None left".into()));
    assert_eq!(table.notes, ["Rows left out because of missing values: 60."]);
    // Among many numbers, NA is no class.
    let text = self::table("x,price", |i| {
        format!("{},{}", number(i), if i % 10 == 3 { "NA".into() } else { (i % 37).to_string() })
    });
    let numeric = read(&text);
    assert_eq!(numeric.table.y.len(), ROWS - 12);
    assert!(numeric.notes.join(" ").contains("Rows left out because their label is no number: 12."));
}

#[test]
fn the_label_is_chosen_by_preference_and_equal_names_are_numbered() {
    let text = table("x,y,label", |i| format!("{},{},{}", number(i), i % 29, class(i)));
    assert_eq!(read(&text).label, 2);
    let text = table("Species,x,y", |i| format!("{},{},{}", class(i), number(i), i % 29));
    assert_eq!(read(&text).label, 0);
    let text = table("x,x,kind", |i| format!("{},{},{}", number(i), i % 29, class(i)));
    let table = read(&text);
    assert_eq!(table.all, ["x (1)", "x (2)", "kind"]);
    assert_eq!(table.notes, ["Columns with the same name are numbered: x."]);
    let names = read_names(text.as_bytes(), &TableChoices::default()).unwrap();
    assert_eq!(find_column(&names, "x"), Err(vec![0, 1]));
    assert_eq!((find_column(&names, "x (2)"), find_column(&names, "kind")), (Ok(1), Ok(2)));
    assert_eq!(find_column(&names, "colour"), Err(vec![]));
}

#[test]
fn a_refused_label_leaves_the_choice_of_another_column() {
    let text = table("x,sold,kind", |i| format!("{},{},same", number(i), class(i)));
    let error = read_with(text.as_bytes(), &TableChoices::default()).unwrap_err();
    let FileError::Label(refused) = error else { panic!("{error:?}") };
    assert!(refused.reason.contains("the same value in all rows"));
    assert_eq!((refused.all.join(" "), refused.label), ("x sold kind".into(), 2));
    assert_eq!(read_bytes(text.as_bytes(), Some(1)).unwrap().names, ["x"]);
}

#[test]
fn the_first_line_is_recognised_and_can_be_chosen() {
    // No names: the numbers in the first line are data.
    let iris = (0..ROWS).map(|i| format!("{}.5,{},{}\n", number(i), i % 29, class(i))).collect::<String>();
    let table = read(&iris);
    assert_eq!((table.table.y.len(), table.has_header), (ROWS, false));
    assert_eq!(table.names, ["column 1", "column 2"]);
    assert!(table.notes[0].contains("is read as data"), "{:?}", table.notes);
    // Names that are numbers.
    let counted = self::table("0,1,2", |i| format!("{},{},{}", number(i), i % 29, class(i)));
    let table = read(&counted);
    assert_eq!((table.all.join(" "), table.table.y.len(), table.has_header), ("0 1 2".into(), ROWS, true));
    assert!(table.notes[0].contains("read as the names of the columns"), "{:?}", table.notes);
    // The user knows better.
    let choices = |has_header: bool| TableChoices { has_header: Some(has_header), ..TableChoices::default() };
    assert_eq!(read_with(iris.as_bytes(), &choices(true)).unwrap().table.y.len(), ROWS - 1);
    let all_data = self::table("7,5,1", |i| format!("{},{},{}", number(i), i % 29, i % 2));
    assert!(read(&all_data).names[0] == "column 1");
    assert_eq!(read_with(all_data.as_bytes(), &choices(true)).unwrap().names, ["7", "5"]);
}

#[test]
fn lines_above_and_within_a_table_are_named() {
    let rows = |sign: &str| table("", |i| format!("{}{sign}{}{sign}{}", number(i), i % 29, class(i)));
    let plain = read(&("size,age,sold".to_string() + &rows(",")));
    for (above, sign, part) in [
        (
            "Sales of 2020\n\n",
            ",",
            "Lines above the table, which are not read: 2, beginning with “Sales of 2020”.",
        ),
        ("# made by hand\n# twice\n", ",", "which are not read: 2, beginning with “# made by hand”."),
        ("sep=;\r\n", ";", ""),
        ("sep=|\n", "|", ""),
    ] {
        let text = format!("{above}size{sign}age{sign}sold{}", rows(sign));
        let table = read(&text);
        assert_eq!((table.number, table.names.join(" ")), (plain.number, "size age".into()), "{above}");
        assert!(table.notes.join(" ").contains(part), "{:?}", table.notes);
        assert_eq!(table.notes.is_empty(), part.is_empty(), "{:?}", table.notes);
    }
    // Names of rows, as R writes them: without a name, or with an empty one.
    for head in ["size age sold", "\"\" size age sold"] {
        let row = |i: usize| format!("\"r{i}\" {} {} {}", number(i), i % 29, class(i));
        let table = read(&self::table(head, row));
        assert_eq!((table.names.join(" "), table.number), ("size age".into(), plain.number), "{head}");
        assert!(table.notes.join(" ").contains("not numbers: column 1"), "{:?}", table.notes);
    }
    // A comment and a line of sums within the table.
    let text = format!("size,age,sold{}# checked\nTotal,7000,\n", rows(","));
    let table = read(&text);
    assert_eq!(table.number, plain.number);
    assert_eq!(
        table.notes,
        ["Lines left out as comments: 122.", "Lines left out because they sum up the rows above: 123."]
    );
    // Blanks between the cells, and old line ends.
    let text = format!("size  age   sold{}", rows("   ")).replace('\n', "\r");
    assert_eq!(read(&text).number, plain.number);
}

#[test]
fn few_odd_cells_are_missing_values_with_their_lines() {
    for marker in ["#N/A", "#DIV/0!", "-", ".", "<NA>", "1.2.3"] {
        let text = table("size,age,sold", |i| {
            let age = if i == 40 { marker.to_string() } else { (i % 29).to_string() };
            format!("{},{age},{}", number(i), class(i))
        });
        let table = read(&text);
        assert_eq!((table.names.join(" "), table.table.y.len()), ("size age".into(), ROWS - 1), "{marker}");
        let note = format!("Values read as missing: 1 (“{marker}” in line 42, column age).");
        assert_eq!(table.notes, [note, "Rows left out because of missing values: 1.".into()]);
    }
    // Many of them are a column of something else.
    let (names, notes) = names_and_notes(&table("size,day,sold", |i| {
        format!("{},2020-01-{:02},{}", number(i), i % 28 + 1, class(i))
    }));
    assert_eq!((names.as_str(), notes.contains("not numbers: day")), ("size", true));
}

#[test]
fn numbers_are_read_as_their_whole_column_writes_them() {
    let plain = read(&table("size,age,sold", |i| format!("{}.25,{},{}", number(i), 1000 + i * 57, class(i))));
    let cents = |i: usize| format!("{},25", number(i));
    let grouped = |i: usize| format!("{},{:03}", (1000 + i * 57) / 1000, (1000 + i * 57) % 1000);
    for (text, part) in [
        (
            table("size;age;sold", |i| format!("{};{};{}", cents(i), 1000 + i * 57, class(i))),
            "decimal commas: size.",
        ),
        (
            table("size\tage\tsold", |i| format!("{}\t{}\t{}", cents(i), 1000 + i * 57, class(i))),
            "decimal commas: size.",
        ),
        (
            table("size,age,sold", |i| format!("\"{}\",{},{}", cents(i), 1000 + i * 57, class(i))),
            "decimal commas: size.",
        ),
        (
            table("size,age,sold", |i| format!("{}.25,\"{}\",{}", number(i), grouped(i), class(i))),
            "signs between thousands: age.",
        ),
        (
            table("size,age,sold", |i| format!("{}.25 %,{},{}", number(i), 1000 + i * 57, class(i))),
            "per cent: size.",
        ),
        (
            table("size,age,sold", |i| format!("${}.25,{},{}", number(i), 1000 + i * 57, class(i))),
            "amounts of money: size.",
        ),
    ] {
        let table = read(&text);
        assert_eq!((table.number, table.names.join(" ")), (plain.number, "size age".into()), "{part}");
        assert!(table.notes.join(" ").contains(part), "{part}: {:?}", table.notes);
    }
    // The sign that a column proves holds for the label, too.
    let priced = |price: &dyn Fn(usize) -> String| {
        read(&table("size;age;price", |i| format!("{}.25;{};{}", number(i), i % 29, price(i))))
    };
    let (written, grouped) = (priced(&|i| (700 + i * 7).to_string()), |i: usize| match 700 + i * 7 {
        price @ ..1000 => price.to_string(),
        price => format!("{},{:03}", price / 1000, price % 1000),
    });
    assert_eq!(priced(&grouped).table, written.table);
    // Whole numbers between tabs have signs between thousands.
    let tabs = |sign: &str| {
        table("size\tage\tsold", |i| {
            format!("{}\t{}{sign}{:03}\t{}", number(i), 1 + i % 3, i * 57 % 1000, class(i))
        })
    };
    assert_eq!(read(&tabs(",")).number, read(&tabs("")).number);
    // Commas within quoted names separate nothing.
    let text = table("\"size, in m\";\"age, in days\";sold", |i| {
        format!("{};{};{}", cents(i), 1000 + i * 57, class(i))
    });
    assert_eq!(read(&text).number, plain.number);
    // A column that does not agree is left out, and the others stay.
    let text = table("size,age,sold", |i| {
        format!("{},\"{}\",{}", number(i), if i % 2 == 0 { "1.5" } else { "1,5" }, class(i))
    });
    let (names, notes) = names_and_notes(&text);
    assert_eq!((names.as_str(), notes.contains("not numbers: age")), ("size", true), "{notes}");
}

#[test]
fn a_quotation_mark_that_is_not_closed_is_named() {
    let text = table("size,age,sold", |i| {
        let mark = if i == 60 { "\"" } else { "" };
        format!("{},{},{mark}{}", number(i), i % 29, class(i))
    });
    assert!(refusal(&text).starts_with("a quotation mark in line 62 is not closed"), "{}", refusal(&text));
    // All labels in marks, and one mark is missing.
    let text = table("size,age,sold", |i| {
        let mark = if i == 60 { "" } else { "\"" };
        format!("{},{},\"{}{mark}", number(i), i % 29, class(i))
    });
    assert!(refusal(&text).starts_with("a quotation mark in line 62 is not closed"), "{}", refusal(&text));
}

#[test]
fn columns_that_count_the_rows_are_left_out_unless_they_are_wanted() {
    for name in ["id", "Index", "", "Unnamed: 0"] {
        let text = table(&format!("{name},size,sold"), |i| format!("{i},{},{}", number(i), class(i)));
        let table = read(&text);
        let shown = if name.is_empty() { "column 1" } else { name };
        assert_eq!((table.names.join(" "), table.counters.join(" ")), ("size".into(), shown.into()));
        assert_eq!(table.notes, [format!("Columns left out because they count the rows: {shown}.")]);
        let choices = TableChoices { keeps_counters: true, ..TableChoices::default() };
        let kept = read_with(text.as_bytes(), &choices).unwrap();
        assert_eq!((kept.names.len(), kept.counters.len()), (2, 1));
        assert!(kept.notes[0].starts_with("Columns that count the rows are kept"));
    }
    // Another name, or other numbers, are data.
    let text = table("time,id,sold", |i| format!("{i},{},{}", number(i), class(i)));
    assert_eq!(names_and_notes(&text), ("time id".into(), String::new()));
}

#[test]
fn row_numbers_of_a_larger_table_are_named() {
    let text = table(",size,sold", |i| format!("{},{},{}", i * 37 % ROWS, number(i), class(i)));
    let table = read(&text);
    assert_eq!((table.names.join(" "), table.counters.len()), ("column 1 size".into(), 0));
    assert!(
        table.notes[0].contains("a different whole number in each row")
            && table.notes[0].ends_with(": column 1."),
        "{:?}",
        table.notes
    );
    let named = self::table("time,size,sold", |i| format!("{},{},{}", i * 37 % ROWS, number(i), class(i)));
    assert_eq!(names_and_notes(&named).1, "");
}

#[test]
fn columns_that_give_the_label_away_are_named() {
    let text = table("size,code,sold", |i| {
        format!("{},{},{}", number(i), if class(i) == "yes" { 7 } else { 3 }, class(i))
    });
    let (names, notes) = names_and_notes(&text);
    assert_eq!(names, "size code");
    assert!(notes.contains("reveal the label") && notes.ends_with(": code."), "{notes}");
    let text =
        table("size,cents,price", |i| format!("{},{},{}", number(i), i * 31 % 113 * 100, i * 31 % 113));
    assert!(names_and_notes(&text).1.ends_with(": cents."), "{}", names_and_notes(&text).1);
}

#[test]
fn files_of_other_kinds_say_what_they_are() {
    let of = |bytes: &[u8]| read_from(bytes, None).unwrap_err();
    let utf16: Vec<u8> = "a,b\n1,x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(of(&utf16), FileError::OtherFormat(ForeignFormat::Utf16));
    assert_eq!(of(&[b"\xff\xfe".to_vec(), utf16].concat()), FileError::OtherFormat(ForeignFormat::Utf16));
    let workbook = b"PK\x03\x04 [Content_Types].xml xl/workbook.xml";
    assert_eq!(of(workbook), FileError::OtherFormat(ForeignFormat::Workbook));
    assert!(of(workbook).to_string().contains("CSV UTF-8"));
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    assert_eq!(of(pointer), FileError::OtherFormat(ForeignFormat::GitPointer));
    for json in ["{\"size\": 1, \"sold\": \"no\"}\n{\"size\": 2}", "[\n  {\"size\":1,\"sold\":\"no\"}]"] {
        assert_eq!(of(json.as_bytes()), FileError::OtherFormat(ForeignFormat::Json));
    }
    for compressed in [&b"\xfd7zXZ\0\0"[..], b"\x28\xb5\x2f\xfd\x24", b"7z\xbc\xaf\x27\x1c\0"] {
        assert_eq!(of(compressed), FileError::OtherFormat(ForeignFormat::Archive));
    }
    // Windows-1252: the sentence says how to save it.
    let latin = b"size,sold\n1,caf\xe9\n2,no\n".to_vec();
    assert_eq!(of(&latin), FileError::NotText);
    assert!(of(&latin).to_string().contains("“CSV UTF-8”"));
}

/// A table with the columns size and age, and the class of each row.
fn usual() -> String {
    table("size,age,sold", |i| format!("{},{},{}", number(i), i % 29, class(i)))
}

#[test]
fn files_that_were_joined_are_one_table() {
    let usual = usual();
    let plain = read(&usual);
    let (head, rows) = usual.split_once('\n').unwrap();
    let (first, second) = rows.split_at(rows.match_indices('\n').nth(59).unwrap().0 + 1);
    for mark in ["", "\u{feff}"] {
        let joined = read(&format!("{mark}{head}\n{first}{mark}{head}\n{second}"));
        assert_eq!((joined.number, &joined.classes), (plain.number, &plain.classes));
        assert_eq!(
            joined.notes,
            ["Lines left out because they repeat the names of the columns: 62."],
            "{mark:?}"
        );
    }
    // A mark before data belongs to no cell.
    assert_eq!(read(&format!("{head}\n{first}\u{feff}{second}")).table, plain.table);
    // Signs of the end of a file, and bytes that fill it up.
    for end in ["\u{1a}", "\0\0\0\0", "\n\u{1a}\n"] {
        let table = read(&format!("{}{end}", usual.trim_end()));
        assert_eq!((table.number, table.notes.len()), (plain.number, 0), "{end:?}");
    }
}

#[test]
fn lines_below_a_table_are_named_and_no_row_follows_them() {
    let (usual, below) = (usual(), "\nSource: Bureau of Sales\n(120 rows, 2020)\n");
    let table = read(&(usual.clone() + below));
    assert_eq!(table.number, read(&usual).number);
    assert_eq!(
        table.notes,
        [
            "Lines below the table, which are not read: 2, beginning with “Source: Bureau of Sales” in line 123."
        ]
    );
    assert!(
        refusal(&(usual.clone() + below + "7,7,no\n")).contains("the number of cells in line 123 is 1"),
        "a row follows"
    );
    // A row that is cut off is no note.
    assert!(refusal(&(usual + "7,7\n")).contains("the number of cells in line 122 is 2"));
}

#[test]
fn separators_without_a_meaning_add_no_column() {
    let plain = read(&usual());
    let with =
        |head: &str, end: &str| read(&table(head, |i| format!("{},{},{}{end}", number(i), i % 29, class(i))));
    for (head, end) in [
        ("size,age,sold", ","),
        ("size,age,sold,", ","),
        ("size,age,sold,,,", ""),
        ("size,age,sold,,,", ",,,"),
        ("Sales of 2020,,\n,,\nsize,age,sold", ""),
    ] {
        let table = with(head, end);
        assert_eq!((table.number, table.names.join(" ")), (plain.number, "size age".into()), "{head:?}");
        assert_eq!(table.all[table.label], "sold", "{head:?} {end:?}");
    }
}

#[test]
fn quotation_marks_are_read_behind_blanks_and_backslashes() {
    let plain = read(&usual());
    let text =
        table("size, \"age, days\", sold", |i| format!("{}, \"{}\" , \"{}\"", number(i), i % 29, class(i)));
    let spaced = read(&text);
    assert_eq!((spaced.number, spaced.names.join("|")), (plain.number, "size|age, days".into()));
    assert_eq!(spaced.classes, plain.classes);
    let text = table("size,age,name,sold", |i| {
        format!("{},{},\"the \\\"big\\\", old one\",{}", number(i), i % 29, class(i))
    });
    let escaped = read(&text);
    assert_eq!((escaped.number, escaped.names.join(" ")), (plain.number, "size age".into()));
    assert!(escaped.notes[0].starts_with("Quotation marks after a backslash"), "{:?}", escaped.notes);
    // Each line in marks as a whole.
    let text = table("\"size,age,sold\"", |i| format!("\"{},{},{}\"", number(i), i % 29, class(i)));
    assert!(refusal(&text).contains("each whole line is in quotation marks"), "{}", refusal(&text));
}

#[test]
fn numbers_of_other_programs_and_scripts_are_read() {
    let of = |size: &dyn Fn(usize) -> String| {
        names_and_notes(&table("size,age,sold", |i| format!("{},{},{}", size(i), i % 29, class(i))))
    };
    let arabic = |i: usize| -> String {
        let digit = |sign: char| char::from_u32(sign as u32 - 48 + 0x660).unwrap();
        number(i).to_string().chars().map(digit).collect()
    };
    for (names, notes) in
        [of(&|i| format!("{}.5D+02", number(i))), of(&arabic), of(&|i| format!("\u{200e}{}", number(i)))]
    {
        assert_eq!((names.as_str(), notes.as_str()), ("size age", ""));
    }
    let (names, notes) = of(&|i| format!("\"{},5E+02\"", number(i)));
    assert_eq!((names.as_str(), notes.as_str()), ("size age", "Columns read with decimal commas: size."));
    let (names, notes) = of(&|i| format!("\"12,34,{:03}\"", number(i)));
    assert_eq!((names.as_str(), notes.contains("signs between thousands: size")), ("size age", true));
    let (names, notes) = of(&|i| match i {
        4 => "-Infinity".into(),
        9 => "1.#INF".into(),
        _ => number(i).to_string(),
    });
    assert_eq!((names.as_str(), notes.contains("Values read as missing: 2")), ("size age", true), "{notes}");
    // Codes are no numbers.
    assert_eq!(of(&|i| format!("{}D2", number(i))).0, "age");
    // The note does not call numbers equal that double precision can hardly distinguish.
    let (names, notes) = of(&|i| (9_007_199_254_740_992 + 2 * number(i) as u64).to_string());
    assert_eq!(
        (names.as_str(), notes.contains("less than a trillionth of their mean: size")),
        ("age", true),
        "{notes}"
    );
}

#[test]
fn spellings_of_a_label_are_one_class() {
    let text = table("size,sold", |i| format!("{},{}", number(i), ["0", "1.0", "0", "1"][i % 4]));
    let table = read(&text);
    assert_eq!((table.table.y.len(), table.classes.join(" ")), (ROWS, "0 1".into()));
    assert_eq!(table.notes, ["Labels that are the same number are one class: 1, 1.0."]);
    // A link to the table of the first rules still gives this table.
    let first = TableChoices { rules: ReadingRules::First, ..TableChoices::default() };
    let first = read_with(text.as_bytes(), &first).unwrap();
    assert_eq!(first.table.y.len(), ROWS * 3 / 4);
    assert!(read_numbered(text.as_bytes(), &TableChoices::default(), first.number).is_some());
    // Two spellings alone, and codes with zeros at the beginning, stay apart.
    for labels in [["1", "1.0"], ["01", "1"]] {
        let text = self::table("size,sold", |i| format!("{},{}", number(i), labels[i % 2]));
        let table = read(&text);
        assert_eq!((table.classes, table.notes.len()), (labels.map(String::from), 0));
    }
}

#[test]
fn refusals_name_the_cell_or_the_classes() {
    let text = table("size,age,sold", |i| format!("{} kg,{} d,{}", number(i), i % 29, class(i)));
    assert!(refusal(&text).ends_with("the text in column size, line 2, for example, is “0 kg”"));
    let text = table("size,sold", |i| format!("{},class {}", number(i), i % 40));
    assert!(refusal(&text).contains("has 40 classes"), "{}", refusal(&text));
    // Units below the names are no data.
    let rows = table("", |i| format!("{},{},{}", number(i), i % 29, class(i)));
    let table = read(&format!("size,age,sold\n(m),years,{rows}"));
    assert_eq!((table.number, table.names.join(" ")), (read(&usual()).number, "size age".into()));
    assert_eq!(
        table.notes,
        [
            "Lines left out between the names of the columns and the data, because these lines contain text in columns of numbers, such as units: 1 ((m), years, …)."
        ]
    );
}

#[test]
fn the_first_row_of_numbers_in_other_spellings_is_data() {
    let spellings: [&dyn Fn(usize) -> String; 3] = [
        &|i| format!("{}.445D+02 {}.747D+01 {}", number(i) + 1, i % 29, class(i)),
        &|i| format!("{},5;{},5;{}", number(i) + 1, i % 29, class(i)),
        &|i| format!("٣{},٤{},{}", "٠١٢٣٤٥٦٧٨٩".chars().nth(i % 10).unwrap(), "٥".repeat(i % 3), class(i)),
    ];
    for row in spellings {
        let lines: Vec<String> = (0..ROWS).map(row).collect();
        let table = read(&(lines.join("\n") + "\n"));
        assert!(!table.has_header, "{:?}", table.names);
        assert_eq!(table.table.y.len(), ROWS, "{:?}", table.notes);
    }
    // A number with a unit may be a name.
    assert!(read(&table("10%,20%,sort", |i| format!("{},{},{}", number(i), i % 29, class(i)))).has_header);
}

#[test]
fn the_table_of_a_link_is_found_among_all_readings() {
    let text = table("id,size,sold", |i| format!("{i},{},{}", number(i), class(i)));
    let first = TableChoices { rules: ReadingRules::First, ..TableChoices::default() };
    let number = read_with(text.as_bytes(), &first).unwrap().number;
    let found = read_numbered(text.as_bytes(), &TableChoices::default(), number).unwrap();
    assert_eq!((found.number, found.names.join(" ")), (number, "id size".into()));
    assert_eq!(read_numbered(text.as_bytes(), &TableChoices::default(), number ^ 1), None);
    // Each combination of choices can be found again, so that a stored run keeps its table.
    let variants = TableChoices::with_label(Some(2)).variants();
    assert_eq!(variants.len(), 7);
    for choices in variants {
        let Ok(table) = read_with(text.as_bytes(), &choices) else { continue };
        let again = read_numbered(text.as_bytes(), &TableChoices::with_label(Some(2)), table.number);
        assert_eq!(again.map(|again| again.number), Some(table.number), "{choices:?}");
    }
}
