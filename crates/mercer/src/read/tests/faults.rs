use super::*;

fn refused(bytes: &[u8], parts: &[&str]) {
    says(&message(Table::parse("t.csv", bytes)), parts);
}

#[test]
fn tables_that_are_none_are_refused_by_name() {
    refused(b"", &["t.csv", "empty"]);
    refused(b"\xEF\xBB\xBF", &["empty"]);
    refused(b"\n\n", &["empty"]);
    refused(b"a,b\n", &["a header but no rows"]);
    refused(b"\x1F\x8B\x08\x00", &["gzip"]);
    refused(b"PK\x03\x04", &["spreadsheet"]);
    refused(b"\xFF\xFEa\0,", &["UTF-16"]);
    refused(b"\xFF\xFE\0\xD8a\0", &["UTF-16"]);
}

#[test]
fn headers_that_name_no_columns_are_refused() {
    refused(b"a,b,a\n1,2,3\n", &["'a' stands twice", "columns 1 and 3"]);
    refused(b"a,,c\n1,2,3\n", &["column 2 has no name"]);
    refused(b"5.1,3.5\n4.9,3.0\n", &["only numbers", "5.1, 3.5", "--no-header"]);
    refused(b"5,0,0\n4,1,2\n", &["only numbers", "5, 0, 0", "--no-header"]);
    refused(b"five,0,0\nfour,1,2\n", &["'0' stands twice", "is there no header line? --no-header"]);
}

#[test]
fn a_row_with_too_few_or_too_many_cells_is_named_with_both_counts() {
    refused(b"a,b,c\n1,2,3\n1,2\n", &["row 2 has 2 cells, the header has 3", "line 3"]);
    refused(b"a,b\n1,2,3\n", &["row 1 has 3 cells, the header has 2"]);
    refused(b"a,b\n\"1,2\n3,4\n", &["row 1 has 1 cell, the header has 2", "quote left open"]);
}

#[test]
fn a_quote_that_swallows_the_rest_of_the_table_is_refused() {
    refused(b"a,b\n1,2\n1,\"2\n3,4\n", &["row 2", "quote", "never closed"]);
    refused(b"a\n\"1\n2\n3\n", &["row 1", "quote", "never closed"]);
    // A lone quote within a cell is a character like any other.
    assert_eq!(parsed("a,b\n5\" pipe,1\n3,2\n").rows(), 2);
}

#[test]
fn bytes_that_are_no_text_are_named_by_their_line() {
    refused(
        "größer,b\n1,schön\n3,".as_bytes().iter().chain(b"caf\xE9\n").copied().collect::<Vec<_>>().as_slice(),
        &["line 3", "UTF-8", "--encoding"],
    );
    refused(b"a,b\n1,\0\x01\x02\n", &["line 2", "no table"]);
}

#[test]
fn a_word_at_row_10001_of_a_column_of_numbers_is_named() {
    let mut cells: Vec<String> = (0..12_000).map(|i| format!("{}.5", i)).collect();
    cells[10_000] = "abc".into();
    let m = message(parsed(&column("x", cells)).dataset(&ReadOptions::default()));
    says(&m, &["t.csv: row 10001, column 'x': found 'abc', expected a number", "--types x=category"]);
}

#[test]
fn an_infinite_cell_is_named_by_row_and_column() {
    for cell in ["inf", "-Infinity", "1e999"] {
        let m = message(parsed(&format!("x,y\n1,2\n3,{cell}\n")).dataset(&ReadOptions::default()));
        says(&m, &["row 2, column 'y'", cell, "finite"]);
    }
}

#[test]
fn commas_that_may_part_thousands_are_named_not_taken_for_labels() {
    let mut table = parsed("x,y\n\"1,234\",1\n\"12,345\",2\n");
    says(&message(table.dataset(&ReadOptions::default())), &["row 1, column 'x'", "'1,234'", "--decimal"]);
    // Two ways of writing in one column.
    let mut table = parsed("x;y\n1.234,5;1\n12,345.0;2\n");
    says(&message(table.dataset(&ReadOptions::default())), &["row 1, column 'x'", "'1.234,5'", "decimal point"]);
}

#[test]
fn mostly_numbers_with_words_that_do_not_repeat_are_refused() {
    let cells = (0..30).map(|i| if i % 5 == 4 { format!("w{i}") } else { format!("{i}.25") });
    says(&message(parsed(&column("x", cells)).dataset(&ReadOptions::default())), &["row 5", "'w4'", "expected a number"]);
    says(&message(parsed("x\n1.5\n2.5\nabc\n4.5\n").dataset(&ReadOptions::default())), &["row 3, column 'x'", "'abc'"]);
}

#[test]
fn declared_columns_are_held_to_their_word() {
    let text = "x,c\n1,a\nq,b\n";
    says(&message(parsed(text).dataset(&options("x=number"))), &["row 2, column 'x'", "'q'", "finite number"]);
    says(&message(parsed(text).dataset(&options("xx=number"))), &["unknown column 'xx'", "did you mean 'x'"]);
    says(&message(parsed(text).take_target(&["c"], &options("y=number"))), &["unknown column 'y'"]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    says(&message(Table::read(&Source::new("no/such/table.csv"))), &["no/such/table.csv"]);
}

#[test]
fn weights_are_finite_positive_and_somewhere_above_zero() {
    let weights = |cells: &str| parsed(&format!("w,x\n{cells}")).take_weights("w");
    assert_eq!(weights("0,1\n2.5,1\n").unwrap(), [0.0, 2.5]);
    says(&message(weights("1,1\n-1,1\n")), &["row 2, column 'w'", "'-1'", "0 or more"]);
    says(&message(weights("1,1\ninf,1\n")), &["row 2", "finite"]);
    says(&message(weights("1,1\n,1\n")), &["row 2", "expected a value"]);
    says(&message(weights("0,1\n0,1\n")), &["every weight", "'w'", "0"]);
    says(&message(parsed("w,x\n1,2\n").take_weights("v")), &["unknown column 'v'"]);
}
