//! Letter case: the form in which texts that differ in it only are one (S9.27).

use caseless::Caseless;

/// The version of Unicode whose folding this is: an index that folds keeps it, for another version may fold otherwise.
pub(crate) const UNICODE_VERSION: [u8; 3] = {
    let (major, minor, patch) = caseless::UNICODE_VERSION;
    assert!(major < 256 && minor < 256 && patch < 256);
    [major as u8, minor as u8, patch as u8]
};

/// The full case folding of a text: the mappings of status C and F of Unicode's `CaseFolding.txt`.
///
/// Character by character, so that the start of a text folds to the start of the folded text. No normalisation,
/// and no language: Turkish `İ` folds as everybody's.
pub(crate) fn fold_case(text: &str) -> String {
    // Of ASCII only the letters A to Z fold.
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().default_case_fold().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_case_only_folds_to_one_text() {
        for (a, b) in [
            ("JBloggs", "jbloggs"),
            ("STRASSE", "straße"),
            ("\u{1e9e}", "ss"),
            ("ΌΣΟΣ", "όσος"),
            ("ﬁn", "FIN"),
            ("ǅ", "ǆ"),
            ("Ꭰ", "ꭰ"),
            ("\u{10400}", "\u{10428}"),
            ("K", "\u{212a}"),
            ("\u{1f88}", "\u{1f00}\u{3b9}"),
        ] {
            assert_eq!(fold_case(a), fold_case(b), "{a} {b}");
        }
        // Not T, the folding for Turkish alone; and no normalisation.
        assert_eq!(fold_case("I\u{130}"), "ii\u{307}");
        assert_ne!(fold_case("\u{e9}"), fold_case("e\u{301}"));
    }

    #[test]
    fn the_start_of_a_text_folds_to_the_start_of_the_folded_text() {
        let text = "Groß ΌΣ ﬃ İz";
        for (at, _) in text.char_indices() {
            assert!(fold_case(text).starts_with(&fold_case(&text[..at])), "{at}");
        }
    }

    #[test]
    fn ascii_folds_as_everything_does() {
        let ascii: String = (0_u8..128).map(char::from).collect();
        assert_eq!(fold_case(&ascii), ascii.chars().default_case_fold().collect::<String>());
    }
}
