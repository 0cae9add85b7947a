//! Checks the group axioms for a multiplication table that a user entered.

use super::{Group, GroupFamily};

/// The first property of a group that a multiplication table violates: its size, the range of its entries, or a group
/// axiom. Elements are the numbers in the table, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupTableError {
    /// The table has no entries.
    #[error("{}", tr!("the table is empty, but a group must have at least one element"))]
    Empty,
    /// The number of entries is not a square.
    #[error("{}", tr!("the table has {entries} entries, which is not a square number", entries))]
    NotSquare {
        /// Number of entries.
        entries: usize,
    },
    /// The number of entries is not the square of the order.
    #[error("{}", tr!("the table has {entries} entries, but a group of {order} elements has {products} products", entries, order, products = order * order))]
    Size {
        /// Number of elements of the group.
        order: usize,
        /// Number of entries.
        entries: usize,
    },
    /// An entry is not an element.
    #[error("{}", tr!("{row}·{column} = {entry}, which is not an element: the elements are 0 to {last}", row, column, entry, last = order - 1))]
    Range {
        /// The left factor.
        row: usize,
        /// The right factor.
        column: usize,
        /// The entry for this product.
        entry: usize,
        /// Number of elements of the group.
        order: usize,
    },
    /// A row contains an element twice: a·b = a·c for two different b and c.
    #[error("{}", tr!("row {row} has {entry} twice", row, entry))]
    Row {
        /// The left factor.
        row: usize,
        /// The repeated product.
        entry: usize,
    },
    /// A column contains an element twice: b·a = c·a for two different b and c.
    #[error("{}", tr!("column {column} has {entry} twice", column, entry))]
    Column {
        /// The right factor.
        column: usize,
        /// The repeated product.
        entry: usize,
    },
    /// No element e satisfies e·a = a·e = a for every a.
    #[error("{}", tr!("the table has no identity: there is no e with e·a = a and a·e = a for every a"))]
    Identity,
    /// The right inverse of an element is not its left inverse.
    #[error("{}", tr!("{element} has no inverse: {element}·{right} = {identity}, but {right}·{element} = {found}", element, right, identity, found))]
    Inverse {
        /// The element.
        element: usize,
        /// The right inverse of the element.
        right: usize,
        /// The identity.
        identity: usize,
        /// The product in the other order.
        found: usize,
    },
    /// A product of three elements depends on the brackets.
    #[error("{}", tr!("({a}·{b})·{c} = {left}, but {a}·({b}·{c}) = {right}", a, b, c, left, right))]
    Associativity {
        /// The first factor.
        a: usize,
        /// The second factor.
        b: usize,
        /// The third factor.
        c: usize,
        /// The product (a·b)·c.
        left: usize,
        /// The product a·(b·c).
        right: usize,
    },
}

impl Group {
    /// Builds the group with this multiplication table, a·b at `a * order + b`. Elements are named by their numbers.
    /// A valid table takes about order² log(order) steps.
    ///
    /// # Errors
    /// The first violation, checked in this order: size, range of the entries, repetitions in rows and columns,
    /// identity, inverses, associativity.
    pub fn from_table(order: usize, table: &[usize]) -> Result<Group, GroupTableError> {
        let entries = table.len();
        if order == 0 && entries == 0 {
            return Err(GroupTableError::Empty);
        }
        if entries.isqrt().pow(2) != entries {
            return Err(GroupTableError::NotSquare { entries });
        }
        if entries.isqrt() != order {
            return Err(GroupTableError::Size { order, entries });
        }
        if let Some(at) = table.iter().position(|entry| *entry >= order) {
            return Err(GroupTableError::Range {
                row: at / order,
                column: at % order,
                entry: table[at],
                order,
            });
        }
        check_latin_square(order, table)?;
        let e = (0..order)
            .find(|e| (0..order).all(|a| table[e * order + a] == a && table[a * order + e] == a))
            .ok_or(GroupTableError::Identity)?;
        for element in 0..order {
            let row = &table[element * order..][..order];
            let right = row.iter().position(|product| *product == e).unwrap_or(e);
            let found = table[right * order + element];
            if found != e {
                return Err(GroupTableError::Inverse { element, right, identity: e, found });
            }
        }
        check_associativity(order, table)?;
        let names = (0..order).map(|a| a.to_string()).collect();
        Ok(Group::build(table.iter().map(|entry| *entry as u32).collect(), names, GroupFamily::General))
    }
}

