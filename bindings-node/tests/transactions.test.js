'use strict'
// Interactive transactions: all or nothing, reads of their own writes, and an end.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { Store, Transaction, TransactionTable } = require('entable')

const KEYS = { partitionKey: 'p', rowKey: '1' }

function opened() {
  const store = Store.openSync(':memory:')
  return { store, table: store.createTableSync('Things') }
}

test('what a transaction wrote is seen inside at once, and outside after it', () => {
  const { store, table } = opened()
  const result = store.transactionSync((transaction) => {
    assert.ok(transaction instanceof Transaction)
    const inside = transaction.table('Things')
    assert.ok(inside instanceof TransactionTable)
    assert.equal(inside.tableName, 'Things')
    const { etag } = inside.createEntitySync({ ...KEYS, N: 1 })
    inside.updateEntitySync({ ...KEYS, M: 2 }, 'Merge', { etag })
    inside.upsertEntitySync({ partitionKey: 'q', rowKey: '1', N: 3 }, 'Replace')
    assert.deepEqual([inside.getEntitySync('p', '1').N, inside.getEntitySync('p', '1').M], [1, 2])
    assert.deepEqual(Object.keys(inside.getEntitySync('p', '1', { queryOptions: { select: ['M'] } })), ['etag', 'M'])
    assert.equal(inside.existsSync('q', '1'), true)
    assert.deepEqual(inside.getManySync([['q', '1'], ['none', '1']]).map((one) => one?.N), [3, undefined])
    assert.equal(inside.countSync({ queryOptions: { filter: 'N gt 0' } }), 2)
    assert.equal(table.existsSync('p', '1'), false)
    const answer = inside.submitTransactionSync([['create', { partitionKey: 'g', rowKey: 'a' }], ['create', { partitionKey: 'g', rowKey: 'b' }]])
    assert.deepEqual(answer.subResponses.map((one) => one.rowKey), ['a', 'b'])
    assert.equal(inside.deleteEntitiesSync({ queryOptions: { filter: "PartitionKey eq 'g'" } }), 2)
    inside.deleteEntitySync('q', '1')
    const other = transaction.createTableSync('Other')
    other.createEntitySync(KEYS)
    assert.deepEqual(transaction.listTablesSync(), [{ name: 'Other' }, { name: 'Things' }])
    transaction.createTableSync('Gone')
    transaction.deleteTableSync('Gone')
    transaction.deleteTableSync('Gone')
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual([...table.listEntitiesSync()].map((one) => [one.partitionKey, one.N, one.M]), [['p', 1, 2]])
  assert.equal(store.table('Other').countSync(), 1)
})

test('a transaction whose function throws has done nothing', () => {
  const { store, table } = opened()
  const mine = new RangeError('mine')
  const work = (transaction) => {
    transaction.table('Things').createEntitySync(KEYS)
    throw mine
  }
  assert.throws(() => store.transactionSync(work), (error) => error === mine)
  assert.equal(table.countSync(), 0)
  table.createEntitySync(KEYS)
})

test('a call that fails inside changes nothing, and the transaction may go on', () => {
  const { store, table } = opened()
  store.transactionSync((transaction) => {
    const inside = transaction.table('Things')
    inside.createEntitySync(KEYS)
    assert.throws(() => inside.createEntitySync(KEYS), { code: 'EntityAlreadyExists', statusCode: 409 })
    assert.throws(() => inside.createEntitySync({ partitionKey: 'p', rowKey: '2', V: [] }), { name: 'TypeError', message: /V/ })
    assert.throws(() => inside.getEntitySync('p', 'none'), { code: 'ResourceNotFound' })
    assert.throws(() => transaction.table('not-a-name'), { code: 'InvalidResourceName' })
    assert.throws(() => transaction.table('None').countSync(), { code: 'TableNotFound' })
    assert.throws(() => inside.deleteEntitiesSync(), TypeError)
  })
  assert.equal(table.countSync(), 1)
})

test('a list inside goes on over pages, its limit and its own writes', () => {
  const { store, table } = opened()
  store.submitBatchSync(Array.from({ length: 10 }, (_, at) => ['Things', 'create', { partitionKey: 'p', rowKey: `1${at}` }]))
  store.transactionSync((transaction) => {
    const inside = transaction.table('Things')
    const sizes = (queryOptions, maxPageSize) => [...inside.listEntitiesSync({ queryOptions }).byPage({ maxPageSize })].map((page) => page.length)
    assert.deepEqual(sizes({}, 4), [4, 4, 2])
    assert.deepEqual(sizes({ limit: 6 }, 4), [4, 2])
    assert.deepEqual(sizes({ limit: 4 }, 4), [4])
    assert.equal([...inside.listEntitiesSync()].length, 10)
    for (const { partitionKey, rowKey } of inside.listEntitiesSync()) inside.deleteEntitySync(partitionKey, rowKey)
    assert.equal(inside.countSync(), 0)
    assert.throws(() => [...inside.listEntitiesSync({ queryOptions: { filter: 'A eq' } })], { code: 'InvalidInput' })
  })
  assert.equal(table.countSync(), 0)
})

test('indexes are declared with the transaction, or not at all', () => {
  const { store, table } = opened()
  const index = { name: 'ByN', properties: ['N'] }
  const work = (end) => (transaction) => {
    const inside = transaction.table('Things')
    inside.createIndexSync(index)
    inside.createIndexIfNotExistsSync(index)
    assert.throws(() => inside.createIndexSync(index), { code: 'IndexAlreadyExists' })
    inside.createIndexSync({ ...index, name: 'Other' })
    inside.dropIndexSync('Other')
    assert.deepEqual(inside.listIndexesSync().map((one) => one.name), ['ByN'])
    end()
  }
  assert.throws(() => store.transactionSync(work(() => { throw new Error('mine') })), /mine/)
  assert.deepEqual(table.listIndexesSync(), [])
  store.transactionSync(work(() => {}))
  assert.deepEqual(table.listIndexesSync().map((one) => one.state), ['ready'])
})

test('the store cannot be written to from inside, in any form', async () => {
  const { store, table } = opened()
  let rejected
  store.transactionSync((transaction) => {
    assert.throws(() => table.createEntitySync(KEYS), { code: 'TransactionOpen', statusCode: 409 })
    assert.throws(() => store.transactionSync(() => 1), { code: 'TransactionOpen' })
    assert.throws(() => store.createTableSync('Other'), { code: 'TransactionOpen' })
    rejected = assert.rejects(table.createEntity(KEYS), { code: 'TransactionOpen' })
    transaction.table('Things').createEntitySync(KEYS)
  })
  await rejected
  assert.equal(table.countSync(), 1)
})

test('writes that were under way are done before and after, and none is lost', async () => {
  const { store, table } = opened()
  const write = (at) => table.createEntity({ partitionKey: 'p', rowKey: String(at) })
  const before = Array.from({ length: 50 }, (_, at) => write(at))
  const inside = store.transactionSync((transaction) => transaction.table('Things').countSync())
  assert.ok(inside >= 0 && inside <= 50)
  await Promise.all([...before, ...Array.from({ length: 50 }, (_, at) => write(50 + at))])
  assert.equal(table.countSync(), 100)
})

test('a function that returns a promise is refused, and nothing of it is done', async () => {
  const { store, table } = opened()
  const work = async (transaction) => {
    transaction.table('Things').createEntitySync(KEYS)
    throw new Error('nobody sees this')
  }
  assert.throws(() => store.transactionSync(work), { name: 'TypeError', message: /promise/ })
  await new Promise(setImmediate)
  assert.equal(table.countSync(), 0)
  for (const wrong of [undefined, 5, {}]) assert.throws(() => store.transactionSync(wrong), TypeError)
})

test('a transaction ends with its function', () => {
  const { store } = opened()
  let kept
  store.transactionSync((transaction) => {
    const table = transaction.table('Things')
    kept = { transaction, table, list: table.listEntitiesSync() }
  })
  const closed = { name: 'RestError', code: 'StoreClosed', message: /transaction/ }
  for (const call of [() => kept.transaction.table('Things'), () => kept.transaction.listTablesSync(), () => kept.table.createEntitySync(KEYS), () => kept.table.countSync(), () => kept.list.next()]) {
    assert.throws(call, closed)
  }
  assert.throws(() => new Transaction(), TypeError)
  assert.throws(() => new TransactionTable(), TypeError)
})

test('a store closed inside its transaction does not commit it', () => {
  const { store } = opened()
  assert.throws(() => store.transactionSync((transaction) => {
    transaction.table('Things').createEntitySync(KEYS)
    store.closeSync()
  }), { code: 'StoreClosed' })
  assert.throws(() => store.transactionSync(() => 1), { code: 'StoreClosed' })
})

test('a getter may end the transaction, or use it', () => {
  const { store, table } = opened()
  store.transactionSync((transaction) => {
    const inside = transaction.table('Things')
    inside.createEntitySync({ ...KEYS, get V() { return inside.countSync() } })
    assert.equal(inside.getEntitySync('p', '1').V, 0)
  })
  assert.equal(table.countSync(), 1)
})
