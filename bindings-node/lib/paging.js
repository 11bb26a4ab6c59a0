'use strict'
// Lists: item by item, or page by page. `open` begins a walk over pages; it is called with the first item, so that its
// errors come then, and nothing is held between pages.

const { givingUpOf, later, read } = require('./call.js')

async function* pagesLater(open, settings, options) {
  const givingUp = givingUpOf(options)
  const pages = await later(options, async () => open(settings, givingUp))
  for (;;) {
    const page = await read(options, () => pages.next(true), givingUp)
    if (page === null) return
    yield page
  }
}

async function* itemsLater(open, options) {
  for await (const page of pagesLater(open, undefined, options)) yield* page
}

function* pagesNow(open, settings) {
  const pages = open(settings)
  for (let page = pages.next(false); page !== null; page = pages.next(false)) yield page
}

function* itemsNow(open) {
  for (const page of pagesNow(open)) yield* page
}

/** A list that is read while the loop waits: async iterable and iterator, with `byPage`. */
function asyncList(open, options) {
  const items = itemsLater(open, options)
  return Object.assign(items, { byPage: (settings) => pagesLater(open, settings, options) })
}

/** A list that is read at once: iterable and iterator, with `byPage`. */
function syncList(open) {
  const items = itemsNow(open)
  return Object.assign(items, { byPage: (settings) => pagesNow(open, settings) })
}

/** A list without pages of its own, such as that of PartitionKeys. */
const asyncItems = itemsLater
const syncItems = itemsNow

module.exports = { asyncItems, asyncList, syncItems, syncList }
