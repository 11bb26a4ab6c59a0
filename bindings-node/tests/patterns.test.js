'use strict'
// The published patterns, with a store: what they give is what the verbs take. Key by key they are in the vectors.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { Store, patterns } = require('entable')

/** A store with these tables. */
function opened(...names) {
  const store = Store.openSync(':memory:')
  for (const name of names) store.createTableSync(name)
  return store
}

const found = (store, lookup, options) => [...store.table(lookup.tableName).listEntitiesSync({ ...options, queryOptions: lookup.queryOptions })]
const rowKeys = (entities) => entities.map((entity) => entity.rowKey)

test('changes are one batch, and a lookup is what listEntities takes', async () => {
  const store = opened('Customers', 'ByTown')
  const byTown = new patterns.IndexTable({ table: 'Customers', entries: 'ByTown', fields: ['Town'] })
  for (const [rowKey, Town] of [['1', 'Redmond'], ['2', 'Bonn'], ['3', 'Redmond']]) {
    await store.submitBatch(byTown.changes(undefined, { partitionKey: 'C', rowKey, Town }).actions)
  }
  const lookup = byTown.find(['Redmond'])
  assert.deepEqual([lookup.tableName, lookup.filter, lookup.keys, lookup.limit], ['ByTown', "PartitionKey eq 'Redmond'", undefined, undefined])
  const entries = []
  for await (const entry of store.table(lookup.tableName).listEntities(lookup)) entries.push(entry)
  assert.deepEqual(byTown.rows(entries), [['C', '1'], ['C', '3']])
  const rows = await store.table('Customers').getMany(byTown.rows(entries))
  assert.deepEqual(rows.map((row) => row.Town), ['Redmond', 'Redmond'])
  // The row moves to another town on condition that it is as it was read.
  const [former] = rows
  const changes = byTown.changes(former, { ...former, Town: 'Bonn' })
  assert.deepEqual(changes.steps.map((step) => [step.tableName, step.keys]), [['ByTown', [['Bonn', '1']]], ['Customers', [['C', '1']]], ['ByTown', [['Redmond', '1']]]])
  await store.submitBatch(changes.actions)
  await assert.rejects(store.submitBatch(changes.actions), { code: 'UpdateConditionNotSatisfied' })
  assert.deepEqual(rowKeys(found(store, byTown.find(['Bonn']))), ['1', '2'])
  assert.deepEqual(found(store, byTown.nextValue()).map((entry) => entry.partitionKey), ['Bonn'])
  assert.equal(byTown.nextValue('Bonn').queryOptions.limit, 1)
  const sharded = new patterns.IndexTable({ table: 'T', entries: 'E', fields: ['A'], shards: 16, projection: ['B'] })
  assert.match(sharded.shardKey('1'), /^\d\d$/)
})

test('a group is a transaction of its table, also of an open one', () => {
  const store = opened('Employees')
  const byEmail = new patterns.SecondaryIndex({ table: 'Employees', prefix: 'email_', field: new patterns.Field('Email', { form: 'folded' }) })
  const jones = { partitionKey: 'Sales', rowKey: 'empid_000223', Email: 'JonesJ@contoso.com', Salary: { type: 'Double', value: 5 } }
  const changes = byEmail.changes(null, jones)
  assert.equal(changes.group, changes.steps[0])
  assert.equal(byEmail.changes(null, null).isEmpty && byEmail.changes(null, null).group === undefined, true)
  store.transactionSync((transaction) => transaction.table('Employees').submitTransactionSync(changes.group.actions))
  const point = byEmail.find('Sales', 'jonesj@CONTOSO.com')
  assert.deepEqual(point.keys, ['Sales', 'email_jonesj@contoso.com'])
  const copy = store.table(point.tableName).getEntitySync(...point.keys, { disableTypeConversion: true })
  assert.deepEqual([copy.Salary, copy.Email.value], [{ type: 'Double', value: '5' }, 'JonesJ@contoso.com'])
  assert.deepEqual(rowKeys(found(store, byEmail.startingWith('Sales', 'Jones'))), ['email_jonesj@contoso.com'])
  assert.deepEqual(rowKeys(found(store, byEmail.between('Sales', 'a', 'z'))), ['email_jonesj@contoso.com'])
  assert.equal(found(store, byEmail.list('Sales')).length, 1)
})

