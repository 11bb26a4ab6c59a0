'use strict'
// What JavaScript throws while the store is being called is thrown on as it is, at V8's limit of the stack, too.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { test } = require('node:test')
const { Store, entitySize, entityToJson, odata } = require('entable')

/** A store with a table of one entity. */
function opened() {
  const store = Store.openSync(':memory:')
  store.createTableSync('Things')
  const table = store.table('Things')
  table.createEntitySync({ partitionKey: 'p', rowKey: 'r', a: 1, b: new Date(0) })
  return { store, table }
}

const KEYS = { partitionKey: 'p', rowKey: 'r' }
const unless = (code, call) => {
  try {
    call()
  } catch (error) {
    if (error.code !== code) throw error
  }
}
const promised = (promise) => void promise.catch(() => {})

/** Calls that go on for ever when each is made deeper in the stack than the last. */
const CALLS = {
  getEntitySync: ({ table }) => table.getEntitySync('p', 'r'),
  'getEntitySync of what is not there': ({ table }) => unless('ResourceNotFound', () => table.getEntitySync('p', 'none')),
  'createEntitySync of what is there': ({ table }) => unless('EntityAlreadyExists', () => table.createEntitySync(KEYS)),
  createOrGetEntitySync: ({ table }) => table.createOrGetEntitySync(KEYS),
  updateEntitySync: ({ table }) => table.updateEntitySync({ ...KEYS, a: 2 }),
  upsertEntitySync: ({ table }) => table.upsertEntitySync({ ...KEYS, a: 2 }),
  'deleteEntitySync of what is not there': ({ table }) => unless('ResourceNotFound', () => table.deleteEntitySync('p', 'none')),
  'moveEntitySync to itself': ({ table }) => unless('InvalidInput', () => table.moveEntitySync(KEYS, KEYS)),
  existsSync: ({ table }) => table.existsSync('p', 'r'),
  getManySync: ({ table }) => table.getManySync([['p', 'r']]),
  listEntitiesSync: ({ table }) => [...table.listEntitiesSync({ queryOptions: { filter: 'a gt 0' } })],
  submitTransactionSync: ({ table }) => table.submitTransactionSync([['upsert', { ...KEYS, a: 2 }]]),
  countSync: ({ table }) => table.countSync(),
  explainSync: ({ table }) => table.explainSync({ queryOptions: { filter: 'a gt 0' } }),
  partitionKeysSync: ({ table }) => [...table.partitionKeysSync()],
  listIndexesSync: ({ table }) => table.listIndexesSync(),
  getEntity: ({ table }) => promised(table.getEntity('p', 'r')),
  createEntity: ({ table }) => promised(table.createEntity(KEYS)),
  upsertEntity: ({ table }) => promised(table.upsertEntity({ ...KEYS, a: 2 })),
  submitTransaction: ({ table }) => promised(table.submitTransaction([['upsert', { ...KEYS, a: 2 }]])),
}

/** What the other process does: the call without end, and then the store is used as ever. */
async function recurse(name) {
  const place = opened()
  const call = CALLS[name]
  // The stack ends elsewhere in each round: in the call, in what it calls, and in between.
  for (let round = 0; round < 4; round++) {
    const deeper = (...padding) => {
      call(place)
      deeper(...padding)
    }
    assert.throws(() => deeper(...Array(round).fill(0)), (error) => error instanceof RangeError && /call stack/.test(error.message))
  }
  place.table.upsertEntitySync({ partitionKey: 'p', rowKey: 'after', Text: 'ä' })
  assert.equal(place.table.getEntitySync('p', 'after').Text, 'ä')
  await place.table.upsertEntity({ partitionKey: 'p', rowKey: 'later', Text: 'ä' })
  assert.equal((await place.table.getEntity('p', 'later')).Text, 'ä')
  await place.store.close()
}

if (process.argv[2] === 'recurse') {
  void recurse(process.argv[3])
} else {
  for (const name of Object.keys(CALLS)) {
    test(`recursion without end is a RangeError: ${name}`, () => {
      const { status, signal, stderr } = spawnSync(process.execPath, [__filename, 'recurse', name], { encoding: 'utf8' })
      // Of a promise that is rejected there, Node itself says so on stderr.
      assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr.slice(-2_000))
    })
  }

  /** What cannot be asked for its text or its cause. */
  function thrown() {
    const own = new Error('its own cause')
    own.cause = own
    const cause = new Error('its cause throws it')
    Object.defineProperty(cause, 'cause', { get: () => { throw cause } })
    const text = { toString: () => { throw text } }
    const proxy = new Proxy({}, { get: () => { throw proxy } })
    return [own, cause, text, proxy, 'a text', 7, undefined, null, Symbol('s'), Object.create(null)]
  }

  test('what holds itself is refused, and takes no stack', async () => {
    const { store, table } = opened()
    const add = { type: 'Add' }
    add.value = add
    let deep = { type: 'Add', value: 1 }
    for (let left = 100_000; left > 0; left--) deep = { type: 'Add', value: deep }
    // One that is an Add whenever it is asked the second time.
    let asked = 0
    const turning = { get type() { return asked++ % 2 === 0 ? 'Int64' : 'Add' }, get value() { return turning } }
    const any = new Proxy({}, { get: (_, name) => (name === 'type' ? 'Add' : any) })
    const cyclic = {}
    cyclic.type = cyclic.value = cyclic
    const list = []
    list.push(list)
    for (const value of [add, deep, turning, any, cyclic, list, { type: 'Add', value: { type: 'Remove' } }]) {
      const calls = [
        (given) => table.updateEntitySync(given),
        (given) => table.submitTransactionSync([['upsert', given]]),
        (given) => [...table.listEntitiesSync({ queryOptions: { filter: 'a eq @a', parameters: { a: given.a } } })],
        (given) => odata`a eq ${given.a}`,
        (given) => entityToJson(given),
        (given) => entitySize(given),
      ]
      for (const call of calls) assert.throws(() => call({ ...KEYS, a: value }), (error) => error instanceof Error && error.code !== 'Internal', `${call}`)
      await assert.rejects(table.upsertEntity({ ...KEYS, a: value }), { code: 'InvalidInput' })
    }
    // A member that stores its own entity.
    const itself = { ...KEYS, get a() { return table.upsertEntitySync(itself) } }
    assert.throws(() => table.upsertEntitySync(itself), RangeError)
    assert.equal(table.getEntitySync('p', 'r').a, 1)
    store.closeSync()
  })

  test('what a getter throws is thrown on as it is', async () => {
    const { store, table } = opened()
    for (const value of thrown()) {
      const fail = () => { throw value }
      const same = (error) => error === value
      const entity = { partitionKey: 'p', rowKey: 'q', get a() { return fail() } }
      const calls = [
        () => table.createEntitySync(entity),
        () => table.submitTransactionSync([['create', entity]]),
        () => table.createEntitySync({ ...KEYS, a: { type: 'Int64', get value() { return fail() } } }),
        () => [...table.listEntitiesSync({ queryOptions: { get filter() { return fail() } } })],
        () => Store.openSync(':memory:', { get mode() { return fail() } }),
      ]
      for (const call of calls) {
        let caught = 'nothing'
        try {
          call()
        } catch (error) {
          caught = error
        }
        assert.ok(same(caught), `${call}`)
      }
      const outcome = await table.createEntity(entity).then(() => ['nothing'], (error) => [error])
      assert.ok(same(outcome[0]))
    }
    assert.equal(table.countSync(), 1)
    store.closeSync?.()
  })
}
