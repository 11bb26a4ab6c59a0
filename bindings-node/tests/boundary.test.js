'use strict'
// Misuse gives errors that say what is wrong; nothing crashes.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const entable = require('entable')
const { RestError, Snapshot, Store, Table, TableTransaction, errorCodes, odata } = entable

const KEYS = { partitionKey: 'p', rowKey: 'r' }

function opened() {
  const store = Store.openSync(':memory:')
  return { store, table: store.createTableSync('Things') }
}

/** A folder that goes with the test. */
function folder(context) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'entable-'))
  context.after(() => fs.rmSync(made, { recursive: true }))
  return made
}

/** Every call of a table, by name and arguments. */
const TABLE_CALLS = {
  createEntity: [KEYS],
  updateEntity: [KEYS],
  upsertEntity: [KEYS],
  deleteEntity: ['p', 'r'],
  getEntity: ['p', 'r'],
  exists: ['p', 'r'],
  getMany: [[['p', 'r']]],
  submitTransaction: [[['create', KEYS]]],
  count: [],
  explain: [],
  deleteEntities: [{ queryOptions: {} }],
  createIndex: [{ name: 'I', properties: ['N'] }],
  createIndexIfNotExists: [{ name: 'I', properties: ['N'] }],
  dropIndex: ['I'],
  listIndexes: [],
  indexStats: [],
  advise: [],
  createTable: [],
  deleteTable: [],
}

test('every promise method has a Sync form', () => {
  // What does nothing yet, and what is for one thread and is synchronous only.
  const others = ['constructor', 'table', 'at']
  for (const kind of [Store, Table, Snapshot]) {
    for (const holder of [kind, kind.prototype]) {
      const names = Object.getOwnPropertyNames(holder).filter((name) => typeof Object.getOwnPropertyDescriptor(holder, name).value === 'function')
      const alone = names.filter((name) => !name.endsWith('Sync') && !names.includes(`${name}Sync`))
      assert.deepEqual(alone.filter((name) => !others.includes(name)), [])
    }
  }
})

test('after closing every call says that the store is closed', async () => {
  const { store, table } = opened()
  const begun = table.listEntitiesSync()
  table.createEntitySync(KEYS)
  await store.close()
  const closed = { name: 'RestError', code: 'StoreClosed' }
  for (const [name, args] of Object.entries(TABLE_CALLS)) {
    assert.throws(() => table[`${name}Sync`](...args), closed, name)
    await assert.rejects(table[name](...args), closed, name)
  }
  assert.throws(() => begun.next(), closed)
  assert.throws(() => [...store.listTablesSync()], closed)
  await assert.rejects(store.listTables().next(), closed)
  await assert.rejects(table.listEntities().next(), closed)
  await assert.rejects(table.partitionKeys().next(), closed)
  for (const [name, ...args] of [['createTable', 'Other'], ['snapshot'], ['sync'], ['stats'], ['backup', '/tmp/x'], ['compactInto', '/tmp/x'], ['compact'], ['submitBatch', [['Things', 'create', KEYS]]]]) {
    assert.throws(() => store[`${name}Sync`](...args), closed, name)
    await assert.rejects(store[name](...args), closed, name)
  }
  assert.throws(() => store.transactionSync(() => 1), closed)
  await store.close()
  store.closeSync()
})

test('calls under way when the store is closed end with a result or with StoreClosed', async () => {
  const { store, table } = opened()
  const calls = Array.from({ length: 50 }, (_, at) => table.createEntity({ partitionKey: 'p', rowKey: String(at) }))
  const closing = store.close()
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'StoreClosed')
  }
  await closing
})

test('a list that was begun goes on after its page, and ends with StoreClosed', async () => {
  const { store, table } = opened()
  for (let at = 0; at < 5; at++) table.createEntitySync({ partitionKey: 'p', rowKey: String(at) })
  const pages = table.listEntities().byPage({ maxPageSize: 2 })
  assert.equal((await pages.next()).value.length, 2)
  store.closeSync()
  await assert.rejects(pages.next(), { code: 'StoreClosed' })
  assert.deepEqual(await pages.next(), { value: undefined, done: true })
})

