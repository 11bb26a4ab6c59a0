'use strict'
// What the store does beyond the official client: queries explained and ordered, snapshots, indexes, copies, keys.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Clock, DateTime, Snapshot, Store, keys, odata, verify, verifySync } = require('entable')

/** A folder that goes with the test. */
function folder(context) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'entable-'))
  context.after(() => fs.rmSync(made, { recursive: true }))
  return made
}

/** A table of 12 entities in three partitions: N counts them, City is one of two. */
function opened() {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  for (let n = 0; n < 12; n++) {
    table.createEntitySync({ partitionKey: `p${n % 3}`, rowKey: String(n).padStart(2, '0'), N: n, City: n % 2 ? 'Oslo' : 'Bonn' })
  }
  return { store, table }
}

/** Both forms of a call give the same; the answer. */
async function both(object, method, ...args) {
  const now = object[`${method}Sync`](...args)
  assert.deepEqual(await object[method](...args), now, method)
  return now
}

const numbers = (list) => [...list].map((entity) => entity.N)

test('count counts what the filter lets through, up to the limit', async () => {
  const { table } = opened()
  assert.equal(await both(table, 'count'), 12)
  assert.equal(await both(table, 'count', { queryOptions: { filter: 'N ge @n', parameters: { n: 5 } } }), 7)
  assert.equal(await both(table, 'count', { queryOptions: { filter: 'N ge 5', limit: 3 } }), 3)
  assert.throws(() => table.countSync({ queryOptions: { filter: 'N ge' } }), { code: 'InvalidInput' })
})

test('explain tells the way, and what was read', async () => {
  const { table } = opened()
  const explain = await both(table, 'explain', { queryOptions: { filter: "PartitionKey eq 'p1' and N gt 5.0" } })
  assert.deepEqual([explain.path, explain.rowsRead, explain.rowsReturned], ['partition scan', 4, 2])
  assert.equal(explain.residual !== undefined && explain.index === undefined, true)
  assert.ok(explain.considered.some((way) => way.isTaken && way.path === explain.path))
  assert.match(explain.cloud.join(), /Double/)
  assert.match(explain.text, /^partition scan: /)
  assert.match(table.explainSync({ queryOptions: { filter: 'M eq 1' } }).warnings.join(), /no stored row has a property M/)
})

test('descending gives largest keys first, and goes on from a token', async () => {
  const { table } = opened()
  const queryOptions = { descending: true, filter: "PartitionKey eq 'p0'" }
  assert.deepEqual(numbers(table.listEntitiesSync({ queryOptions })), [9, 6, 3, 0])
  const pages = table.listEntities({ queryOptions }).byPage({ maxPageSize: 3 })
  const { value: first } = await pages.next()
  const rest = table.listEntities({ queryOptions }).byPage({ continuationToken: first.continuationToken })
  assert.deepEqual([numbers(first), numbers((await rest.next()).value)], [[9, 6, 3], [0]])
  const strict = { queryOptions: { descending: true, mode: 'strict' } }
  assert.throws(() => [...table.listEntitiesSync(strict)], { code: 'NotImplemented' })
  assert.throws(() => [...table.listEntitiesSync({ queryOptions: { descending: 1 } })], TypeError)
})

test('a query has a mode of its own', () => {
  const { table } = opened()
  const count = (mode) => table.countSync({ queryOptions: { filter: 'N eq 5.0', mode } })
  assert.deepEqual([count(undefined), count('strict'), count('extended')], [1, 0, 1])
  assert.throws(() => count('Strict'), { name: 'TypeError', message: /mode/ })
})

test('orderBy streams in the order of an index', async () => {
  const { table } = opened()
  table.createIndexSync({ name: 'ByN', properties: ['City', 'N'] })
  const list = (queryOptions) => numbers(table.listEntitiesSync({ queryOptions }))
  assert.deepEqual(list({ orderBy: ['City', 'N'] }), [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11])
  assert.deepEqual(list({ orderBy: 'N', descending: true, filter: "City eq 'Oslo'", limit: 2 }), [11, 9])
  assert.deepEqual(list({ orderBy: 'partitionKey', limit: 2 }), [0, 3])
  assert.throws(() => list({ orderBy: 'M' }), { code: 'NotImplemented' })
  for (const orderBy of [5, [5], {}]) assert.throws(() => list({ orderBy }), { name: 'TypeError', message: /orderBy/ })
})

