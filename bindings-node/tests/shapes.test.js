'use strict'
// Objects are made of one text for many entities: whatever lies beside each other in it, each entity is its own.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const { test } = require('node:test')
const { Store } = require('entable')

const KINDS = [
  { Text: 'plain', Number: 7, Real: 1.5, Truth: true, Long: 5n, Time: new Date(86_400_000) },
  { Text: 'é, ÿ and no more than a byte', Bytes: new Uint8Array([0, 127, 128, 255]) },
  { Text: '\u0100 wide', Other: '😀', Bytes: new Uint8Array([255, 0]), Real: -0.25 },
  { Text: '', Bytes: new Uint8Array(0), Long: -(2n ** 63n), Real: 5e-324, Number: -(2 ** 31) },
  { Text: 'x'.repeat(20_000), Truth: false, Long: 2n ** 63n - 1n },
  { Text: 'ü'.repeat(9_000) + '字', Bytes: new Uint8Array(60_000).map((_, at) => at) },
  { __proto__: null, ['__proto__']: 'a name like others', constructor: 'too', Id: { type: 'Guid', value: '00112233-4455-6677-8899-aabbccddeeff' } },
  {},
  { Real: { type: 'Double', value: NaN }, More: { type: 'Double', value: -Infinity }, Whole: { type: 'Double', value: 3 } },
  Object.fromEntries(Array.from({ length: 240 }, (_, at) => [`P${at}`, at % 3 ? at : `t${at}`])),
]

/** What is read back of a kind. */
const shown = ({ Bytes, ...kind }) => ({
  ...Object.fromEntries(Object.entries(kind).map(([name, value]) => [name, value?.type === 'Double' ? (Number.isFinite(value.value) ? value.value : String(value.value)) : value])),
  ...(Bytes && { Bytes: Buffer.from(Bytes) }),
})

function filled(store) {
  const table = store.createTableSync('Kinds')
  const keys = []
  for (let round = 0; round < 12; round++) {
    for (const at of KINDS.keys()) {
      // Each round in another order, beside other kinds.
      const kind = (at * (round + 1) + round) % KINDS.length
      const keyed = Object.defineProperties(Object.create(null), Object.getOwnPropertyDescriptors(KINDS[kind]))
      const rowKey = `${String(keys.length).padStart(4, '0')}${kind === 2 ? '字' : ''}`
      table.createEntitySync(Object.assign(keyed, { partitionKey: 'p', rowKey }))
      keys.push([rowKey, kind])
    }
  }
  return { table, keys }
}

function check(found, [rowKey, kind]) {
  const { etag, timestamp, partitionKey, ...rest } = found
  assert.match(etag, /^W\/"datetime'20/)
  assert.match(timestamp, /^20.*Z$/)
  assert.equal(partitionKey, 'p')
  assert.equal(rest.rowKey, rowKey)
  const own = Object.assign(Object.create(null), rest)
  delete own.rowKey
  const names = Object.getOwnPropertyNames(found).filter((name) => !['etag', 'timestamp', 'partitionKey', 'rowKey'].includes(name))
  const expected = shown(KINDS[kind])
  assert.deepEqual(names.sort(), Object.keys(expected).sort())
  for (const name of names) assert.deepEqual(Object.getOwnPropertyDescriptor(found, name).value, expected[name], `${rowKey} ${name}`)
  assert.equal(Object.getPrototypeOf(found), Object.prototype)
}

function checkAll() {
  const store = Store.openSync(':memory:')
  const { table, keys } = filled(store)
  const found = [...table.listEntitiesSync()]
  assert.equal(found.length, keys.length)
  found.forEach((entity, at) => check(entity, keys[at]))
  for (const key of keys) check(table.getEntitySync('p', key[0]), key)
  const asked = keys.flatMap(([rowKey]) => [['p', rowKey], ['p', 'none']])
  table.getManySync(asked).forEach((entity, at) => (at % 2 ? assert.equal(entity, undefined) : check(entity, keys[at / 2])))
  store.transactionSync((transaction) => {
    const inside = transaction.table('Kinds')
    ;[...inside.listEntitiesSync()].forEach((entity, at) => check(entity, keys[at]))
  })
  const stated = [...table.listEntitiesSync({ disableTypeConversion: true })]
  assert.deepEqual(stated[0].Text ?? stated[1].Text, { type: 'String', value: KINDS[keys[stated[0].Text ? 0 : 1][1]].Text })
  const bytes = stated[keys.findIndex(([, kind]) => kind === 1)].Bytes
  assert.deepEqual(bytes, { type: 'Binary', value: 'AH+A/w==' })
  assert.deepEqual(stated[keys.findIndex(([, kind]) => kind === 8)].Whole, { type: 'Double', value: '3' })
  store.closeSync()
}

if (process.argv[2] === 'check') {
  checkAll()
} else {
  test('entities of all kinds beside each other', checkAll)

  test('the same where code may not be made of strings', () => {
    execFileSync(process.execPath, ['--disallow-code-generation-from-strings', __filename, 'check'], { stdio: 'pipe' })
  })

  test('more lists of names than are kept', () => {
    const store = Store.openSync(':memory:')
    const table = store.createTableSync('Many')
    const count = 1_300
    for (let at = 0; at < count; at++) table.createEntitySync({ partitionKey: 'p', rowKey: String(at).padStart(4, '0'), [`N${at}`]: at, Text: `t${at}` })
    for (let round = 0; round < 2; round++) {
      let at = 0
      for (const entity of table.listEntitiesSync()) {
        assert.deepEqual([entity[`N${at}`], entity.Text, Object.keys(entity).length], [at, `t${at}`, 6])
        at += 1
      }
      assert.equal(at, count)
    }
  })

  test('an entity with more properties than there is code for', () => {
    const store = Store.openSync(':memory:', { mode: 'extended' })
    const table = store.createTableSync('Wide')
    const names = Array.from({ length: 20_000 }, (_, at) => `P${at}`)
    table.createEntitySync({ partitionKey: 'p', rowKey: 'r', ...Object.fromEntries(names.map((name, at) => [name, at % 2 ? at : `t${at}`])) })
    for (const found of [table.getEntitySync('p', 'r'), ...table.listEntitiesSync()]) {
      assert.equal(Object.keys(found).length, names.length + 4)
      for (const [at, name] of names.entries()) assert.equal(found[name], at % 2 ? at : `t${at}`)
    }
  })

  test('what is made does not depend on what a program puts in the place of built-ins', () => {
    const store = Store.openSync(':memory:')
    const { table, keys } = filled(store)
    const { slice, charCodeAt } = String.prototype
    const { from } = Buffer
    let found
    try {
      String.prototype.slice = String.prototype.charCodeAt = Buffer.from = () => assert.fail('asked')
      found = [...table.listEntitiesSync()]
    } finally {
      Object.assign(String.prototype, { slice, charCodeAt })
      Buffer.from = from
    }
    found.forEach((entity, at) => check(entity, keys[at]))
  })
}
