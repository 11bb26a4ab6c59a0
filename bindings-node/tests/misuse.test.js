'use strict'
// Anything handed to anything: an error each time, never a crash, and the store lives on.

const assert = require('node:assert/strict')
const { getEventListeners } = require('node:events')
const { test } = require('node:test')
const vm = require('node:vm')
const { Store, Snapshot, entityFromJson, entitySize, entityToJson, keys, odata, verifySync } = require('entable')
const native = require('../lib/load.js')

/** The long tier: `ENTABLE_LONG=1`. */
const isLong = process.env.ENTABLE_LONG !== undefined
const ROUNDS = isLong ? 100_000 : 4_000
const KEYS = { partitionKey: 'p', rowKey: 'r' }

/** Chance that repeats. */
function chance(seed) {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return (state >> 8) % below
  }
}

function throwing(what) {
  return () => {
    throw new RangeError(what)
  }
}

/** Tells whether an error is a TypeError about this. */
const wrongAt = (facts) => (error) => {
  assert.equal(error.name, 'TypeError')
  for (const [name, fact] of Object.entries(facts)) assert.equal(error.details[name], fact)
  return true
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function detached() {
  const bytes = new Uint8Array(8)
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  return bytes
}

/** What no call expects, and some of what calls take, so that they get further. */
function strangeValues() {
  return [
    ...[undefined, null, true, 0, -0, -1, 1.5, NaN, Infinity, 2 ** 53, 2 ** 31, 5n, -(2n ** 63n), 2n ** 64n],
    ...['', 'x', '\0', '\ud800', 'p'.repeat(5_000), 'Things', 'p', Symbol('s'), () => 1, class {}],
    ...[[], [[]], [1, 2], new Array(1e5), {}, Object.create(null), new Map(), new Set([1]), /x/, new Error('x')],
    ...[{ type: 'Guid', value: 'x' }, { type: 'Int64', value: 1.5 }, { type: 5, value: 5 }, { type: 'Binary', value: '*' }],
    ...[new Date(NaN), new Date(8.64e15), new Uint8Array(3), new Float64Array(2), new DataView(new ArrayBuffer(2))],
    ...[new ArrayBuffer(4), detached(), new SharedArrayBuffer(4), new Uint8Array(new SharedArrayBuffer(4))],
    ...[new Proxy({}, {}), new Proxy([], {}), revoked(), new Proxy(KEYS, { get: throwing('proxy') })],
    ...[new Number(5), new String('p'), new Boolean(true), Object(1n), Promise.resolve(1), globalThis, process],
    ...[KEYS, { ...KEYS, V: [] }, { ...KEYS, get V() { return throwing('getter')() } }, { toString: throwing('text') }],
    ...[{ [Symbol.toPrimitive]: throwing('primitive') }, [['create', KEYS]], [['Things', 'upsert', KEYS]]],
    ...[{ queryOptions: {} }, { queryOptions: { filter: 'A eq' } }, { queryOptions: revoked() }, { maxPageSize: 1 }],
    ...[{ abortSignal: 5 }, { abortSignal: AbortSignal.abort() }, Store, Store.openSync(':memory:'), Buffer.from('x')],
  ]
}

/** The names of an object's methods, without those that end it or write files. */
function methodsOf(object) {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(object))
  return names.filter((name) => typeof object[name] === 'function' && !/^(constructor|close|backup|compact)/.test(name))
}