test('pages have any size', () => {
  const { table } = opened()
  for (const maxPageSize of [1, 5, 5_000]) {
    const pages = [...table.listEntitiesSync().byPage({ maxPageSize })]
    assert.deepEqual(pages.map((page) => page.length).reduce((sum, one) => sum + one), 12)
    assert.equal(pages[0].length, Math.min(12, maxPageSize))
  }
})

test('deleteEntities deletes what a query asks for, at once or in steps', async () => {
  const { table } = opened()
  assert.equal(await table.deleteEntities({ queryOptions: { filter: 'N lt 3' } }), 3)
  assert.equal(table.deleteEntitiesSync({ queryOptions: { filter: 'N lt 9', limit: 2 } }), 2)
  assert.equal(await table.deleteEntities({ queryOptions: {}, chunk: 3 }), 7)
  assert.equal(table.countSync(), 0)
  for (const options of [undefined, {}, { queryOptions: 5 }, { queryOptions: {}, chunk: -1 }, { queryOptions: {}, chunk: 'a' }]) {
    assert.throws(() => table.deleteEntitiesSync(options), TypeError)
  }
  assert.throws(() => table.deleteEntitiesSync({ queryOptions: {}, chunk: 0 }), { code: 'InvalidInput' })
})

test('partitionKeys gives each once, however many', async () => {
  const { store, table } = opened()
  assert.deepEqual([...table.partitionKeysSync()], ['p0', 'p1', 'p2'])
  const many = store.createTableSync('Many')
  const wanted = Array.from({ length: 2_500 }, (_, at) => String(at).padStart(4, '0'))
  store.submitBatchSync(wanted.map((partitionKey) => ['Many', 'create', { partitionKey, rowKey: '1' }]))
  const found = []
  for await (const key of many.partitionKeys()) found.push(key)
  assert.deepEqual(found, wanted)
  for await (const key of many.partitionKeys()) if (key === '0001') break
  await assert.rejects(store.table('None').partitionKeys().next(), { code: 'TableNotFound' })
})

test('a snapshot is one moment, until it is closed', async () => {
  const { store, table } = opened()
  for (const snapshot of [store.snapshotSync(), await store.snapshot()]) {
    assert.ok(snapshot instanceof Snapshot)
    const then = table.at(snapshot)
    table.upsertEntitySync({ partitionKey: 'new', rowKey: '1' })
    store.createTableSync('Later')
    assert.deepEqual([then.existsSync('new', '1'), table.existsSync('new', '1')], [false, true])
    assert.equal(await then.count(), 12)
    assert.deepEqual(await snapshot.listTables(), [{ name: 'Things' }])
    await assert.rejects(then.createEntity({ partitionKey: 'x', rowKey: 'x' }), { code: 'InvalidInput' })
    assert.throws(() => then.deleteEntitiesSync({ queryOptions: {} }), { code: 'InvalidInput' })
    assert.throws(() => then.createIndexSync({ name: 'I', properties: ['N'] }), { code: 'InvalidInput' })
    table.deleteEntitySync('new', '1')
    store.deleteTableSync('Later')
    await snapshot.close()
    snapshot.closeSync()
    assert.throws(() => then.countSync(), { code: 'StoreClosed' })
    assert.throws(() => snapshot.listTablesSync(), { code: 'StoreClosed' })
  }
  assert.throws(() => table.at(opened().store.snapshotSync()).countSync(), { code: 'InvalidInput' })
  for (const wrong of [undefined, null, {}, store]) assert.throws(() => table.at(wrong), TypeError)
  assert.throws(() => new Snapshot(), TypeError)
})

test('closing the store ends its snapshots', async () => {
  const { store, table } = opened()
  const then = table.at(store.snapshotSync())
  await store.close()
  assert.throws(() => then.countSync(), { code: 'StoreClosed' })
  await assert.rejects(store.snapshot(), { code: 'StoreClosed' })
})

