'use strict'
// The same calls by the official client and here. The client talks to a service in this file: what it sends is compared
// with what is stored here, and what it makes of an answer with what is read here.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const official = require('@azure/data-tables')
const { RestError, Store, TableTransaction, entityFromJson, entityToJson, odata } = require('entable')

const KEYS = { partitionKey: 'p', rowKey: 'r' }
const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e'

/** A client, whose requests are kept and answered by `answer`. */
function clientOf(answer = () => ({ status: 204 })) {
  const requests = []
  const httpClient = {
    async sendRequest(request) {
      requests.push(request)
      const { status, body, headers = {} } = answer(request)
      const made = new request.headers.constructor({ 'content-type': 'application/json', etag: 'W/"x"', ...headers })
      return { request, status, headers: made, bodyAsText: body ?? '' }
    },
  }
  const client = new official.TableClient('https://account.table.core.windows.net', 'Things', { httpClient, retryOptions: { maxRetries: 0 } })
  return { client, requests }
}

function opened(mode = 'strict') {
  const store = Store.openSync(':memory:', { mode })
  return { store, table: store.createTableSync('Things') }
}

/** Values as programs write them. */
const VALUES = {
  texts: { A: 'text', B: '', C: "o'clock 😀 ü", D: '5', E: '2020-01-01T00:00:00Z' },
  truths: { A: true, B: false },
  'whole numbers': { A: 0, B: 5, C: -1, D: 2 ** 31 - 1, E: -(2 ** 31) },
  'larger numbers': { A: 2 ** 31, B: -(2 ** 31) - 1, C: 2 ** 53, D: 1e21 },
  fractions: { A: 1.5, B: -0.25, C: 1e-7, D: 5e-324, E: 1.7976931348623157e308 },
  bigints: { A: 0n, B: 5n, C: 2n ** 63n - 1n, D: -(2n ** 63n) },
  dates: { A: new Date(0), B: new Date('2026-12-01T12:34:56.789Z'), C: new Date(Date.UTC(1601, 0, 1)) },
  bytes: { A: new Uint8Array([0, 1, 255]), B: Buffer.from('x'), C: new Uint8Array(0) },
  nothing: { A: null, B: undefined, C: 1 },
  'types that are told': {
    A: { type: 'Double', value: 5 },
    B: { type: 'Int64', value: '7' },
    C: { type: 'Guid', value: GUID },
    D: { type: 'DateTime', value: '2026-12-01T12:34:56.7890123Z' },
    E: { type: 'Int32', value: 5 },
    F: { type: 'Boolean', value: true },
    G: { type: 'String', value: 'x' },
    H: { type: 'Binary', value: 'AQL/' },
    I: { type: 'Double', value: 1.5 },
  },
  names: { __proto__x: 1, constructor: 2, toString: 'x', PartitionKeyX: 'y' },
}

for (const [name, values] of Object.entries(VALUES)) {
  test(`${name}: what the client sends is what is stored`, async () => {
    const { client, requests } = clientOf()
    const { table } = opened()
    for (const [verb, ...rest] of [['createEntity'], ['upsertEntity', 'Replace'], ['updateEntity', 'Merge']]) {
      await client[verb]({ ...KEYS, ...values }, ...rest)
      await table[verb]({ ...KEYS, ...values }, ...rest)
      const sent = entityFromJson(requests.at(-1).body, { mode: 'strict', disableTypeConversion: true })
      const { etag, timestamp, ...stored } = table.getEntitySync('p', 'r', { disableTypeConversion: true })
      assert.deepEqual(stored, sent, verb)
      if (verb === 'createEntity') table.deleteEntitySync('p', 'r')
    }
  })

  test(`${name}: what the client makes of an answer is what is read`, async () => {
    const { table } = opened()
    table.createEntitySync({ ...KEYS, ...values })
    for (const disableTypeConversion of [false, true]) {
      const stored = table.getEntitySync('p', 'r', { disableTypeConversion: true })
      const { client } = clientOf(() => ({ status: 200, body: entityToJson(stored) }))
      const theirs = await client.getEntity('p', 'r', { disableTypeConversion })
      const ours = await table.getEntity('p', 'r', { disableTypeConversion })
      for (const [property, value] of Object.entries(ours)) {
        if (differs(property, value, stored[property])) continue
        assert.deepEqual(theirs[property], value, `${property}, ${disableTypeConversion}`)
      }
      assert.deepEqual(Object.keys(ours).filter((property) => !Object.hasOwn(theirs, property)), [])
    }
  })
}

