//! PartitionKeys without the rows behind them: from one partition to the next.

use super::Target;
use crate::Result;
use crate::codec::key::{self, SEPARATOR};
use crate::storage::{Direction, Read, Space};
use std::ops::Bound;

/// How many rows of a partition are walked over before it is worth while to seek the next one.
const STEPS: usize = 8;

/// The next PartitionKeys after one, at most so many, in order.
pub(crate) fn partition_keys<T: Read>(target: &Target<'_, T>, after: Option<&str>, most: usize) -> Result<Vec<String>> {
    let prefix = key::table_prefix(target.table.id);
    let end = key::next_prefix(prefix.to_vec()).map_or(Bound::Unbounded, Bound::Excluded);
    // Keys hold no U+0000: behind the separator, the next partition is beyond everything that follows it.
    let beyond = |partition: &[u8]| Bound::Included([&prefix[..], partition, &[SEPARATOR + 1]].concat());
    let mut mapped = Vec::new();
    let mut from = Bound::Included(prefix.to_vec());
    if let Some(after) = after {
        key::push_mapped(&mut mapped, after);
        from = beyond(&mapped);
    }
    let mut found = Vec::new();
    'seek: while found.len() < most {
        let (mut last, mut steps): (Vec<u8>, _) = (Vec::new(), 0);
        let mut is_first = true;
        for item in target.txn.range(Space::Rows, (from, end.clone()), Direction::Ascending)? {
            let (row, _) = item?;
            let partition = key::split_row_key(&row)?.partition_key;
            if is_first || partition != last {
                found.push(key::unmap(partition)?.into_owned());
                (last, steps, is_first) = (partition.to_vec(), 0, false);
                if found.len() == most {
                    break 'seek;
                }
                continue;
            }
            steps += 1;
            if steps == STEPS {
                from = beyond(&last);
                continue 'seek;
            }
        }
        break;
    }
    Ok(found)
}