/// Checks that each row, then each column, of the table `[order, order]` contains every element once.
fn check_latin_square(order: usize, table: &[usize]) -> Result<(), GroupTableError> {
    let mut seen = vec![usize::MAX; order];
    for row in 0..order {
        for entry in &table[row * order..][..order] {
            if std::mem::replace(&mut seen[*entry], row) == row {
                return Err(GroupTableError::Row { row, entry: *entry });
            }
        }
    }
    seen.fill(usize::MAX);
    for column in 0..order {
        for entry in table[column..].iter().step_by(order) {
            if std::mem::replace(&mut seen[*entry], column) == column {
                return Err(GroupTableError::Column { column, entry: *entry });
            }
        }
    }
    Ok(())
}

/// Checks that the table `[order, order]` is associative, by Light's test: the elements b with (a·b)·c = a·(b·c) for
/// all a and c are closed under products, so that only generators are tested as b (Clifford and Preston 1961, *The
/// Algebraic Theory of Semigroups*, section 1.2).
fn check_associativity(order: usize, table: &[usize]) -> Result<(), GroupTableError> {
    let times = |a: usize, b: usize| table[a * order + b];
    let violation = |a: usize, b: usize, c: usize| {
        let (left, right) = (times(times(a, b), c), times(a, times(b, c)));
        (left != right).then_some(GroupTableError::Associativity { a, b, c, left, right })
    };
    let all = |middle: &[usize]| {
        let triples = (0..order).flat_map(|a| middle.iter().map(move |b| (a, *b)));
        triples.flat_map(|(a, b)| (0..order).map(move |c| (a, b, c))).find_map(|(a, b, c)| violation(a, b, c))
    };
    if all(&find_generators(order, times)).is_some() {
        // The error names the first violation in the order of a, b and c.
        let every: Vec<usize> = (0..order).collect();
        return all(&every).map_or(Ok(()), Err);
    }
    Ok(())
}