test('whatever is handed to whatever', async () => {
  const below = chance(7)
  const values = strangeValues()
  const one = (list) => list[below(list.length)]
  const some = () => Array.from({ length: below(4) }, () => one(values))
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const snapshot = store.snapshotSync()
  let failed = 0
  const check = (name, error) => {
    failed++
    assert.ok(error instanceof Error, `${name}: ${String(error)}`)
    assert.notEqual(error.code, 'Internal', `${name}: ${error.message}`)
  }
  /** Calls a method, and begins the list that it may give. */
  const call = async (holder, name, label) => {
    try {
      const answer = await holder[name](...some())
      await answer?.byPage?.(one(values)).next()
      await answer?.next?.()
    } catch (error) {
      check(`${label}.${name}`, error)
    }
  }
  const callNow = (holder, name) => {
    try {
      holder[name](...some())?.next?.()
    } catch (error) {
      check(`transaction, ${name}`, error)
    }
  }
  const inside = (transaction) => {
    const inner = transaction.table('Things')
    for (let n = 0; n < 5; n++) {
      const holder = one([inner, transaction])
      callNow(holder, one(methodsOf(holder)))
    }
    if (below(2)) throw new RangeError('back')
  }
  const kinds = Object.values(native).filter((kind) => typeof kind === 'function' && kind.name.endsWith('Handle'))
  assert.ok(kinds.length > 7)
  const byHand = () => {
    const kind = one(kinds)
    const names = Object.getOwnPropertyNames(kind.prototype).filter((name) => name !== 'constructor')
    const calls = [
      () => kind.prototype[one(names)].call(one(values), ...some()),
      () => new kind(one(values)),
      () => native.literal(one(values)),
      () => odata`A eq ${one(values)}`,
      () => verifySync(one(values)),
      () => keys[one(Object.keys(keys))](...some()),
      () => one([entityFromJson, entityToJson, entitySize])(...some()),
      () => new Snapshot(one(values)),
    ]
    for (const attempt of calls) {
      try {
        attempt()
      } catch (error) {
        check(String(attempt), error)
      }
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    const which = one([table, table, store, snapshot, 'transaction', 'by hand'])
    if (which === 'by hand') byHand()
    else if (which !== 'transaction') await call(which, one(methodsOf(which)), which.constructor.name)
    else assert.throws(() => { store.transactionSync(inside); throw new RangeError('back') }, RangeError)
    if (round % 100 === 0) store.createTableSync('Things')
  }
  assert.ok(failed > ROUNDS / 2, String(failed))
  store.createTableSync('Things')
  table.upsertEntitySync({ ...KEYS, isAlive: true })
  assert.equal(table.getEntitySync('p', 'r').isAlive, true)
})

test('an array that claims more than there can be is refused, and takes no memory', () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const huge = []
  huge.length = 2 ** 32 - 1
  const calls = {
    submitTransactionSync: () => table.submitTransactionSync(huge),
    submitBatchSync: () => store.submitBatchSync(huge),
    getManySync: () => table.getManySync(huge),
    select: () => [...table.listEntitiesSync({ queryOptions: { select: huge } })],
    properties: () => table.createIndexSync({ name: 'I', properties: huge }),
  }
  for (const [name, call] of Object.entries(calls)) {
    assert.throws(call, { code: 'InvalidInput', message: /4294967295 elements; the limit is 16777216/ }, name)
  }
})

test('entities that change what is around them while they are read', () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  // One that stores another: what was laid out of the first is left alone.
  const nested = {
    ...KEYS,
    A: 'before',
    get B() {
      table.upsertEntitySync({ partitionKey: 'q', rowKey: 'q', C: 'other'.repeat(1_000), D: new Uint8Array(3_000) })
      return new Uint8Array([1, 2])
    },
    E: 'ä\u{1f600}',
    F: { get type() { table.upsertEntitySync({ partitionKey: 'q', rowKey: 's', C: 'ö' }); return 'Int64' }, value: '5' },
    G: new Date(7),
  }
  table.createEntitySync(nested)
  const { A, B, E, F, G } = table.getEntitySync('p', 'r')
  assert.deepEqual([A, [...B], E, F, G.getTime()], ['before', [1, 2], 'ä\u{1f600}', 5n, 7])
  assert.equal(table.getEntitySync('q', 'q').D.length, 3_000)
  // Halves of a pair in two values make no pair.
  for (const halves of [{ A: '\ud83d', B: '\ude00' }, { A: 'x', B: '\ude00' }]) {
    assert.throws(() => table.upsertEntitySync({ ...KEYS, ...halves }), { code: 'InvalidInput', message: /half of a surrogate pair/ })
  }
  // Bytes whose buffer goes away on the way, and others that say they are longer than they are.
  const gone = new Uint8Array(8).fill(7)
  table.upsertEntitySync({ ...KEYS, A: gone, get B() { structuredClone(gone.buffer, { transfer: [gone.buffer] }); return gone } }, 'Replace')
  assert.deepEqual([table.getEntitySync('p', 'r').A.length, table.getEntitySync('p', 'r').B.length], [8, 0])
  class Longer extends Uint8Array { get length() { return 1e9 } get byteLength() { return 1e9 } }
  table.upsertEntitySync({ ...KEYS, A: new Longer(3) }, 'Replace')
  assert.equal(table.getEntitySync('p', 'r').A.length, 3)
  for (const fake of [Object.create(Uint8Array.prototype), Object.create(Date.prototype), new Proxy(new Uint8Array(2), {}), new Proxy(new Date(), {})]) {
    assert.throws(() => table.upsertEntitySync({ ...KEYS, V: fake }), wrongAt({ property: 'V' }))
  }
  // Of another realm.
  const other = vm.runInNewContext('({ partitionKey: "p", rowKey: "r", D: new Date(5), B: new Uint8Array([1, 2]), N: 5n })')
  table.upsertEntitySync(other, 'Replace')
  const { D, B: bytes, N } = table.getEntitySync('p', 'r')
  assert.deepEqual([D.getTime(), [...bytes], N], [5, [1, 2], 5n])
})