test('using and await using close', async () => {
  const { store } = opened()
  store[Symbol.dispose]()
  assert.throws(() => store.createTableSync('Other'), { code: 'StoreClosed' })
  await store[Symbol.asyncDispose]()
})

test('paths', async (context) => {
  const place = folder(context)
  const file = path.join(place, 'deep', 'a.ent')
  await assert.rejects(Store.open(file, { mustExist: true }), { code: 'StoreNotFound', statusCode: 404 })
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  await table.createEntity(KEYS)
  await store.close()
  const again = Store.openSync(new URL(`file://${file}`), { readOnly: true })
  assert.ok(again.table('Things').existsSync('p', 'r'))
  assert.throws(() => again.table('Things').createEntitySync(KEYS), RestError)
  again.closeSync()
  fs.writeFileSync(path.join(place, 'other'), 'something else entirely '.repeat(1000))
  assert.throws(() => Store.openSync(path.join(place, 'other')), { code: 'NotAStore' })
  for (const wrong of ['a\0b', place]) assert.throws(() => Store.openSync(wrong), RestError)
  for (const wrong of [undefined, null, 5, {}, Buffer.from('x')]) {
    assert.throws(() => Store.openSync(wrong), { name: 'TypeError', message: /path must be a string/ })
    await assert.rejects(Store.open(wrong), { name: 'TypeError' })
  }
})

test('options of open', () => {
  const wrong = [{ readonly: true }, { mode: 'Strict' }, { mode: 5 }, { readOnly: 1 }, { mustExist: 'yes' }, 5, null, [], 'strict']
  for (const options of wrong) {
    assert.throws(() => Store.openSync(':memory:', options), { name: 'TypeError', code: 'InvalidInput' }, JSON.stringify(options))
  }
  assert.throws(() => Store.openSync(':memory:', { readonly: true }), { message: /readonly.*readOnly/ })
  assert.throws(() => Store.openSync(':memory:', { readOnly: true }), { code: 'InvalidInput' })
  Store.openSync(':memory:', {}).closeSync()
})

test('stores and tables are not made by hand', () => {
  assert.throws(() => new Store(), TypeError)
  assert.throws(() => new Table(opened().store, {}, 'Things'), TypeError)
  const { getEntitySync } = opened().table
  assert.throws(() => getEntitySync('p', 'r'), TypeError)
  assert.throws(() => getEntitySync.call({}, 'p', 'r'), TypeError)
  for (const name of [undefined, null, 5]) assert.throws(() => opened().store.table(name), TypeError)
})

test('a bad name of a table shows when it is used', async () => {
  const { store } = opened()
  const table = store.table('not-a-name')
  assert.equal(table.tableName, 'not-a-name')
  assert.throws(() => table.getEntitySync('p', 'r'), { code: 'InvalidResourceName', statusCode: 400 })
  await assert.rejects(table.createTable(), { code: 'InvalidResourceName' })
  await assert.rejects(store.table('Missing').getEntity('p', 'r'), { code: 'TableNotFound', statusCode: 404 })
})

test('entities that are none', async () => {
  const { table } = opened()
  for (const entity of [undefined, null, 5, 'text', [], () => 1]) {
    assert.throws(() => table.createEntitySync(entity), { name: 'TypeError', message: /entity/ })
    await assert.rejects(table.createEntity(entity), { name: 'TypeError', message: /entity/ })
  }
  for (const key of [5, true, {}, 5n, new Date()]) {
    assert.throws(() => table.createEntitySync({ partitionKey: key, rowKey: 'r' }), { name: 'TypeError', message: /PartitionKey/ })
    assert.throws(() => table.getEntitySync('p', key), { name: 'TypeError', message: /RowKey/ })
  }
})