test('the changes of several patterns are one list of steps', () => {
  const byEmail = new patterns.SecondaryIndex({ table: 'Employees', copies: 'ByEmail', field: 'Email' })
  const unique = new patterns.UniqueGuard({ table: 'Employees', field: 'Email', guards: 'Guards', partitionKey: 'Email' })
  const store = opened('Employees', 'ByEmail', 'Guards')
  const insert = (rowKey, Email) => {
    const row = { partitionKey: 'Sales', rowKey, Email }
    return byEmail.changes(undefined, row).join(unique.changes(undefined, row))
  }
  const changes = insert('1', 'a@b')
  assert.deepEqual(changes.steps.map((step) => step.tableName), ['Guards', 'ByEmail', 'Employees'])
  store.submitBatchSync(changes.actions)
  assert.throws(() => store.submitBatchSync(insert('2', 'a@b').actions), { code: 'EntityAlreadyExists' })
  assert.deepEqual(unique.holder(store.table('Guards').getEntitySync(...unique.find('Sales', 'a@b').keys)), ['Sales', '1'])
  assert.throws(() => changes.join(byEmail.changes(undefined, { partitionKey: 'Sales', rowKey: '1', Email: 'other' })), { code: 'InvalidInput' })
  for (const wrong of [undefined, {}, [], byEmail]) assert.throws(() => changes.join(wrong), { name: 'TypeError' })
})

test('an outbox runs its steps as often as it takes', async () => {
  const store = opened('Employees', 'ByEmail')
  const byEmail = new patterns.SecondaryIndex({ table: 'Employees', copies: 'ByEmail', field: 'Email' })
  const run = async (step) => {
    const table = store.table(step.tableName)
    const left = step.remaining(await table.getMany(step.keys))
    if (left.length > 0) await table.submitTransaction(left)
    return left.length
  }
  const message = { former: undefined, row: { partitionKey: 'Sales', rowKey: '1', Email: 'a@b', Rate: 0.5 } }
  const { steps } = byEmail.changes(message.former, message.row)
  const done = []
  for (const step of [steps[0], ...steps, ...steps]) done.push(await run(step))
  assert.deepEqual(done, [1, 0, 1, 0, 0])
  // Somebody else was faster.
  const former = await store.table('Employees').getEntity('Sales', '1')
  await store.table('Employees').updateEntity({ ...former, Email: 'c@d' })
  const late = byEmail.changes(former, { ...former, Email: 'e@f' }).steps
  await run(late[0])
  await assert.rejects(run(late[1]), { code: 'UpdateConditionNotSatisfied' })
  const now = await store.table('Employees').getEntity('Sales', '1')
  for (const step of byEmail.reconcile([former, { ...former, Email: 'e@f' }], now).steps) await run(step)
  assert.deepEqual(rowKeys([...store.table('ByEmail').listEntitiesSync()]), ['c@d'])
  const removal = byEmail.changes(now, undefined).steps.at(-1)
  assert.equal(removal.accepts(Object.assign(new Error(), { code: 'ResourceNotFound' })), true)
  for (const other of [undefined, null, 5, new Error(), { code: 'EntityAlreadyExists' }, { code: 'Bad' }]) assert.equal(removal.accepts(other), false)
  assert.throws(() => removal.remaining([]), { code: 'InvalidInput' })
  assert.throws(() => removal.remaining(), { name: 'TypeError', message: /stored/ })
})

test('lists and counts are read, and written with the row', () => {
  const store = opened('Employees')
  const table = store.table('Employees')
  const byName = new patterns.IndexEntities({ table: 'Employees', prefix: 'LastName_', fields: ['LastName'] })
  const cities = new patterns.DistinctList({ table: 'Employees', prefix: 'City_', field: 'City', rowPrefix: 'id_' })
  for (const [rowKey, LastName, City] of [['id_1', 'Jones', 'Palo Alto'], ['id_2', 'Jones', 'Bonn'], ['id_3', 'Smith', 'Bonn']]) {
    const row = { partitionKey: 'Sales', rowKey, LastName, City }
    const lists = byName.reads(null, row).flatMap((lookup) => found(store, lookup))
    const counts = table.getManySync(cities.reads(null, row)).filter((count) => count !== undefined)
    const changes = byName.changes(null, row, lists).join(cities.changes(null, row, counts))
    table.submitTransactionSync(changes.group.actions)
  }
  const jones = found(store, byName.find('Sales', ['Jones']))
  assert.deepEqual([byName.ids(jones), byName.rows('Sales', jones), byName.valueOfList(jones[0])], [['id_1', 'id_2'], [['Sales', 'id_1'], ['Sales', 'id_2']], 'Jones'])
  assert.equal(byName.valueOfList({ partitionKey: 'p', rowKey: 'r' }), undefined)
  assert.equal(found(store, byName.list('Sales')).length, 2)
  const counts = found(store, cities.list('Sales'))
  assert.deepEqual(cities.counts(counts), [['Bonn', 2], ['Palo Alto', 1]])
  assert.equal(store.table('Employees').getEntitySync(...cities.find('Sales', 'Bonn').keys).Count, 2n)
  assert.equal(cities.rebuild('Sales', [...table.listEntitiesSync()], counts).isEmpty, true)
  assert.deepEqual(byName.reconcile([], { partitionKey: 'Sales', rowKey: 'id_3', LastName: 'Smith' }, found(store, byName.list('Sales'))).isEmpty, true)
})

