'use strict'
// Values keep type and value exactly, in both directions, up to their limits.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { DateTime, RestError, Store } = require('entable')

const store = Store.openSync(':memory:')
const table = store.createTableSync('Values')

/** Stores a value, and gives it back in the plain form and with its type. */
function stored(value) {
  table.upsertEntitySync({ partitionKey: 'p', rowKey: 'r', V: value }, 'Replace')
  const plain = table.getEntitySync('p', 'r').V
  return { plain, typed: table.getEntitySync('p', 'r', { disableTypeConversion: true }).V }
}

function check(value, type, text, plain = value) {
  const out = stored(value)
  assert.deepEqual(out.typed, { type, value: text })
  assert.deepEqual(out.plain, plain)
  // What came out goes in again, and is the same value of the same type.
  assert.deepEqual(stored(out.typed).typed, { type, value: text })
  return out.plain
}

test('strings', () => {
  for (const text of ['', ' ', 'a\0b', '\u{1f600}\ue000\uffff', '\ufffd', 'é€', "o'clock", 'x'.repeat(32_768), '\u{1f600}'.repeat(16_384)]) {
    check(text, 'String', text)
  }
})

test('a half of a surrogate pair is refused, wherever it stands', () => {
  for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800', '\ufffd\ud83d']) {
    const wrong = { code: 'InvalidInput', statusCode: 400 }
    assert.throws(() => stored(text), (error) => error.code === wrong.code && error.details.property === 'V')
    assert.throws(() => table.createEntitySync({ partitionKey: text, rowKey: 'x' }), wrong)
    assert.throws(() => table.getEntitySync('p', text), wrong)
    assert.throws(() => table.createEntitySync({ partitionKey: 'p', rowKey: 'x', [text]: 1 }), wrong)
    assert.throws(() => [...table.listEntitiesSync({ queryOptions: { filter: `V eq '${text}'` } })], wrong)
  }
})

test('booleans', () => {
  check(true, 'Boolean', 'true')
  check(false, 'Boolean', 'false')
  check({ type: 'Boolean', value: 'False' }, 'Boolean', 'false', false)
})

test('32-bit integers', () => {
  for (const number of [0, 1, -1, 2_147_483_647, -2_147_483_648]) {
    check(number, 'Int32', String(number))
    check({ type: 'Int32', value: number }, 'Int32', String(number), number)
  }
  for (const number of [2_147_483_648, -2_147_483_649, 1.5, NaN, Infinity, 1e300, '1.0', '', ' 1', '1e3', true]) {
    assert.throws(() => stored({ type: 'Int32', value: number }), { code: 'InvalidInput' }, String(number))
  }
})