test('a missing key is refused, by the methods of the official client at once', async () => {
  const { table } = opened()
  const missing = { name: 'RestError', code: 'PropertiesNeedValue', statusCode: 400 }
  for (const [entity, property] of [[{ rowKey: 'r' }, 'PartitionKey'], [{ partitionKey: 'p', rowKey: null }, 'RowKey']]) {
    const named = (error) => error.code === missing.code && error.details.property === property
    for (const name of ['createEntity', 'updateEntity', 'upsertEntity']) assert.throws(() => table[`${name}Sync`](entity), named)
    await assert.rejects(table.createEntity(entity), missing)
    for (const name of ['updateEntity', 'upsertEntity']) assert.throws(() => table[name](entity), named)
  }
  for (const name of ['getEntity', 'deleteEntity', 'exists']) assert.throws(() => table[name]('p'), missing)
  // As the service writes it, and JavaScript does not.
  assert.throws(() => table.createEntitySync({ PartitionKey: 'p', RowKey: 'r' }), { ...missing, message: /It has PartitionKey: here the name of this key is partitionKey/ })
  assert.throws(() => table.createEntitySync({ partitionKey: 'p', RowKey: 'r' }), { ...missing, message: /It has RowKey: here the name of this key is rowKey/ })
})

test('a query option that is misspelt, or in the wrong place, is no question for everything', async () => {
  const { table } = opened()
  table.createEntitySync(KEYS)
  const misspelt = { queryOptions: { fliter: "RowKey eq 'none'" } }
  const misplaced = { orderBy: 'A', queryOptions: {} }
  for (const [options, message] of [[misspelt, /There is no option fliter: there are filter, /], [misplaced, /orderBy belongs into queryOptions/]]) {
    const refused = { name: 'TypeError', code: 'InvalidInput', message }
    assert.throws(() => [...table.listEntitiesSync(options)], refused)
    for (const name of ['count', 'explain', 'deleteEntities']) {
      assert.throws(() => table[`${name}Sync`](options), refused, name)
      await assert.rejects(async () => table[name](options), refused, name)
    }
    await assert.rejects(async () => { for await (const found of table.listEntities(options)) assert.fail(found) }, refused)
  }
  assert.equal(table.countSync(), 1)
})

test('modes, conditions and settings', async () => {
  const { table } = opened()
  table.createEntitySync(KEYS)
  for (const mode of ['merge', 'REPLACE', '', 5, null, {}]) {
    assert.throws(() => table.updateEntitySync(KEYS, mode), { name: 'TypeError', message: /mode/ })
    await assert.rejects(table.upsertEntity(KEYS, mode), { name: 'TypeError', message: /mode/ })
  }
  for (const options of [{ etag: 5 }, { etag: null }, { ifAbsent: 1 }, 5, null, []]) {
    assert.throws(() => table.updateEntitySync(KEYS, 'Merge', options), TypeError)
  }
  assert.throws(() => table.updateEntitySync(KEYS, 'Merge', { etag: 'x' }), { code: 'InvalidInput', statusCode: 400 })
  assert.throws(() => table.deleteEntitySync('p', 'r', { etag: 'W/"x"' }), { code: 'UpdateConditionNotSatisfied', statusCode: 412 })
  const lists = [
    [{ queryOptions: 5 }, undefined],
    [{ queryOptions: { filter: 5 } }, undefined],
    [{ queryOptions: { select: 'A' } }, undefined],
    [{ queryOptions: { select: [5] } }, undefined],
    [{ queryOptions: { limit: -1 } }, undefined],
    [{ queryOptions: { limit: 1.5 } }, undefined],
    [{ queryOptions: { parameters: [] } }, undefined],
    [{ queryOptions: { filter: 'A eq @a', parameters: { a: null } } }, undefined],
    [{ queryOptions: { filter: 'A eq @a', parameters: { a: [] } } }, undefined],
    [{ disableTypeConversion: 1 }, undefined],
    [{}, { maxPageSize: '5' }],
    [{}, { maxPageSize: -1 }],
    [{}, { maxPageSize: NaN }],
    [{}, { continuationToken: 5 }],
    [{}, 5],
    [5, undefined],
  ]
  for (const [options, settings] of lists) {
    // Errors come with the first item.
    const pages = table.listEntities(options).byPage(settings)
    await assert.rejects(pages.next(), TypeError, JSON.stringify([options, settings]))
    assert.throws(() => table.listEntitiesSync(options).byPage(settings).next(), TypeError)
  }
  assert.throws(() => table.listEntitiesSync().byPage({ continuationToken: 'x' }).next(), { code: 'InvalidInput' })
  assert.throws(() => table.listEntitiesSync({ queryOptions: { filter: 'A eq' } }).next(), (error) => error.details.position === 4)
})