test('more shapes than are kept, long texts and bytes, and many entities at a time', () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const rows = Array.from({ length: 1_300 }, (_, at) => ({
    partitionKey: `p${at % 3}`,
    rowKey: String(at).padStart(5, '0'),
    [`N${at % 700}`]: at,
    Text: 'ä'.repeat(at % 7 === 0 ? 5_000 : at % 11),
    Bytes: new Uint8Array(at % 5 === 0 ? 6_000 : at % 13).fill(at),
    At: new Date(at),
    Is: at % 2 === 0,
    None: null,
  }))
  store.submitBatchSync(rows.map((row) => ['Things', 'create', row]))
  for (const row of rows) {
    const read = table.getEntitySync(row.partitionKey, row.rowKey)
    for (const name of Object.keys(row).filter((name) => name !== 'None' && name !== 'Bytes')) assert.deepEqual(read[name], row[name], name)
    assert.ok(Buffer.from(row.Bytes).equals(read.Bytes))
    assert.ok(!('None' in read))
  }
  // What is wrong with the first of many is said first, with its place.
  const wrong = rows.slice(0, 100).map((row, at) => ['Things', 'upsert', at === 70 ? { ...row, Wrong: [] } : row])
  wrong[80] = ['Things', 'nothing', {}]
  assert.throws(() => store.submitBatchSync(wrong), wrongAt({ index: 70, property: 'Wrong' }))
  wrong.length = 3
  wrong[1] = 5
  assert.throws(() => store.submitBatchSync(wrong), wrongAt({ index: 1 }))
})

test('a member that closes the store while it is read', () => {
  for (const name of ['createEntitySync', 'updateEntitySync', 'upsertEntitySync', 'submitTransactionSync']) {
    const store = Store.openSync(':memory:')
    const table = store.createTableSync('Things')
    const entity = {
      partitionKey: 'p',
      rowKey: 'r',
      get Value() {
        store.closeSync()
        return 1
      },
    }
    const given = name === 'submitTransactionSync' ? [['create', entity]] : entity
    assert.throws(() => table[name](given), { name: 'RestError', code: 'StoreClosed' }, name)
  }
})

test('snapshots that nobody closes end in an error that says so, and the store goes on', () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const held = []
  const take = () => {
    for (let left = 5_000; left > 0; left--) held.push(store.snapshotSync())
  }
  assert.throws(take, { code: 'StoreBusy', message: /close snapshots/ })
  assert.throws(() => table.getEntitySync('p', 'r'), { code: 'StoreBusy' })
  held.forEach((snapshot) => snapshot.closeSync())
  assert.throws(() => table.getEntitySync('p', 'r'), { code: 'ResourceNotFound' })
  store.closeSync()
})