test('keys are made of times, values and parts', () => {
  const store = opened('Logins', 'Readings', 'Employees', 'Wide')
  const tail = new patterns.LogTail({ table: 'Logins', property: 'At', id: 'User', bothOrders: true })
  for (const hour of [8, 9, 10]) {
    const login = { partitionKey: 'p', rowKey: '', At: new Date(Date.UTC(2026, 11, 1, hour)), User: 'u' }
    store.submitBatchSync(tail.changes(undefined, login).actions)
  }
  const hours = (lookup) => found(store, lookup).map((login) => login.At.getUTCHours())
  assert.deepEqual([hours(tail.latest('p', 2)), hours(tail.earliest('p', 1)), hours(tail.between('p', new Date(Date.UTC(2026, 11, 1, 9)), '2026-12-01T10:00:00Z'))], [[10, 9], [8], [10, 9]])
  assert.match(tail.rowOf({ partitionKey: 'p', rowKey: '', At: new Date(0), User: 'u' }).rowKey, /^desc_\d{19}_u$/)

  const hourly = new patterns.DataSeries({ table: 'Readings', period: 'day' })
  const time = new Date('2026-12-01T07:15:00Z')
  store.submitBatchSync(hourly.record('meter7', time, 21.5).actions)
  store.submitBatchSync(hourly.record('meter7', '2026-12-01T08:00:00Z', 5).actions)
  const [day] = found(store, hourly.find('meter7', time))
  assert.deepEqual(hourly.values(day), [[new Date('2026-12-01T07:00:00Z'), 21.5], [new Date('2026-12-01T08:00:00Z'), 5]])
  store.submitBatchSync(hourly.remove(day, time).actions)
  assert.equal('h07' in found(store, hourly.between('meter7', time, time))[0], false)

  const reviews = new patterns.CompoundKey({ table: 'Employees', fields: ['EmployeeId', { name: 'Year', padded: 4 }] })
  for (const Year of [undefined, 2011, 987]) store.submitBatchSync(reviews.changes(undefined, { partitionKey: 'Sales', rowKey: '', EmployeeId: '000123', Year }).actions)
  assert.deepEqual(rowKeys(found(store, reviews.below('Sales', ['000123']))), ['000123_0987', '000123_2011'])
  assert.equal(found(store, reviews.withBelow('Sales', ['000123'])).length, 3)
  assert.deepEqual([reviews.find('Sales', ['000123', 2011]).keys, reviews.parts('000123_2011')], [['Sales', '000123_2011'], ['000123', '2011']])
  assert.equal(reviews.rowOf({ partitionKey: 'S', rowKey: 'x', EmployeeId: 'e' }).rowKey, 'e')

  const wide = new patterns.WideEntity({ table: 'Wide' })
  const row = Object.fromEntries([['partitionKey', 'p'], ['rowKey', 'r'], ...Array.from({ length: 300 }, (_, n) => [`P${String(n).padStart(3, '0')}`, n / 2])])
  store.submitBatchSync(wide.changes(undefined, row).actions)
  const parts = found(store, wide.find('p', 'r'))
  assert.deepEqual([rowKeys(parts), wide.split(row).length, wide.join([])], [['r~01', 'r~02'], 2, undefined])
  const { etag, timestamp, ...joined } = wide.join(parts)
  assert.deepEqual([joined, etag, timestamp], [row, parts[0].etag, parts[0].timestamp])
  const typed = wide.join(found(store, wide.find('p', 'r'), { disableTypeConversion: true }), { disableTypeConversion: true })
  assert.deepEqual([typed.P001, typed.P002], [{ type: 'Double', value: '0.5' }, { type: 'Int32', value: '1' }])

  const folded = new patterns.FoldedKey({ table: 'Employees', property: 'LastName', folded: 'Folded' })
  assert.equal(folded.rowOf({ partitionKey: 'p', rowKey: 'r', LastName: 'JONES' }).Folded, 'jones')
  assert.equal(folded.find('p', 'Jones').filter, "PartitionKey eq 'p' and Folded eq 'jones'")
  assert.match(folded.startingWith('p', 'JO').filter, /Folded ge 'jo'/)
})

