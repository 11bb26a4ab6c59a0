'use strict'
// The promises of writes. The native part knows them by their numbers, and settles all that are done with one call: a
// promise of its own for each would take it longer than the write.

/** What settles each promise that is under way. */
const underWay = new Map()
let last = 0

/** A promise for the write that `begin` begins; it is handed the promise's number, which is never 0. */
function promised(begin) {
  return new Promise((resolve, reject) => {
    last = (last % 0xffff_ffff) + 1
    const promise = last
    underWay.set(promise, { resolve, reject })
    try {
      begin(promise)
    } catch (error) {
      underWay.delete(promise)
      reject(error)
    }
  })
}

/** Settles promises: the number of each, whether it failed, and its value. The native part calls this. */
function settle(...outcomes) {
  for (let at = 0; at < outcomes.length; at += 3) {
    const promise = underWay.get(outcomes[at])
    underWay.delete(outcomes[at])
    if (outcomes[at + 1]) promise?.reject(outcomes[at + 2])
    else promise?.resolve(outcomes[at + 2])
  }
}

module.exports = { promised, settle }