test('a batch is over tables and partitions, all or nothing', async () => {
  const { store, table } = opened()
  store.createTableSync('Archive')
  const actions = [
    ['Archive', 'create', { partitionKey: 'a', rowKey: '1', N: 1 }],
    ['Archive', 'update', { partitionKey: 'a', rowKey: '1', M: 2 }],
    ['Things', 'delete', { partitionKey: 'p0', rowKey: '00' }],
  ]
  const answer = await store.submitBatch(actions)
  assert.deepEqual(answer.subResponses.map((one) => [one.status, one.rowKey, typeof one.etag]), [[204, '1', 'string'], [204, '1', 'string'], [204, '00', 'undefined']])
  assert.throws(() => store.submitBatchSync(actions), { code: 'EntityAlreadyExists', message: /^0:/ })
  assert.equal(table.countSync(), 11)
  assert.deepEqual(store.submitBatchSync([]).subResponses, [])
  for (const wrong of [5, [5], [['Things']], [[5, 'create', {}]], [['Things', 'nope', {}]]]) {
    assert.throws(() => store.submitBatchSync(wrong), TypeError)
  }
  assert.throws(() => store.submitBatchSync([['not-a-name', 'create', {}]]), { code: 'InvalidResourceName', message: /^0:/ })
})

test('indexes are declared, used, listed and dropped', async () => {
  const { store, table } = opened()
  // Six of many are in Oslo.
  store.submitBatchSync(Array.from({ length: 500 }, (_, at) => ['Things', 'create', { partitionKey: `q${at}`, rowKey: '1', N: at, City: 'Rome' }]))
  await table.createIndex({ name: 'ByCity', properties: ['City', 'rowKey'], projection: ['N', 'timestamp'] })
  table.createIndexSync({ name: 'ByN', properties: ['N'], scope: 'partition', projection: 'all', unique: true, foldCase: true })
  assert.equal(table.explainSync({ queryOptions: { filter: "City eq 'Oslo'", select: ['N'] } }).index, 'ByCity')
  const indexes = await both(table, 'listIndexes')
  assert.deepEqual(indexes, [
    { name: 'ByCity', properties: ['City', 'rowKey'], scope: 'table', projection: ['N'], unique: false, foldCase: false, state: 'ready' },
    { name: 'ByN', properties: ['N'], scope: 'partition', projection: 'all', unique: true, foldCase: true, state: 'ready' },
  ])
  await assert.rejects(table.createIndex({ name: 'ByN', properties: ['N'] }), { code: 'IndexAlreadyExists', statusCode: 409 })
  const { state: _, ...definition } = indexes[0]
  await table.createIndexIfNotExists(definition)
  table.createIndexIfNotExistsSync(definition)
  const twice = { partitionKey: 'p1', rowKey: 'x', N: 1 }
  const violation = (error) => {
    assert.deepEqual([error.code, error.details.indexName, error.details.holder], ['UniqueIndexViolation', 'ByN', { partitionKey: 'p1', rowKey: '01' }])
    return true
  }
  assert.throws(() => table.createEntitySync(twice), violation)
  await assert.rejects(table.createEntity(twice), violation)
  await table.dropIndex('ByCity')
  table.dropIndexSync('ByN')
  assert.deepEqual(table.listIndexesSync(), [])
  assert.throws(() => table.dropIndexSync('ByN'), { code: 'IndexNotFound' })
})

test('advice, and what indexes hold', async () => {
  const { store, table } = opened()
  const rows = Array.from({ length: 2_000 }, (_, at) => ['Things', 'create', { partitionKey: 'q', rowKey: `${at}`, Mail: `user${at}@x` }])
  store.submitBatchSync(rows)
  for (const at of [5, 7, 9]) {
    const queryOptions = { filter: odata`Mail eq ${`user${at}@x`}` }
    assert.equal([...table.listEntitiesSync({ queryOptions })].length, 1)
  }
  const [advice, ...others] = await both(table, 'advise')
  assert.deepEqual([advice.kind, advice.tableName, advice.filter, advice.index, others.length], ['missing', 'Things', 'Mail eq ?', undefined, 0])
  assert.match(advice.call, /create_index/)
  assert.deepEqual(await both(store, 'advise'), [advice])
  table.createIndexSync({ name: 'ByMail', properties: ['Mail'] })
  assert.equal(table.countSync({ queryOptions: { filter: "Mail eq 'user5@x'" } }), 1)
  const [stats] = await both(table, 'indexStats')
  const { bytes, ...held } = stats
  assert.ok(bytes > 2_000)
  // Entities without the property have an entry, too.
  const missing = table.countSync() - 2_000
  assert.deepEqual(held, { name: 'ByMail', entries: 2_000 + missing, missing, distinctValues: 2_000, mostFrequentShare: held.mostFrequentShare, uses: 1 })
  assert.ok(held.mostFrequentShare > 0 && held.mostFrequentShare <= 1)
})