test('64-bit integers', () => {
  for (const number of [0n, 5n, -5n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    check(number, 'Int64', String(number))
    check({ type: 'Int64', value: number }, 'Int64', String(number), number)
    check({ type: 'Int64', value: String(number) }, 'Int64', String(number), number)
  }
  for (const number of [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n, 2n ** 200n, -(2n ** 64n)]) {
    assert.throws(() => stored(number), (error) => error instanceof RestError && error.details.property === 'V')
    assert.throws(() => stored({ type: 'Int64', value: number }), { code: 'InvalidInput' })
  }
})

test('doubles', () => {
  const numbers = [0.1, -1.5, 5e-324, 1.7976931348623157e308, 2 ** 53, 1e21, 1e-7, 123456789.123456789, 4.35]
  for (const number of numbers) check({ type: 'Double', value: number }, 'Double', String(number), number)
  check({ type: 'Double', value: 5 }, 'Double', '5', 5)
  assert.ok(Object.is(check({ type: 'Double', value: -0 }, 'Double', '-0', -0), -0))
  assert.ok(Object.is(check(-0, 'Double', '-0', -0), -0))
  for (const text of ['NaN', 'Infinity', '-Infinity']) {
    check(Number(text), 'Double', text, text)
    check({ type: 'Double', value: text }, 'Double', text, text)
  }
  for (const text of ['', 'inf', 'nan', '0x1', '1,5', '1e999', ' 1']) {
    assert.throws(() => stored({ type: 'Double', value: text }), { code: 'InvalidInput' }, text)
  }
})

test('a number without a type takes the stored one, if it fits it', () => {
  const cases = [
    [{ type: 'Double', value: 1.5 }, 3, 'Double'],
    [5n, 3, 'Int64'],
    [{ type: 'Int32', value: 1 }, 3.5, 'Double'],
    ['text', 3, 'Int32'],
    [true, 3_000_000_000, 'Int64'],
    [true, 1e30, 'Double'],
  ]
  for (const [before, number, type] of cases) {
    table.upsertEntitySync({ partitionKey: 'p', rowKey: 'n', V: before }, 'Replace')
    table.updateEntitySync({ partitionKey: 'p', rowKey: 'n', V: number })
    assert.equal(table.getEntitySync('p', 'n', { disableTypeConversion: true }).V.type, type, `${number} over ${before}`)
  }
})

test('instants keep their ticks', () => {
  for (const text of ['1601-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2020-02-29T12:30:45.678Z']) {
    const date = check({ type: 'DateTime', value: text }, 'DateTime', text, new Date(text))
    assert.ok(!(date instanceof DateTime))
    check(date, 'DateTime', text)
  }
  for (const text of ['1601-01-01T00:00:00.0000001Z', '1969-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z']) {
    const { plain } = stored({ type: 'DateTime', value: text })
    assert.ok(plain instanceof DateTime && plain instanceof Date)
    assert.equal(plain.toISOString(), text.replace(/Z$/, '').padEnd(27, '0') + 'Z')
    assert.equal(plain.getTime(), Math.floor(Date.parse(text)))
    assert.equal(stored(plain).typed.value, text)
    assert.equal(stored({ type: 'DateTime', value: plain }).typed.value, text)
    assert.equal(JSON.stringify(plain), JSON.stringify(plain.toISOString()))
  }
  assert.equal(stored(new DateTime(504_911_232_000_000_001n)).plain.ticks, 504_911_232_000_000_001n)
})

test('a DateTime that was set to another millisecond is that one', () => {
  const { plain } = stored({ type: 'DateTime', value: '2020-01-01T00:00:00.1234567Z' })
  plain.setUTCFullYear(2021)
  assert.equal(plain.toISOString(), '2021-01-01T00:00:00.1230000Z')
  assert.equal(stored(plain).typed.value, '2021-01-01T00:00:00.123Z')
})

test('ticks that are not those of the date do not count', () => {
  for (const ticks of [0n, 2n ** 70n, 5, 'x']) {
    const date = Object.assign(new Date('2020-01-01T00:00:00.123Z'), { ticks })
    assert.equal(stored(date).typed.value, '2020-01-01T00:00:00.123Z')
  }
})

test('dates outside the calendar are refused', () => {
  for (const date of [new Date(NaN), new Date(8.64e15), new Date(-8.64e15), new Date('1600-12-31T23:59:59.999Z')]) {
    assert.throws(() => stored(date), (error) => error.code === 'InvalidInput' && error.details.property === 'V')
  }
  assert.throws(() => new DateTime(5), TypeError)
})

test('guids', () => {
  const guid = { type: 'Guid', value: '0f8fad5b-d9cb-469f-a165-70867728950e' }
  check(guid, 'Guid', guid.value)
  check({ type: 'Guid', value: guid.value.toUpperCase() }, 'Guid', guid.value, guid)
  assert.throws(() => stored({ type: 'Guid', value: guid.value.slice(1) }), { code: 'InvalidInput' })
})

test('bytes', () => {
  const all = Uint8Array.from({ length: 256 }, (_, at) => at)
  const base64 = Buffer.from(all).toString('base64')
  assert.ok(Buffer.isBuffer(check(all, 'Binary', base64, Buffer.from(all))))
  check(Buffer.from(all), 'Binary', base64)
  check(Buffer.concat([all, all]).subarray(256), 'Binary', base64, Buffer.from(all))
  check({ type: 'Binary', value: all }, 'Binary', base64, Buffer.from(all))
  check(new Uint8Array(), 'Binary', '', Buffer.alloc(0))
  check(Buffer.alloc(65_536, 255), 'Binary', Buffer.alloc(65_536, 255).toString('base64'))
  check(new Uint8Array(new SharedArrayBuffer(2)), 'Binary', 'AAA=', Buffer.alloc(2))
  assert.throws(() => stored({ type: 'Binary', value: 'AAA' }), { code: 'InvalidInput' })
  const moved = new Uint8Array(4)
  structuredClone(moved, { transfer: [moved.buffer] })
  check(moved, 'Binary', '', Buffer.alloc(0))
})

test('results own their bytes', () => {
  const given = new Uint8Array([1, 2, 3])
  table.upsertEntitySync({ partitionKey: 'p', rowKey: 'own', V: given }, 'Replace')
  given[0] = 9
  const read = table.getEntitySync('p', 'own').V
  read[1] = 9
  assert.deepEqual([...table.getEntitySync('p', 'own').V], [1, 2, 3])
})

test('null and undefined are left out', () => {
  const entity = { partitionKey: 'p', rowKey: 'null', A: null, B: undefined, C: { type: 'Int64', value: null }, D: 1 }
  table.createEntitySync(entity)
  const { etag, timestamp, ...rest } = table.getEntitySync('p', 'null')
  assert.deepEqual(rest, { partitionKey: 'p', rowKey: 'null', D: 1 })
  assert.ok(etag && timestamp)
})

test('what no value of a property can be is refused, with its name', () => {
  class Money {}
  const values = [[], [1], {}, new Money(), new Map(), () => 1, Symbol('s'), new Uint16Array(1), new Uint8ClampedArray(1), new DataView(new ArrayBuffer(1)), new ArrayBuffer(1), new Number(5), /x/, { type: 'Int32' }, { value: 5 }]
  for (const value of values) {
    for (const property of ['V', 'Longer']) {
      const refused = (error) =>
        error instanceof TypeError && error.code === 'InvalidInput' && error.details.property === property && error.message.includes(property)
      assert.throws(() => table.createEntitySync({ partitionKey: 'p', rowKey: 'bad', [property]: value }), refused)
    }
  }
  for (const [type, value] of [['Nope', 1], ['Edm.Int32', 1], ['int32', 1], ['String', 5], ['Guid', 5], ['DateTime', 5], ['Boolean', 1], ['Boolean', 'yes'], ['Double', true], ['Binary', 5], ['Double', 5n]]) {
    const refused = (error) => error.code === 'InvalidInput' && error.details.property === 'V'
    assert.throws(() => stored({ type, value }), refused, `${type} ${String(value)}`)
  }
  assert.equal(table.existsSync('p', 'bad'), false)
})

test('what comes along with an entity that was read is ignored', () => {
  const more = { etag: 'W/"x"', timestamp: 'x', Timestamp: 5, 'odata.etag': [], 'odata.metadata': {}, 'V@odata.type': 'Edm.Int32' }
  table.createEntitySync({ partitionKey: 'p', rowKey: 'more', V: 'text', ...more })
  const read = table.getEntitySync('p', 'more')
  assert.deepEqual(Object.keys(read), ['etag', 'partitionKey', 'rowKey', 'timestamp', 'V'])
  table.updateEntitySync(read, 'Replace', { etag: read.etag })
  assert.equal(table.getEntitySync('p', 'more').V, 'text')
})

test('names that JavaScript treats in its own way are names like others', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'value', 'type']
  const properties = names.map((name, at) => [name, at])
  const entity = Object.fromEntries([['partitionKey', 'p'], ['rowKey', 'names'], ...properties])
  table.createEntitySync(entity)
  const read = table.getEntitySync('p', 'names')
  for (const [name, at] of properties) assert.equal(Object.getOwnPropertyDescriptor(read, name).value, at)
  assert.equal(Object.getPrototypeOf(read), Object.prototype)
})

test('only own, enumerable members with text as name are properties', () => {
  const entity = Object.create({ Inherited: 1 })
  Object.assign(entity, { partitionKey: 'p', rowKey: 'own2', Own: 1, [Symbol('s')]: 1 })
  Object.defineProperty(entity, 'Hidden', { value: 1, enumerable: false })
  table.createEntitySync(entity)
  assert.deepEqual(Object.keys(table.getEntitySync('p', 'own2')), ['etag', 'partitionKey', 'rowKey', 'timestamp', 'Own'])
})