test('the same call over and over takes no more memory', { skip: typeof globalThis.gc !== 'function' && 'node --expose-gc' }, async () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  table.createEntitySync({ ...KEYS, Name: 'Jones', N: 5n, D: new Date(5), B: new Uint8Array(100) })
  const calls = async (count) => {
    for (let n = 0; n < count; n++) {
      table.getEntitySync('p', 'r')
      try { table.createEntitySync(KEYS) } catch {}
      if (n % 10 === 0) table.upsertEntitySync({ ...KEYS, N: n })
      if (n % 100 === 0) await Promise.all([table.getEntity('p', 'r'), table.upsertEntity({ ...KEYS, M: n }), table.submitTransaction([['upsert', KEYS]])])
      if (n % 1000 === 0) { globalThis.gc(); await new Promise(setImmediate) }
    }
    globalThis.gc()
    return process.memoryUsage().rss
  }
  const before = await calls(isLong ? 100_000 : 20_000)
  const growth = (await calls(isLong ? 900_000 : 100_000)) - before
  assert.ok(growth <= 5 * 1024 * 1024, `${growth} bytes`)
})

test('who writes PartitionKey or RowKey is told the names that they have here', async () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const said = (alike, name, property) => (error) => {
    assert.deepEqual([error.name, error.code, error.details.property], ['RestError', 'PropertiesNeedValue', property])
    return error.message.includes(`It has ${alike}: here the name of this key is ${name}.`)
  }
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`P${at}`, at]))
  for (const [given, alike, name, property] of [
    [{ PartitionKey: 'p', RowKey: 'r' }, 'PartitionKey', 'partitionKey', 'PartitionKey'],
    [{ ...many, PartitionKey: 'p', RowKey: 'r' }, 'PartitionKey', 'partitionKey', 'PartitionKey'],
    [{ partitionKey: 'p', RowKey: 'r' }, 'RowKey', 'rowKey', 'RowKey'],
    [{ partitionkey: 'p', rowkey: 'r' }, 'partitionkey', 'partitionKey', 'PartitionKey'],
    [{ partitionKey: 'p', rowkey: 'r', rowKey: undefined }, 'rowkey', 'rowKey', 'RowKey'],
  ]) {
    const calls = [
      () => table.createEntitySync(given),
      () => table.updateEntitySync(given),
      () => table.upsertEntitySync(given, 'Replace'),
      () => table.createOrGetEntitySync(given),
      () => table.moveEntitySync(given, KEYS),
      () => table.moveEntitySync(KEYS, given),
      // As the official client, these throw at once.
      () => table.updateEntity(given),
      () => table.upsertEntity(given),
      ...['create', 'update', 'upsert', 'createOrGet', 'delete'].map((verb) => () => table.submitTransactionSync([[verb, given]])),
      () => store.submitBatchSync([['Things', 'delete', given]]),
      () => store.transactionSync((transaction) => void transaction.table('Things').createEntitySync(given)),
    ]
    for (const call of calls) assert.throws(call, said(alike, name, property), `${call} ${JSON.stringify(given)}`)
    await assert.rejects(table.createEntity(given), said(alike, name, property))
  }
  // Nothing that resembles it: nothing is said of it.
  assert.throws(() => table.createEntitySync({ pk: 'p' }), { message: 'The values are not specified for all properties in the entity. It is partitionKey that is missing. (property PartitionKey)' })
  assert.throws(() => table.updateEntity({}), { message: 'The values are not specified for all properties in the entity. It is partitionKey that is missing. (property PartitionKey)' })
  // Entities where keys belong.
  for (const call of [() => table.getEntity(KEYS), () => table.deleteEntity(KEYS), () => table.getEntitySync(KEYS)]) {
    await assert.rejects(async () => call(), wrongAt({ property: 'PartitionKey' }), `${call}`)
  }
})