test('declarations of indexes that are none', () => {
  const { table } = opened()
  const wrong = [
    [undefined, /index/],
    [5, /index/],
    [{}, /name/],
    [{ name: 5, properties: ['N'] }, /name/],
    [{ name: 'I' }, /properties/],
    [{ name: 'I', properties: 'N' }, /properties/],
    [{ name: 'I', properties: [5] }, /properties/],
    [{ name: 'I', properties: ['N'], scope: 'Table' }, /scope/],
    [{ name: 'I', properties: ['N'], projection: 'none' }, /projection/],
    [{ name: 'I', properties: ['N'], projection: 5 }, /projection/],
    [{ name: 'I', properties: ['N'], unique: 1 }, /unique/],
    [{ name: 'I', properties: ['N'], isUnique: true }, /isUnique.*unique/],
  ]
  for (const [index, message] of wrong) assert.throws(() => table.createIndexSync(index), { name: 'TypeError', message })
  assert.throws(() => table.createIndexSync({ name: 'I', properties: [] }), { code: 'InvalidInput' })
  assert.throws(() => table.createIndexSync({ name: 'I', properties: ['partitionKey'] }), { code: 'InvalidInput' })
  assert.throws(() => table.dropIndexSync(5), { name: 'TypeError', message: /name/ })
})

test('copies open, and a check finds them whole', async (context) => {
  const place = folder(context)
  const file = path.join(place, 'a.ent')
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  const entities = Array.from({ length: 300 }, (_, at) => ['Things', 'create', { partitionKey: 'p', rowKey: String(at), Text: 'x'.repeat(1000) }])
  store.submitBatchSync(entities)
  table.deleteEntitiesSync({ queryOptions: { filter: "RowKey lt '9'" } })
  const left = table.countSync()
  for (const [name, method] of [['b', 'backup'], ['c', 'backupSync'], ['d', 'compactInto'], ['e', 'compactIntoSync']]) {
    const target = path.join(place, `${name}.ent`)
    const copied = await store[method](target)
    assert.ok(copied.records >= left && copied.bytesAfter < copied.bytesBefore, method)
    const report = verifySync(target)
    assert.deepEqual([report.isClean, report.entities, report.findings], [true, left, []])
    const copy = Store.openSync(target, { check: true, readOnly: true })
    assert.equal(copy.table('Things').countSync(), left)
    copy.closeSync()
    await assert.rejects(store.backup(target), { code: 'FileExists' })
  }
  const compacted = await store.compact()
  assert.ok(compacted.bytesAfter < compacted.bytesBefore)
  assert.equal(store.compactSync().bytesAfter, compacted.bytesAfter)
  assert.equal(table.countSync(), left)
  await store.sync()
  store.syncSync()
  await store.close()
  const immutable = Store.openSync(file, { immutable: true })
  assert.equal(immutable.table('Things').countSync(), left)
  await assert.rejects(immutable.table('Things').createEntity({ partitionKey: 'x', rowKey: 'x' }), { code: 'StoreReadOnly' })
  immutable.closeSync()
  assert.throws(() => Store.openSync(':memory:').compactSync(), { code: 'InvalidInput' })
  for (const wrong of [undefined, 5, {}]) assert.throws(() => verifySync(wrong), { name: 'TypeError', message: /path/ })
  await assert.rejects(verify(path.join(place, 'none')), { code: 'StoreNotFound' })
})

test('a check names what is damaged', async (context) => {
  const file = path.join(folder(context), 'a.ent')
  const store = Store.openSync(file)
  store.createTableSync('Things')
  store.submitBatchSync(Array.from({ length: 50 }, (_, at) => ['Things', 'create', { partitionKey: 'p', rowKey: String(at), Text: 'needle in the row' }]))
  store.closeSync()
  const bytes = fs.readFileSync(file)
  bytes[bytes.lastIndexOf('needle')] ^= 1
  fs.writeFileSync(file, bytes)
  const report = await verify(file)
  const finding = report.findings.find((one) => one.kind === 'row')
  assert.ok(!report.isClean && report.damageCount > 0 && finding.isDamage && finding.sentence.length > 0)
  assert.deepEqual([typeof finding.page, finding.table, finding.partitionKey], ['number', 'Things', 'p'])
  assert.match(report.text, /row/)
  assert.throws(() => Store.openSync(file, { check: true }), { code: 'Damaged' })
})

