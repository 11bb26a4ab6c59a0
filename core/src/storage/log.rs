//! Changes as they came, in one piece of memory, for keys that nobody looks for before they are put; and the order of
//! many keys.

use std::cmp::Ordering;

/// Changes of one space: appended, and in key order once they are settled.
#[derive(Default)]
pub(super) struct Log {
    bytes: Vec<u8>,
    items: Vec<Item>,
    /// The last item of each key, in key order: made by settling.
    order: Vec<usize>,
}

/// A key and its value, one behind the other.
#[derive(Clone, Copy)]
struct Item {
    start: usize,
    key_bytes: usize,
    /// `None` for a delete.
    value_bytes: Option<usize>,
}

impl Log {
    /// Appends a change, `None` for a delete. Gives its number.
    pub(super) fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.items.push(Item { start, key_bytes: key.len(), value_bytes: value.map(<[u8]>::len) });
        self.items.len() - 1
    }

    /// The value of the change of this number; `None` for a delete.
    pub(super) fn value(&self, number: usize) -> Option<&[u8]> {
        let item = self.items.get(number)?;
        let start = item.start + item.key_bytes;
        self.bytes.get(start..start + item.value_bytes?)
    }

    fn key(&self, number: usize) -> &[u8] {
        let item = self.items.get(number);
        item.and_then(|item| self.bytes.get(item.start..item.start + item.key_bytes)).unwrap_or_default()
    }

    /// Whether nothing is to be changed.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Nothing more comes: of several changes of a key the last one stays.
    pub(super) fn settle(&mut self) {
        let mut order = in_key_order(self.items.len(), |number| self.key(number));
        let is_last = |at: usize| match (order.get(at), order.get(at + 1)) {
            (Some(item), Some(next)) => self.key(*item) != self.key(*next),
            _ => true,
        };
        let is_last: Vec<bool> = (0..order.len()).map(is_last).collect();
        let mut is_last = is_last.into_iter();
        order.retain(|_| is_last.next().unwrap_or(true));
        self.order = order;
    }

    /// The same by who knows the last change of each key, and the order of the keys.
    pub(super) fn settle_by(&mut self, order: impl Iterator<Item = usize>) {
        self.order = order.collect();
    }

    /// The changes in key order, each key once, after they were settled.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], Option<&[u8]>)> {
        self.order.iter().map(|number| (self.key(*number), self.value(*number)))
    }
}

/// Numbers of keys in the order of the keys; of equal keys the first comes first.
pub(super) fn in_key_order<'k>(count: usize, key: impl Fn(usize) -> &'k [u8]) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let first = key(0);
    let shared = (1..count).fold(first.len(), |shared, number| {
        let pairs = first.iter().zip(key(number)).take(shared);
        pairs.take_while(|(byte, other)| byte == other).count()
    });
    // The bytes behind what all keys share tell nearly all of them apart, without a look at the keys themselves.
    let lead = |number| {
        let mut lead = [0; 16];
        let rest = key(number).get(shared..).unwrap_or_default();
        lead.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
        u128::from_be_bytes(lead)
    };
    let mut order: Vec<(u128, usize)> = (0..count).map(|number| (lead(number), number)).collect();
    order.sort_unstable_by(|(lead, number), (other_lead, other)| match lead.cmp(other_lead) {
        Ordering::Equal => key(*number).cmp(key(*other)).then(number.cmp(other)),
        order => order,
    });
    order.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_put_in_the_order_of_their_bytes() {
        let cases: [&[&[u8]]; 6] = [
            &[],
            &[b"a"],
            &[b"same", b"same"],
            // A zero at the end is not what a shorter key is filled up with.
            &[b"p\0", b"p", b"p\0\0", b""],
            &[b"prefix of more than sixteen bytes, b", b"prefix of more than sixteen bytes, a", b"prefix"],
            &[b"x0123456789abcdefB", b"x0123456789abcdefA", b"x0123456789abcdef", b"y"],
        ];
        for keys in cases {
            let mut expected: Vec<usize> = (0..keys.len()).collect();
            expected.sort_by_key(|number| keys[*number]);
            assert_eq!(in_key_order(keys.len(), |number| keys[number]), expected, "{keys:?}");
        }
    }

    #[test]
    fn the_last_change_of_a_key_stays() {
        let mut log = Log::default();
        for (key, value) in
            [("b", Some("1")), ("a", Some("2")), ("b", None), ("c", None), ("a", Some("")), ("c", Some("3"))]
        {
            log.push(key.as_bytes(), value.map(str::as_bytes));
        }
        log.settle();
        let found: Vec<_> = log.iter().collect();
        assert_eq!(found, [(&b"a"[..], Some(&b""[..])), (b"b", None), (b"c", Some(b"3"))]);
    }
}