test('transactions', async () => {
  const { table } = opened()
  for (const actions of [[], undefined, 5, {}, 'x']) {
    assert.throws(() => table.submitTransactionSync(actions), { name: 'TypeError', message: /actions|action/ })
    await assert.rejects(table.submitTransaction(actions), TypeError)
  }
  for (const action of [5, [], ['nope', KEYS], ['create'], ['create', 5], ['update', KEYS, 'merge'], ['delete', KEYS, { etag: 5 }]]) {
    const second = [['create', { partitionKey: 'p', rowKey: 'x' }], action]
    assert.throws(() => table.submitTransactionSync(second), (error) => error.details.index === 1 && error.message.startsWith('1:'), JSON.stringify(action))
  }
  assert.throws(() => table.submitTransactionSync([['create', KEYS], ['create', { partitionKey: 'p', rowKey: 'x', V: [] }]]), (error) => error.details.property === 'V')
  assert.equal(table.existsSync('p', 'r'), false)
  const transaction = new TableTransaction()
  transaction.createEntity({ partitionKey: 'p', rowKey: 'a', N: 1 })
  transaction.upsertEntity({ partitionKey: 'p', rowKey: 'b', N: 1 }, 'Replace')
  transaction.createEntity({ partitionKey: 'p', rowKey: 'c' })
  const first = await table.submitTransaction(transaction.actions)
  assert.equal(first.status, 202)
  assert.deepEqual(first.subResponses.map((one) => [one.status, one.rowKey, typeof one.etag]), [[204, 'a', 'string'], [204, 'b', 'string'], [204, 'c', 'string']])
  const etag = first.getResponseForEntity('a').etag
  const next = new TableTransaction()
  next.updateEntity({ partitionKey: 'p', rowKey: 'a', M: 2 }, { etag })
  next.updateEntity({ partitionKey: 'p', rowKey: 'b', M: 2 }, 'Replace')
  next.deleteEntity('p', 'c', { etag: first.getResponseForEntity('c').etag })
  const second = table.submitTransactionSync(next.actions)
  assert.equal(second.getResponseForEntity('c').etag, undefined)
  assert.deepEqual([...table.listEntitiesSync({ queryOptions: { select: ['rowKey', 'N', 'M'] } })].map(({ etag: _, ...rest }) => rest), [{ rowKey: 'a', N: 1, M: 2 }, { rowKey: 'b', M: 2 }])
  const stale = [['update', { partitionKey: 'p', rowKey: 'b' }], ['delete', { partitionKey: 'p', rowKey: 'a' }, { etag }]]
  await assert.rejects(table.submitTransaction(stale), { code: 'UpdateConditionNotSatisfied', statusCode: 412, message: /^1:/ })
})

test('exceptions of getters and proxies come through, and nothing is stored', async () => {
  const { table } = opened()
  const mine = new RangeError('mine')
  const fail = () => {
    throw mine
  }
  const entities = [
    { ...KEYS, get V() { return fail() } },
    { ...KEYS, V: { get type() { return fail() } } },
    new Proxy(KEYS, { ownKeys: fail }),
    new Proxy(KEYS, { get: fail }),
  ]
  for (const entity of entities) {
    assert.throws(() => table.createEntitySync(entity), (error) => error === mine)
    await assert.rejects(table.createEntity(entity), (error) => error === mine)
  }
  assert.equal(table.existsSync('p', 'r'), false)
})