test('stats tell sizes, readers and latencies', async () => {
  const { store, table } = opened()
  const snapshot = store.snapshotSync()
  const stats = await store.stats()
  assert.equal(stats.commits.samples, 13)
  assert.ok(stats.commits.maxMs >= stats.commits.p50Ms && stats.commits.p50Ms > 0)
  assert.equal(stats.databases.find((one) => one.name === 'rows').records, 12)
  assert.ok(stats.file.bytes >= stats.file.pageBytes * stats.file.usedPages)
  assert.equal(stats.readers.heldMs.length, 1)
  assert.equal(stats.commitGroups.sum, 13)
  assert.match(stats.text, /commits/)
  snapshot.closeSync()
  assert.equal(table.countSync() > 0 && store.statsSync().readers.heldMs.length, 0)
})

test('a store has a largest size, and room can be made', async () => {
  const store = await Store.open(':memory:', { maxSize: 1 << 20 })
  const table = await store.createTable('Things')
  const fill = async () => {
    for (let at = 0; ; at++) await table.createEntity({ partitionKey: 'p', rowKey: String(at), Text: 'x'.repeat(10_000) })
  }
  await assert.rejects(fill(), { name: 'RestError', code: 'QuotaExceeded' })
  assert.throws(() => table.createEntitySync({ partitionKey: 'p', rowKey: 'x', Text: 'x'.repeat(10_000) }), { code: 'QuotaExceeded' })
  assert.ok(await table.deleteEntities({ queryOptions: {} }) > 10)
  await table.createEntity({ partitionKey: 'p', rowKey: 'again' })
  for (const maxSize of [-1, 1.5, '5', 5n]) assert.throws(() => Store.openSync(':memory:', { maxSize }), { name: 'TypeError', message: /maxSize/ })
})

test('entities of one shape have one hidden class, whatever they are called', () => {
  const v8 = require('node:v8')
  v8.setFlagsFromString('--allow-natives-syntax')
  const isSame = new Function('a', 'b', 'return %HaveSameMap(a, b)')
  const store = Store.openSync(':memory:', { mode: 'extended' })
  const table = store.createTableSync('Things')
  const names = ['a', '__proto__', 'constructor', 'ä', 'v0', 'toString', 'return']
  for (const rowKey of ['1', '2']) table.createEntitySync(Object.fromEntries([['partitionKey', 'p'], ['rowKey', rowKey], ...names.map((name) => [name, rowKey])]))
  table.createEntitySync({ partitionKey: 'p', rowKey: '3', a: 1 })
  const [one, two, three] = table.listEntitiesSync()
  assert.deepEqual([isSame(one, two), isSame(one, table.getEntitySync('p', '1')), isSame(one, three)], [true, true, false])
  assert.deepEqual(Object.keys(one).slice(4).sort(), [...names].sort())
  assert.equal(Object.getPrototypeOf(one), Object.prototype)
  // More shapes than are kept, and an entity with more members than a function takes.
  for (let n = 0; n < 1_200; n++) {
    table.upsertEntitySync({ partitionKey: 'q', rowKey: '1', [`n${n % 600}`]: n }, 'Replace')
    assert.equal(table.getEntitySync('q', '1')[`n${n % 600}`], n)
  }
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [n ? `m${n}` : '__proto__', n]))
  table.createEntitySync(Object.fromEntries([['partitionKey', 'r'], ['rowKey', '1'], ...Object.entries(many)]))
  const large = table.getEntitySync('r', '1')
  assert.deepEqual(Object.keys(large).length, 404)
  assert.equal(Object.getOwnPropertyDescriptor(large, '__proto__').value, 0)
})