test('an option that there is not is refused: a filter that is not heard would give, or delete, everything', async () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const { etag } = table.createEntitySync({ ...KEYS, N: 1 })
  const refused = (name, message) => (error) => wrongAt({ property: name, errorCode: 'InvalidInput' })(error) && message.test(error.message)
  const all = (list) => [...list]
  const inside = (work) => () => store.transactionSync((transaction) => void work(transaction.table('Things')))
  const settle = async (call) => call()
  const calls = [
    // Beside the query's options, where they belong into them.
    ...['filter', 'limit', 'orderBy', 'parameters'].flatMap((name) => {
      const options = { [name]: name === 'limit' ? 1 : 'N' }
      const message = new RegExp(`^The option ${name} belongs into queryOptions\\.$`)
      return [
        [name, message, () => all(table.listEntitiesSync(options))],
        [name, message, () => table.listEntities(options).next()],
        [name, message, () => table.countSync(options)],
        [name, message, () => table.count(options)],
        [name, message, () => table.explainSync(options)],
        [name, message, () => table.deleteEntitiesSync({ queryOptions: {}, ...options })],
        [name, message, () => table.deleteEntities({ queryOptions: {}, ...options })],
        [name, message, () => table.deleteEntities({ queryOptions: {}, chunk: 5, ...options })],
        [name, message, inside((inner) => all(inner.listEntitiesSync(options)))],
        [name, message, inside((inner) => inner.deleteEntitiesSync({ queryOptions: {}, ...options }))],
      ]
    }),
    // Misspelt in them.
    ...['Filter', 'filters', 'top'].flatMap((name) => {
      const options = { queryOptions: { [name]: 'N gt 5' } }
      const message = new RegExp(`^There is no option ${name}: there are filter, parameters, select, .*mode\\.$`)
      return [
        [name, message, () => all(table.listEntitiesSync(options))],
        [name, message, () => table.count(options)],
        [name, message, () => table.deleteEntitiesSync(options)],
        [name, message, () => table.deleteEntities(options)],
        [name, message, inside((inner) => inner.countSync(options))],
      ]
    }),
    // Reads of one entity, or of some.
    ['select', /belongs into queryOptions/, () => table.getEntitySync('p', 'r', { select: ['N'] })],
    ['select', /belongs into queryOptions/, () => table.getEntity('p', 'r', { select: ['N'] })],
    ['filter', /There is no option filter: there are select\.$/, () => table.getEntitySync('p', 'r', { queryOptions: { filter: 'N eq 5' } })],
    ['disabletypeconversion', /disableTypeConversion/, () => table.getManySync([['p', 'r']], { disabletypeconversion: true })],
    ['pageSize', /there are maxPageSize, continuationToken/, () => all(table.listEntitiesSync().byPage({ pageSize: 5 }))],
    ['pageSize', /there are maxPageSize, continuationToken/, () => all(store.listTablesSync().byPage({ pageSize: 5 }))],
    ['filter', /belongs into queryOptions/, () => all(store.listTablesSync({ filter: "TableName eq 'A'" }))],
    ['select', /there are filter, parameters/, () => all(store.listTablesSync({ queryOptions: { select: ['A'] } }))],
    // A condition that is not heard would write over what somebody else has written.
    ...['ifMatch', 'eTag', 'ifabsent', 'select'].flatMap((name) => {
      const options = { [name]: etag }
      const message = new RegExp(`^(0:)?There is no option ${name}: there are etag, ifAbsent, filter, parameters\\.$`)
      return [
        [name, message, () => table.updateEntitySync(KEYS, 'Merge', options)],
        [name, message, () => table.updateEntity(KEYS, 'Merge', options)],
        [name, message, () => table.upsertEntitySync(KEYS, 'Merge', options)],
        [name, message, () => table.deleteEntitySync('p', 'r', options)],
        [name, message, () => table.moveEntitySync(KEYS, { ...KEYS, rowKey: 'q' }, options)],
        [name, message, () => table.submitTransactionSync([['delete', KEYS, options]])],
        [name, message, () => store.submitBatchSync([['Things', 'update', KEYS, options]])],
        [name, message, inside((inner) => inner.deleteEntitySync('p', 'r', options))],
      ]
    }),
  ]
  for (const [name, message, call] of calls) await assert.rejects(settle(call), refused(name, message), `${name} ${call}`)
  assert.deepEqual([table.countSync(), table.getEntitySync('p', 'r').etag], [1, etag])
  // What the official client takes with every call is about its requests, and says nothing here.
  const official = { abortSignal: undefined, requestOptions: { timeout: 5 }, tracingOptions: {}, onResponse() {}, serializerOptions: {} }
  assert.equal((await table.getEntity('p', 'r', official)).N, 1)
  assert.equal((await table.listEntities({ ...official, queryOptions: { filter: 'N eq 1' } }).byPage({ maxPageSize: 5 }).next()).value.length, 1)
  await table.updateEntity({ ...KEYS, N: 2 }, 'Merge', { ...official, etag })
  await table.deleteEntity('p', 'r', official)
})

