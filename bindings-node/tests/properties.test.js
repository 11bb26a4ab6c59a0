'use strict'
// Properties that hold for whatever values there are: what goes in comes out, in order, by every way to it.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const fc = require('fast-check')
const { DateTime, Store, entityFromJson, entitySize, entityToJson, keys, odata } = require('entable')

/** The long tier: `ENTABLE_LONG=1`. */
const LONGER = process.env.ENTABLE_LONG === undefined ? 1 : 30

/** Runs that repeat: what fails prints how it is run again. */
const check = (runs, ...property) => fc.assert(fc.property(...property), { numRuns: runs * LONGER, seed: 20_261_202, includeErrorInReport: true })

/** Any text that can be stored. */
const text = fc.string({ unit: 'binary', maxLength: 60 })
/** Any text that is a key: no control characters, no slashes, no # and ?. */
const key = text.map((any) => any.replace(/[\u0000-\u001f\u007f-\u009f/\\#?]/g, ''))
/** A name of a property; those of the official client's own members are not. */
const name = fc
  .oneof(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/), fc.constantFrom('__proto__', 'constructor', 'toString', 'type', 'value', 'N1'))
  .filter((one) => !/^(partitionKey|rowKey|timestamp|etag|PartitionKey|RowKey|Timestamp)$/.test(one))

const ticks = fc.bigInt({ min: 504_911_232_000_000_000n, max: 3_155_378_975_999_999_999n })
const guid = fc.uuid().map((value) => ({ type: 'Guid', value }))
const double = fc.double().map((value) => ({ type: 'Double', value }))

/** A value as it goes in, and how it is told as text. */
const value = fc.oneof(
  text.map((one) => [one, 'String', one]),
  fc.boolean().map((one) => [one, 'Boolean', String(one)]),
  fc.integer().map((one) => [one, 'Int32', String(one)]),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((one) => [one, 'Int64', String(one)]),
  double.map((one) => [one, 'Double', Object.is(one.value, -0) ? '-0' : String(one.value)]),
  ticks.map((one) => [new DateTime(one), 'DateTime', one]),
  guid.map((one) => [one, 'Guid', one.value]),
  fc.uint8Array({ maxLength: 100 }).map((one) => [one, 'Binary', Buffer.from(one).toString('base64')]),
)
const values = fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one, maxLength: 12 })
const entity = fc.tuple(key, key, values)

const built = ([partitionKey, rowKey, members]) => {
  const made = { partitionKey, rowKey }
  for (const [property, [given]] of members) Object.defineProperty(made, property, { value: given, enumerable: true })
  return made
}

/** The type and text of each value that was read. */
function told(read, members) {
  return members.map(([property]) => {
    const { type, value: shown } = read[property]
    return [property, type, shown]
  })
}

const tickText = (at) => new DateTime(at).toISOString().replace(/\.?0*Z$/, 'Z')
const wanted = (members) => members.map(([property, [, type, shown]]) => [property, type, type === 'DateTime' ? tickText(shown) : shown])

function opened(mode) {
  const store = Store.openSync(':memory:', { mode })
  return { store, table: store.createTableSync('Things') }
}

test('what goes in comes out, with its type', () => {
  const { table } = opened()
  check(1_500, entity, (given) => {
    const [partitionKey, rowKey, members] = given
    // A number takes the type that is stored: so nothing is.
    table.deleteEntitiesSync({ queryOptions: {} })
    table.createEntitySync(built(given))
    const read = table.getEntitySync(partitionKey, rowKey, { disableTypeConversion: true })
    assert.deepEqual([read.partitionKey, read.rowKey], [partitionKey, rowKey])
    assert.deepEqual(told(read, members), wanted(members))
    const plain = table.getEntitySync(partitionKey, rowKey)
    assert.deepEqual(Object.keys(plain).sort(), ['etag', 'partitionKey', 'rowKey', 'timestamp', ...members.map(([property]) => property)].sort())
    // What was read plainly is written back as it was.
    table.updateEntitySync(plain, 'Merge')
    const again = table.getEntitySync(partitionKey, rowKey, { disableTypeConversion: true })
    const isSaid = ([, [, type, shown]]) => type !== 'Double' || Number.isFinite(Number(shown))
    assert.deepEqual(told(again, members.filter(isSaid)), wanted(members.filter(isSaid)))
  })
})