test('fields write values in order, and say what they cannot write', () => {
  const { Field } = patterns
  const texts = [
    [new Field('Email').textOf('a@b'), 'a@b'],
    [new Field('Year', { padded: 4 }).textOf(987), '0987'],
    [new Field('Name', { form: 'folded' }).textOf('Jones'), 'jones'],
    [new Field('Path', { form: 'safe' }).textOf('a\\b'), 'a[1b'],
    [new Field('Path', { form: 'base64' }).textOf('a\\b'), 'YVxi'],
    [new Field('At', { form: 'newestFirst' }).textOf(new Date(0)).length, 19],
    [new Field('N').textOf(5) < new Field('N').textOf(10n), true],
    [new Field('D').textOf({ type: 'Double', value: 5 }) < new Field('D').textOf(5.5), true],
  ]
  for (const [text, expected] of texts) assert.equal(text, expected)
  assert.throws(() => new Field('Year', { padded: 4 }).textOf('x'), { code: 'InvalidInput', message: /Year/ })
  assert.throws(() => new Field('At', { form: 'newestFirst' }).textOf(5), /At/)
  for (const wrong of [undefined, null]) assert.throws(() => new Field('N').textOf(wrong), { name: 'TypeError', message: /value/ })
})

test('definitions that are none are refused by what is wrong in them', () => {
  const wrong = [
    [() => new patterns.Field(5), /name/],
    [() => new patterns.Field(), /name/],
    [() => new patterns.Field('N', { form: 'Folded' }), /form/],
    [() => new patterns.Field('N', { padded: -1 }), /padded/],
    [() => new patterns.Field('N', { pad: 1 }), /pad/],
    [() => new patterns.SecondaryIndex(), /definition/],
    [() => new patterns.SecondaryIndex({}), /table/],
    [() => new patterns.SecondaryIndex({ table: 'T', field: 'F' }), /prefix/],
    [() => new patterns.SecondaryIndex({ table: 'T', field: 5, prefix: 'x' }), /field/],
    [() => new patterns.SecondaryIndex({ table: 'T', field: 'F', prefix: 'x', copies: 'C' }), /copies/],
    [() => new patterns.SecondaryIndex({ table: 'T', field: 'F', prefix: 'x', fields: ['F'] }), /fields/],
    [() => new patterns.IndexTable({ table: 'T', entries: 'E', fields: 'F' }), /fields/],
    [() => new patterns.IndexTable({ table: 'T', entries: 'E', fields: ['F'], projection: 'some' }), /projection/],
    [() => new patterns.UniqueGuard({ table: 'T', field: 'F', guards: 'G' }), /partitionKey/],
    [() => new patterns.FoldedKey({ table: 'T', property: 'P' }), /folded/],
    [() => new patterns.FoldedKey({ table: 'T', property: 'P', folded: 'F', prefix: 'p' }), /folded/],
    [() => new patterns.DataSeries({ table: 'T', period: 'week' }), /period/],
    [() => new patterns.LogTail({ table: 'T', property: 'P', bothOrders: 1 }), /bothOrders/],
    [() => new patterns.Changes({}), /changes/],
    [() => new patterns.Step({}, 0), /steps/],
  ]
  for (const [make, message] of wrong) assert.throws(make, { name: 'TypeError', message }, String(make))
  const index = new patterns.SecondaryIndex({ table: 'T', field: 'F', prefix: 'x_' })
  for (const row of [5, 'x', [], { partitionKey: 'p' }]) assert.throws(() => index.changes(undefined, row), Error)
  assert.throws(() => index.find(), /PartitionKey|partitionKey/)
  assert.throws(() => index.find('p'), { name: 'TypeError', message: /value/ })
  assert.throws(() => index.reconcile(), { name: 'TypeError', message: /seen/ })
  assert.throws(() => patterns.SecondaryIndex.prototype.find.call({}, 'p', 1), TypeError)
  // A getter that throws is the caller's own error, also from within a definition.
  const thrown = new Error('mine')
  const trap = { get() { throw thrown } }
  assert.throws(() => index.changes(undefined, Object.defineProperty({ partitionKey: 'p', rowKey: 'r' }, 'F', { ...trap, enumerable: true })), thrown)
  assert.throws(() => new patterns.WideEntity(new Proxy({}, trap)), thrown)
})