test('a getter may use the store, or close it', () => {
  const { store, table } = opened()
  table.createEntitySync({ ...KEYS, get V() { table.createEntitySync({ ...KEYS, rowKey: 'inner' }); return 1 } })
  assert.equal(table.existsSync('p', 'inner'), true)
  const closing = { ...KEYS, rowKey: 'last', get V() { store.closeSync(); return 1 } }
  assert.throws(() => table.createEntitySync(closing), { code: 'StoreClosed' })
})

test('errors are those of the official client, and say where they come from', async () => {
  const { table } = opened()
  table.createEntitySync(KEYS)
  async function caller() {
    await table.createEntity(KEYS)
  }
  const check = (error) => {
    assert.ok(error instanceof RestError && error instanceof Error)
    assert.deepEqual([error.name, error.code, error.statusCode], ['RestError', 'EntityAlreadyExists', 409])
    const { message } = error.details.odataError
    assert.deepEqual([error.details.errorCode, error.details.odataError.code], [error.code, error.code])
    assert.equal(message.value, error.message)
    assert.deepEqual([error.details.table, error.details.partitionKey, error.details.rowKey], ['Things', 'p', 'r'])
    assert.match(error.stack, /boundary\.test\.js/)
    return true
  }
  assert.throws(() => table.createEntitySync(KEYS), check)
  await assert.rejects(caller(), (error) => check(error) && /caller/.test(error.stack))
  assert.equal(errorCodes.EntityAlreadyExists.status, 409)
})

test('an aborted signal rejects', async () => {
  const { table } = opened()
  const abortSignal = AbortSignal.abort()
  for (const name of ['createEntity', 'getEntity', 'submitTransaction']) {
    const [first, second] = TABLE_CALLS[name]
    const args = name === 'getEntity' ? [first, second, { abortSignal }] : [first, { abortSignal }]
    await assert.rejects(table[name](...args), { name: 'AbortError' })
  }
  await assert.rejects(table.listEntities({ abortSignal }).next(), { name: 'AbortError' })
  assert.equal(table.existsSync('p', 'r'), false)
})

test('lists', async () => {
  const { store, table } = opened()
  const count = 25
  for (let at = 0; at < count; at++) table.createEntitySync({ partitionKey: 'p', rowKey: String(at).padStart(3, '0'), N: at })
  const all = []
  for await (const entity of table.listEntities()) all.push(entity.rowKey)
  assert.equal(all.length, count)
  for await (const entity of table.listEntities()) if (entity.N === 3) break
  const list = table.listEntitiesSync()
  assert.equal(list.next().value.N, 0)
  assert.deepEqual([...list].length, count - 1)
  let token
  const paged = []
  do {
    const { value } = await table.listEntities().byPage({ maxPageSize: 10, continuationToken: token }).next()
    assert.ok(Array.isArray(value))
    paged.push(...value.map((entity) => entity.rowKey))
    token = value.continuationToken
  } while (token !== undefined)
  assert.deepEqual(paged, all)
  const limited = table.listEntitiesSync({ queryOptions: { filter: 'N ge @least', parameters: { least: 5 }, limit: 7 } })
  assert.deepEqual([...limited].map((entity) => entity.N), [5, 6, 7, 8, 9, 10, 11])
  for (const name of ['Beta', 'alpha', 'Gamma']) await store.createTable(name)
  const pages = [...store.listTablesSync().byPage({ maxPageSize: 3 })]
  assert.deepEqual(pages.map((page) => page.map((item) => item.name)), [['alpha', 'Beta', 'Gamma'], ['Things']])
  assert.deepEqual([...store.listTablesSync().byPage({ maxPageSize: 0 })].map((page) => [page.length, page.continuationToken]), [[0, undefined]])
  for (const wrong of [{ maxPageSize: 1.5 }, { maxPageSize: '1' }, { continuationToken: 5 }]) {
    assert.throws(() => store.listTablesSync().byPage(wrong).next(), TypeError)
  }
  const rest = await store.listTables().byPage({ continuationToken: pages[0].continuationToken }).next()
  assert.deepEqual([...rest.value], [{ name: 'Things' }])
  assert.deepEqual([...store.listTablesSync({ queryOptions: { filter: odata`TableName eq ${'Beta'}` } })], [{ name: 'Beta' }])
})