test('JSON tells everything but the sign of zero', () => {
  check(1_500, entity, (given) => {
    const made = built(given)
    const text = entityToJson(made)
    const read = entityFromJson(text)
    assert.equal(entityToJson(read), text.replaceAll(/:-0\.0(?=[,}])/g, ':0.0'))
    const stated = entityFromJson(text, { disableTypeConversion: true })
    const members = given[2]
    const withoutSign = wanted(members).map(([property, type, shown]) => [property, type, type === 'Double' && shown === '-0' ? '0' : shown])
    assert.deepEqual(told(stated, members), withoutSign)
    assert.equal(entitySize(read), entitySize(made))
  })
})

test('a value finds its entity, as a literal and as a parameter', () => {
  const { table } = opened()
  check(600, value.filter(([, , shown]) => shown !== 'NaN'), ([given, type]) => {
    table.upsertEntitySync({ partitionKey: 'p', rowKey: 'r', V: given }, 'Replace')
    const found = (queryOptions) => table.countSync({ queryOptions })
    if (type === 'Double' && !Number.isFinite(given.value)) return
    assert.equal(found({ filter: odata`V eq ${given}` }), 1)
    assert.equal(found({ filter: 'V eq @v', parameters: { v: given } }), 1)
    assert.equal(found({ filter: odata`V ne ${given}` }), 0)
  })
})

test('entities come in the order of their keys, in pages of any size', () => {
  check(60, fc.uniqueArray(fc.tuple(key, key), { selector: ([one, other]) => `${one}\0${other}`, maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (pairs, maxPageSize) => {
    const { store, table } = opened()
    for (let from = 0; from < pairs.length; from += 7) {
      store.submitBatchSync(pairs.slice(from, from + 7).map(([partitionKey, rowKey]) => ['Things', 'create', { partitionKey, rowKey }]))
    }
    // JavaScript compares texts as the service does, by their UTF-16 units.
    const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0)
    const sorted = [...pairs].sort((one, other) => order(one[0], other[0]) || order(one[1], other[1]))
    const read = []
    let continuationToken
    do {
      const { value: page } = table.listEntitiesSync().byPage({ maxPageSize, continuationToken }).next()
      assert.ok(page.length <= maxPageSize)
      read.push(...page.map(({ partitionKey, rowKey }) => [partitionKey, rowKey]))
      continuationToken = page.continuationToken
    } while (continuationToken !== undefined)
    assert.deepEqual(read, sorted)
    store.closeSync()
  })
})

test('keys that are made keep the order, and come back', () => {
  const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0)
  check(500, text, text, (one, other) => {
    assert.equal(order(keys.safe(one), keys.safe(other)), order(one, other))
    assert.equal(keys.safeFrom(keys.safe(one)), one)
    assert.deepEqual(keys.split(keys.compose([one, other])), [one, other])
    assert.equal(keys.textFromBase64(keys.base64Text(one)), one)
  })
  check(500, fc.maxSafeInteger(), fc.maxSafeInteger(), (one, other) => {
    assert.equal(order(keys.integer(one), keys.integer(other)), order(one, other))
    assert.equal(keys.integerFrom(keys.integer(one)), BigInt(one))
  })
  check(500, fc.double({ noNaN: true }), fc.double({ noNaN: true }), (one, other) => {
    // There is one zero among keys.
    if (one !== other) assert.equal(order(keys.double(one), keys.double(other)), order(one, other))
    assert.ok(keys.doubleFrom(keys.double(one)) === one)
  })
  check(500, ticks, ticks, (one, other) => {
    const [first, second] = [new DateTime(one), new DateTime(other)]
    assert.equal(order(keys.ticks(first), keys.ticks(second)), order(one, other))
    assert.equal(order(keys.descendingTicks(first), keys.descendingTicks(second)), order(other, one))
    assert.equal(new DateTime(one).ticks, one)
  })
  check(500, fc.uint8Array(), fc.uint8Array(), (one, other) => {
    assert.equal(order(keys.bytes(one), keys.bytes(other)), Buffer.compare(one, other))
    assert.deepEqual([...keys.bytesFrom(keys.bytes(one))], [...one])
  })
})
