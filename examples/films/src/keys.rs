//! Keys out of names: legal, readable, and the same at each loading.

use std::collections::HashSet;

/// Writes what a key may not hold as `~` and two hexadecimal digits: `Face/Off` becomes `Face~2FOff`.
///
/// Keys may not hold `/`, `\`, `#`, `?` and control characters. `~` itself is written so, too, so that no two names
/// become one key.
pub(crate) fn safe(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '/' | '\\' | '#' | '?' | '~' | '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
                key.push_str(&format!("~{:02X}", u32::from(character)));
            }
            _ => key.push(character),
        }
    }
    key
}

/// The keys that a loading has given so far, so that none is given twice.
#[derive(Debug, Default)]
pub(crate) struct Keys(HashSet<(String, String)>);

impl Keys {
    /// This RowKey, or if it is taken in this partition, the same with the first free number from 2 on.
    ///
    /// The file's order decides who gets which number, so the next loading of the same file gives the same keys.
    pub(crate) fn unique(&mut self, partition_key: &str, row_key: &str) -> String {
        let numbered = (2..).map(|number: u32| format!("{row_key}, {number}"));
        let mut free = std::iter::once(row_key.to_owned())
            .chain(numbered)
            .skip_while(|row_key| !self.0.insert((partition_key.to_owned(), row_key.clone())));
        // There are more numbers than films.
        free.next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entable::{Entity, EntityInput, IntoEntity, Mode};

    #[test]
    fn names_become_keys_that_every_mode_takes() {
        for (name, key) in [
            ("Alien³", "Alien³"),
            ("Face/Off", "Face~2FOff"),
            ("Quo Vadis?", "Quo Vadis~3F"),
            ("Revolution#9", "Revolution~239"),
            ("back\\slash\u{7f}\u{9f}\n", "back~5Cslash~7F~9F~0A"),
            ("100 % ~ 'quoted'", "100 % ~7E 'quoted'"),
            ("", ""),
        ] {
            assert_eq!(safe(name), key);
            let input: EntityInput = Entity::new(safe(name), safe(name)).into_input().unwrap();
            assert!(input.check(Mode::Strict).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_name_that_looks_like_a_key_does_not_become_another_names_key() {
        assert_ne!(safe("Face/Off"), safe("Face~2FOff"));
    }

    #[test]
    fn taken_keys_get_numbers_in_the_order_of_the_file() {
        let given = || {
            let mut keys = Keys::default();
            ["Crash (2005)", "Crash (2005), 2", "Crash (2005)", "Crash (2005)"]
                .map(|row_key| keys.unique("Drama", row_key))
        };
        assert_eq!(given(), ["Crash (2005)", "Crash (2005), 2", "Crash (2005), 3", "Crash (2005), 4"]);
        assert_eq!(given(), given());
        let mut keys = Keys::default();
        assert_eq!([keys.unique("Drama", "Crash"), keys.unique("Action", "Crash")], ["Crash", "Crash"]);
    }
}