/** Where this is better on purpose: ticks that a Date would lose, and Doubles that are whole and are not taken for integers. */
function differs(property, ours, { type } = {}) {
  return typeof ours?.ticks === 'bigint' || (type === 'Double' && ours?.type === 'Double')
}

test('odata writes what the client writes', () => {
  const date = new Date('2026-12-01T12:34:56.789Z')
  const both = (write) => assert.equal(write(odata), write(official.odata))
  both((tag) => tag`PartitionKey eq ${"o'clock"} and N gt ${5}`)
  both((tag) => tag`A eq '${"o'clock"}' and B eq ${true} and C lt ${1.5}`)
  both((tag) => tag`At ge ${date}`)
  both((tag) => tag`${'Name'} eq ${''}`)
  both((tag) => tag`nothing`)
  // What the client gets wrong: it writes no L, and objects as text.
  assert.equal(official.odata`A eq ${5n}`, 'A eq 5')
  assert.equal(odata`A eq ${5n}`, 'A eq 5L')
})

test('TableTransaction collects what the client’s collects', () => {
  const [ours, theirs] = [TableTransaction, official.TableTransaction].map((Kind) => {
    const transaction = new Kind([['create', { ...KEYS, A: 1 }]])
    transaction.createEntity({ ...KEYS, rowKey: '1' })
    transaction.updateEntity({ ...KEYS, rowKey: '2' })
    transaction.updateEntity({ ...KEYS, rowKey: '3' }, 'Replace')
    transaction.updateEntity({ ...KEYS, rowKey: '4' }, { etag: '*' })
    transaction.updateEntity({ ...KEYS, rowKey: '5' }, 'Merge', { etag: '*' })
    transaction.upsertEntity({ ...KEYS, rowKey: '6' })
    transaction.upsertEntity({ ...KEYS, rowKey: '7' }, 'Replace')
    transaction.deleteEntity('p', '8')
    return transaction.actions
  })
  // Modes that are the default need not be named.
  const plain = (actions) => actions.map(([verb, entity, ...rest]) => [verb, entity, ...rest.filter((one) => one !== undefined && one !== 'Merge' && Object.keys(one).length > 0)])
  assert.deepEqual(plain(ours), plain(theirs))
})

test('errors have what the client’s have', async () => {
  const { table } = opened()
  table.createEntitySync(KEYS)
  const calls = [
    ['createEntity', KEYS],
    ['getEntity', 'p', 'none'],
    ['deleteEntity', 'p', 'none'],
    ['updateEntity', { ...KEYS, rowKey: 'none' }],
    ['updateEntity', KEYS, 'Replace', { etag: 'W/"datetime\'2020-01-01T00%3A00%3A00Z\'"' }],
    ['createEntity', { ...KEYS, rowKey: 'x', 'not a name': 1 }],
  ]
  for (const [name, ...args] of calls) {
    const ours = await table[name](...args).catch((error) => error)
    const body = JSON.stringify({ 'odata.error': ours.details.odataError })
    const { client } = clientOf(() => ({ status: ours.statusCode, body }))
    const theirs = await client[name](...args).catch((error) => error)
    assert.ok(ours instanceof RestError && theirs instanceof official.RestError, name)
    assert.deepEqual([ours.name, ours.statusCode, ours.details.odataError], [theirs.name, theirs.statusCode, theirs.details.odataError], name)
    assert.equal(ours.code, theirs.details.odataError.code, 'the code, which the client’s own does not have')
  }
})

test('what the client refuses without asking is refused here', async () => {
  const { client, requests } = clientOf()
  const { table } = opened()
  const calls = [
    ['getEntity'],
    ['getEntity', 'p'],
    ['getEntity', null, 'r'],
    ['deleteEntity', 'p'],
    ['updateEntity', KEYS, 'merge'],
    ['upsertEntity', KEYS, 'REPLACE'],
    ['createEntity', { ...KEYS, A: [] }],
    ['createEntity', { ...KEYS, A: () => 1 }],
    ['createEntity', { ...KEYS, A: {} }],
    ['submitTransaction', [['create', KEYS], ['create', { ...KEYS, partitionKey: 'q' }]]],
    ['submitTransaction', []],
  ]
  for (const [name, ...args] of calls) {
    for (const holder of [client, table]) {
      await assert.rejects(async () => holder[name](...args), Error, `${name} ${JSON.stringify(args)}`)
    }
  }
  assert.equal(requests.length, 0)
})