test('pages asked for at the same time come one after the other', async () => {
  const { table } = opened()
  for (let at = 0; at < 9; at++) table.createEntitySync({ partitionKey: 'p', rowKey: String(at) })
  const pages = table.listEntities().byPage({ maxPageSize: 3 })
  const three = await Promise.all([pages.next(), pages.next(), pages.next()])
  assert.deepEqual(three.map((page) => page.value[0].rowKey), ['0', '3', '6'])
})

test('odata writes literals', () => {
  const guid = { type: 'Guid', value: '0F8FAD5B-D9CB-469F-A165-70867728950E' }
  const cases = [
    [odata`A eq ${"o'clock"}`, "A eq 'o''clock'"],
    [odata`A eq '${"o'clock"}'`, "A eq 'o''clock'"],
    [odata`${'A'} eq ${5}`, 'A eq 5'],
    [odata`A eq ${1.5} or A eq ${true}`, 'A eq 1.5 or A eq true'],
    [odata`A eq ${5n}`, 'A eq 5L'],
    [odata`A lt ${new Date('2020-01-01T00:00:00.120Z')}`, "A lt datetime'2020-01-01T00:00:00.12Z'"],
    [odata`A eq ${guid}`, `A eq guid'${guid.value.toLowerCase()}'`],
    [odata`A eq ${new Uint8Array([1, 255])}`, "A eq X'01ff'"],
    [odata`A eq ${{ type: 'Double', value: 5 }}`, 'A eq 5.0'],
    [odata`A eq ${null}`, 'A eq null'],
  ]
  for (const [text, expected] of cases) assert.equal(text, expected)
  for (const value of [undefined, [], {}, () => 1]) assert.throws(() => odata`A eq ${value}`, TypeError)
})

test('what odata writes finds what was stored', () => {
  const { table } = opened()
  const values = ["o'clock", "'; drop", 5, 1.5, -0.5, 1e21, 5e-324, 3_000_000_000, true, 5n, -(2n ** 63n), new Date(0), { type: 'Guid', value: '0f8fad5b-d9cb-469f-a165-70867728950e' }, Buffer.from([0, 255])]
  for (const [at, value] of values.entries()) {
    table.createEntitySync({ partitionKey: 'p', rowKey: String(at), V: value })
    const rows = (queryOptions) => [...table.listEntitiesSync({ queryOptions })].map((entity) => entity.rowKey)
    assert.deepEqual(rows({ filter: odata`V eq ${value} and RowKey eq ${String(at)}` }), [String(at)], `${value}`)
    assert.deepEqual(rows({ filter: 'V eq @v and RowKey eq @r', parameters: { v: value, r: String(at) } }), [String(at)], `${value}`)
  }
})

test('a worker opens the same file', async (context) => {
  const file = path.join(folder(context), 'a.ent')
  const store = Store.openSync(file)
  const table = store.createTableSync('Things')
  const code = `
    const { Store, DateTime, RestError } = require(${JSON.stringify(path.join(__dirname, '../lib/index.js'))})
    const table = Store.openSync(${JSON.stringify(file)}).table('Things')
    table.createEntitySync({ partitionKey: 'p', rowKey: 'worker', T: new DateTime(637134336000000001n) })
    const isOurs = table.getEntitySync('p', 'worker').T instanceof DateTime
    try { table.getEntitySync('p', 'none') } catch (error) {
      require('node:worker_threads').parentPort.postMessage(isOurs && error instanceof RestError)
    }`
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(code, { eval: true })
    assert.equal(await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)), true)
    await worker.terminate()
    assert.equal(table.getEntitySync('p', 'worker').T.ticks, 637134336000000001n)
    table.deleteEntitySync('p', 'worker')
  }
  store.closeSync()
})

test('both kinds of modules have the same classes', async () => {
  const esm = await import('entable')
  for (const [name, value] of Object.entries(entable)) assert.equal(esm[name], value, name)
  assert.deepEqual(Object.keys(esm).sort(), Object.keys(entable).sort())
})