test('the clock of a store may be set by hand', () => {
  const clock = new Clock(new Date('2020-01-01T00:00:00Z'))
  const store = Store.openSync(':memory:', { clock })
  const table = store.createTableSync('Things')
  table.createEntitySync({ partitionKey: 'p', rowKey: '1' })
  clock.set(new DateTime(637_134_336_000_000_005n))
  table.createEntitySync({ partitionKey: 'p', rowKey: '2' })
  assert.deepEqual(table.listEntitiesSync().next().value.timestamp.slice(0, 19), '2020-01-01T00:00:00')
  assert.equal(table.getEntitySync('p', '2').timestamp, '2020-01-01T00:00:00.0000005Z')
  for (const wrong of [undefined, 5, 'now', {}]) {
    assert.throws(() => new Clock(wrong), { name: 'TypeError', message: /now/ })
    assert.throws(() => clock.set(wrong), { name: 'TypeError', message: /now/ })
  }
  assert.throws(() => clock.set(new Date(NaN)), { code: 'InvalidInput' })
  for (const wrong of [null, 5, {}, new Date()]) assert.throws(() => Store.openSync(':memory:', { clock: wrong }), { name: 'TypeError', message: /clock/ })
})

test('keys keep order, and come back', () => {
  const time = new DateTime(637_134_336_000_000_001n)
  const cases = [
    [keys.compose(['Redmond', 'Smith']), 'Redmond !Smith'],
    [keys.composePrefix(['000123']), '000123 !'],
    [keys.split('Redmond !Smith'), ['Redmond', 'Smith']],
    [keys.padded(223, 6), '000223'],
    [keys.integer(42), '0000000000000000042'],
    [keys.integerFrom(keys.integer(-(2n ** 63n))), -(2n ** 63n)],
    [keys.doubleFrom(keys.double(-1.5)), -1.5],
    [keys.ticks(time), '0637134336000000001'],
    [keys.ticksFrom(keys.ticks(time)).ticks, time.ticks],
    [keys.descendingTicksFrom(keys.descendingTicks(new Date(5))), new Date(5)],
    [keys.compactDate(new Date('2026-12-01T12:34:56.7Z')), '20261201123456'],
    [keys.prefixRange('Id_'), ['Id_', 'Id`']],
    [keys.prefixRange('\uffff'), ['\uffff', undefined]],
    [keys.prefixFilter('rowKey', 'empid_'), "RowKey ge 'empid_' and RowKey lt 'empid`'"],
    [keys.safe('MyDomain\\jbloggs'), 'MyDomain[1jbloggs'],
    [keys.safeFrom('MyDomain[1jbloggs'), 'MyDomain\\jbloggs'],
    [keys.bytes(new Uint8Array([0, 255])), '00ff'],
    [[...keys.bytesFrom('00ff')], [0, 255]],
    [keys.base64Text('MyDomain\\jbloggs'), 'TXlEb21haW5camJsb2dncw=='],
    [keys.textFromBase64('TXlEb21haW5camJsb2dncw=='), 'MyDomain\\jbloggs'],
    [keys.foldCase('JBloggs Straße'), 'jbloggs strasse'],
  ]
  for (const [found, expected] of cases) assert.deepEqual(found, expected)
  assert.ok(keys.double(9) < keys.double(10) && keys.integer(-10) < keys.integer(-9))
  assert.ok(keys.shard('customer 17', 16) < 16)
})

test('keys refuse what is none', () => {
  const typeErrors = [
    () => keys.compose('a'),
    () => keys.compose([5]),
    () => keys.integer(1.5),
    () => keys.integer('5'),
    () => keys.integer(2 ** 53),
    () => keys.padded(-1, 5),
    () => keys.double('1'),
    () => keys.ticks(5),
    () => keys.safe(5),
    () => keys.bytes('00'),
    () => keys.shard('a', -1),
    () => keys.split(),
  ]
  for (const call of typeErrors) assert.throws(call, { name: 'TypeError', code: 'InvalidInput' }, String(call))
  const refused = [
    () => keys.compose([]),
    () => keys.padded(12345, 3),
    () => keys.integer(2n ** 63n),
    () => keys.integerFrom('x'),
    () => keys.double(NaN),
    () => keys.prefixFilter('N', 'x'),
    () => keys.shard('a', 0),
    () => keys.bytesFrom('0'),
    () => keys.safe('x'.repeat(2000)),
    () => keys.safe('\ud800'),
  ]
  for (const call of refused) assert.throws(call, { name: 'RestError', statusCode: 400 }, String(call))
})