test('what is refused before the store is asked has code, status and details, too', () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const calls = {
    queryOptions: () => table.deleteEntitiesSync(),
    tableName: () => store.table(5),
    work: () => store.transactionSync(async () => 1),
    snapshot: () => table.at({}),
    clock: () => Store.openSync(':memory:', { clock: new Date() }),
    maxPageSize: () => store.listTablesSync().byPage({ maxPageSize: '5' }).next(),
    continuationToken: () => store.listTablesSync().byPage({ continuationToken: 5 }).next(),
  }
  for (const [property, call] of Object.entries(calls)) {
    assert.throws(call, (error) => wrongAt({ property, errorCode: 'InvalidInput', class: 'Invalid' })(error) && error.code === 'InvalidInput' && error.statusCode === 400)
  }
  assert.throws(() => table.createEntitySync({ ...KEYS, A: { type: 'Edm.Int32', value: 5 } }), { message: /There is no type Edm\.Int32: there are Int32, .*Binary\./ })
  assert.throws(() => table.submitTransactionSync([['insert', KEYS]]), { message: /no action "insert": there are create, / })
})

test('what is no signal is refused by its name', async () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  for (const abortSignal of [5, 'x', true, {}, { aborted: true }, { throwIfAborted() {} }, new AbortController()]) {
    const calls = [
      table.getEntity('p', 'r', { abortSignal }),
      table.upsertEntity(KEYS, 'Merge', { abortSignal }),
      table.listEntities({ abortSignal }).next(),
      table.submitTransaction([['upsert', KEYS]], { abortSignal }),
      table.createIndex({ name: 'ByN', properties: ['N'] }, { abortSignal }),
      table.deleteEntities({ queryOptions: {}, chunk: 1, abortSignal }),
      store.snapshot({ abortSignal }),
    ]
    for (const call of calls) await assert.rejects(call, wrongAt({ property: 'abortSignal', errorCode: 'InvalidInput' }))
  }
  assert.deepEqual([table.countSync(), table.listIndexesSync()], [0, []])
})

test('calls that share a signal make no warning, and leave it as it was', async (context) => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const warnings = []
  const warned = (warning) => warnings.push(warning.message)
  process.on('warning', warned)
  context.after(() => process.off('warning', warned))
  for (const isAborted of [false, true]) {
    const aborting = new AbortController()
    const { signal: abortSignal } = aborting
    const calls = Array.from({ length: 64 }, (_, at) => [
      table.upsertEntity({ ...KEYS, rowKey: String(at) }, 'Merge', { abortSignal }),
      table.count({ abortSignal }),
      table.listEntities({ abortSignal }).next(),
    ])
    if (isAborted) aborting.abort(new RangeError('mine'))
    const outcomes = await Promise.allSettled(calls.flat())
    for (const { status, reason } of outcomes) assert.ok(status === 'fulfilled' || reason === abortSignal.reason)
    assert.ok(isAborted || outcomes.every(({ status }) => status === 'fulfilled'))
    assert.deepEqual(getEventListeners(abortSignal, 'abort'), [])
  }
  await new Promise(setImmediate)
  assert.deepEqual(warnings, [])
})

test('a number that does not fit its stated type is shown', () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  for (const [type, value, shown] of [['Int32', 2 ** 31, '2147483648'], ['Int32', 1.5, '1.5'], ['Int64', '9223372036854775808', '9223372036854775808'], ['Double', 'one', 'one'], ['Boolean', 'maybe', 'maybe'], ['Int32', 'x'.repeat(1e6), `${'x'.repeat(40)}…`]]) {
    const calls = [() => table.upsertEntitySync({ ...KEYS, V: { type, value } }), () => table.upsertEntitySync({ ...KEYS, V: { type: 'Add', value: { type, value } } })]
    for (const call of calls) assert.throws(call, { code: 'InvalidInput', message: `One of the request inputs is not valid. '${shown}' is not an Edm.${type}. (property V)` })
  }
})