/// Finds a list of generators: elements whose products are all elements 0 to `order` − 1; `times(a, b)` is the product
/// a·b.
fn find_generators(order: usize, times: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    let mut generators = vec![];
    let mut reached = vec![false; order];
    let mut members: Vec<usize> = vec![];
    while let Some(next) = reached.iter().position(|r| !r) {
        generators.push(next);
        reached[next] = true;
        members.push(next);
        // Multiplies every member by every generator, also the older members by the new generator.
        let mut at = 0;
        while at < members.len() {
            for by in &generators {
                let product = times(members[at], *by);
                if !std::mem::replace(&mut reached[product], true) {
                    members.push(product);
                }
            }
            at += 1;
        }
    }
    generators
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(order: usize, table: &[usize]) -> String {
        Group::from_table(order, table).unwrap_err().to_string()
    }

    #[test]
    fn invalid_tables_give_the_violated_axiom() {
        assert_eq!(refused(0, &[]), "the table is empty, but a group must have at least one element");
        assert_eq!(refused(2, &[0, 1, 1, 0, 0]), "the table has 5 entries, which is not a square number");
        assert_eq!(
            refused(3, &[0, 1, 1, 0]),
            "the table has 4 entries, but a group of 3 elements has 9 products"
        );
        assert_eq!(refused(2, &[0, 1, 1, 2]), "1·1 = 2, which is not an element: the elements are 0 to 1");
        assert_eq!(refused(3, &[0, 1, 2, 1, 2, 0, 2, 2, 1]), "row 2 has 2 twice");
        assert_eq!(refused(3, &[0, 1, 2, 1, 2, 0, 1, 2, 0]), "column 0 has 1 twice");
        // a − b modulo 3: 0 is neutral on the right only.
        assert!(refused(3, &[0, 2, 1, 1, 0, 2, 2, 1, 0]).starts_with("the table has no identity: "));
    }

    /// A loop of order 5 in which 2·3 = 0 but 3·2 ≠ 0.
    #[test]
    fn a_one_sided_inverse_is_an_error() {
        #[rustfmt::skip]
        let table = [
            0, 1, 2, 3, 4,
            1, 0, 3, 4, 2,
            2, 4, 1, 0, 3,
            3, 2, 4, 1, 0,
            4, 3, 0, 2, 1,
        ];
        assert_eq!(refused(5, &table), "2 has no inverse: 2·3 = 0, but 3·2 = 4");
    }

    /// The smallest loops that are no groups have order 5; in this one every element is its own inverse.
    #[test]
    fn an_associativity_error_names_the_three_factors() {
        #[rustfmt::skip]
        let table = [
            0, 1, 2, 3, 4,
            1, 0, 3, 4, 2,
            2, 4, 0, 1, 3,
            3, 2, 4, 0, 1,
            4, 3, 1, 2, 0,
        ];
        assert_eq!(refused(5, &table), "(1·1)·2 = 2, but 1·(1·2) = 4");
    }

    #[test]
    fn every_swap_of_two_entries_is_detected() {
        let good: Vec<usize> = Group::quaternion().table().iter().map(|a| *a as usize).collect();
        assert!(Group::from_table(8, &good).is_ok());
        for at in 0..64 {
            let mut bad = good.clone();
            bad[at] = (bad[at] + 1) % 8;
            assert!(matches!(Group::from_table(8, &bad), Err(GroupTableError::Row { .. })), "{at}");
            bad[at] = 8;
            assert!(
                matches!(Group::from_table(8, &bad), Err(GroupTableError::Range { entry: 8, .. })),
                "{at}"
            );
        }
        // Two intercalates traded: still a Latin square with an identity, but no group.
        let mut bad = good;
        let (rows, columns) = ([2, 3], [4, 5]);
        let swapped = rows.map(|row| (row * 8 + columns[0], row * 8 + columns[1]));
        swapped.iter().for_each(|(a, b)| bad.swap(*a, *b));
        let error = Group::from_table(8, &bad).unwrap_err();
        assert!(
            matches!(error, GroupTableError::Associativity { .. } | GroupTableError::Inverse { .. }),
            "{error}"
        );
    }

    /// The first violation in the order of reading, against the plain loop.
    #[test]
    fn the_error_is_the_first_violation() {
        let n = 12;
        let mut table: Vec<usize> = Group::cyclic(n).table().iter().map(|a| *a as usize).collect();
        // Rows 3 and 9 trade two columns that hold the same two entries.
        for row in [3, 9] {
            table.swap(row * n + 1, row * n + 7);
        }
        let times = |a: usize, b: usize| table[a * n + b];
        let first = (0..n * n * n)
            .map(|i| (i / (n * n), i / n % n, i % n))
            .find(|(a, b, c)| times(times(*a, *b), *c) != times(*a, times(*b, *c)));
        match Group::from_table(n, &table) {
            Err(GroupTableError::Associativity { a, b, c, .. }) => assert_eq!(Some((a, b, c)), first),
            other => panic!("{other:?}"),
        }
    }

    /// All tables with each element once in each row and column, with rows in lexicographic order.
    fn latin_squares(order: usize) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![vec![]];
        for at in 0..order * order {
            let (row, column) = (at / order, at % order);
            let longer = |table: Vec<usize>| {
                let free = |entry: &usize| {
                    let mut above = table.iter().skip(column).step_by(order);
                    !table[row * order..].contains(entry) && above.all(|other| other != entry)
                };
                let entries: Vec<usize> = (0..order).filter(free).collect();
                entries.into_iter().map(move |entry| [table.as_slice(), &[entry]].concat())
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    /// Each group has order! / (number of its automorphisms) tables: 3 for Z₃; 12 + 4 for Z₄ and Z₂²; 30 for Z₅.
    #[test]
    fn exactly_the_group_tables_among_small_tables_are_accepted() {
        let every: Vec<Vec<usize>> =
            (0..19_683).map(|code| (0..9).map(|at| code / 3usize.pow(at) % 3).collect()).collect();
        assert_eq!(every.iter().filter(|table| Group::from_table(3, table).is_ok()).count(), 3);
        for (order, squares, groups) in [(4, 576, 16), (5, 161_280, 30)] {
            let all = latin_squares(order);
            assert_eq!(all.len(), squares);
            let (mut taken, mut reasons) = (0, [0; 3]);
            for table in &all {
                match Group::from_table(order, table) {
                    Ok(_) => taken += 1,
                    Err(GroupTableError::Identity) => reasons[0] += 1,
                    Err(GroupTableError::Inverse { element, right, identity, found }) => {
                        reasons[1] += 1;
                        assert_eq!(
                            (table[element * order + right], table[right * order + element]),
                            (identity, found)
                        );
                        assert_ne!(identity, found);
                    }
                    Err(GroupTableError::Associativity { a, b, c, left, right }) => {
                        reasons[2] += 1;
                        let times = |a: usize, b: usize| table[a * order + b];
                        assert_eq!((times(times(a, b), c), times(a, times(b, c))), (left, right));
                        assert_ne!(left, right);
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            assert_eq!(taken, groups);
            // Of 56 normalised squares of order 5 six are groups; any of five elements may be the identity.
            assert_eq!(squares - reasons[0], if order == 4 { 16 } else { 56 * 5 });
            assert_eq!(taken + reasons.iter().sum::<usize>(), squares);
        }
    }

    #[test]
    fn the_identity_may_be_any_element() {
        // Addition modulo 5 with every name one higher.
        let table: Vec<usize> = (0..25).map(|i| ((i / 5 + 4) + (i % 5 + 4) + 1) % 5).collect();
        let group = Group::from_table(5, &table).unwrap();
        assert_eq!((group.identity(), group.inverse(2), group.element_name(3)), (1, 0, "3"));
        assert_eq!(group.classes()[0], [1]);
        assert_eq!(group.class_of(0), 1);
    }
}
