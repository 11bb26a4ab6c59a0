'use strict'
// The service's JSON, and sizes: what reads back, in this language's forms, and what is refused. The rules are the vectors'.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { DateTime, Store, entityFromJson, entitySize, entityToJson } = require('entable')

const BODY =
  '{"PartitionKey":"DE","RowKey":"1","S":"x","T":true,"I":5,"D":5.0,"Z@odata.type":"Edm.Double","Z":"NaN",' +
  '"L@odata.type":"Edm.Int64","L":"5","G@odata.type":"Edm.Guid","G":"0f8fad5b-d9cb-469f-a165-70867728950e",' +
  '"W@odata.type":"Edm.DateTime","W":"2020-01-01T00:00:00.0000001Z","B@odata.type":"Edm.Binary","B":"AQL/"}'

test('an entity of JSON has the types of this language, and says which numbers are Doubles', () => {
  const entity = entityFromJson(BODY)
  const { W, B, ...rest } = entity
  assert.deepEqual(rest, {
    partitionKey: 'DE',
    rowKey: '1',
    S: 'x',
    T: true,
    I: 5,
    D: { type: 'Double', value: 5 },
    Z: { type: 'Double', value: NaN },
    L: 5n,
    G: { type: 'Guid', value: '0f8fad5b-d9cb-469f-a165-70867728950e' },
  })
  assert.ok(W instanceof DateTime && W.toISOString() === '2020-01-01T00:00:00.0000001Z')
  assert.deepEqual([...B], [1, 2, 255])
})

test('what is read of JSON is stored, and is written again as it was', () => {
  for (const disableTypeConversion of [false, true]) {
    const entity = entityFromJson(BODY, { disableTypeConversion })
    assert.equal(entityToJson(entity), BODY)
    const store = Store.openSync(':memory:')
    const table = store.createTableSync('Things')
    table.createEntitySync(entity)
    const stored = table.getEntitySync('DE', '1', { disableTypeConversion: true })
    const { etag, timestamp, ...rest } = stored
    assert.equal(entityToJson(rest), BODY)
    const full = JSON.parse(entityToJson(stored, { metadata: 'full' }))
    assert.deepEqual([full['odata.etag'], full.Timestamp, full['Timestamp@odata.type']], [etag, timestamp, 'Edm.DateTime'])
  }
})

test('an etag and a timestamp go out, and the etag comes back', () => {
  const etag = `W/"datetime'2026-12-01T12%3A00%3A00.1234567Z'"`
  const entity = { partitionKey: 'p', rowKey: 'r', etag, timestamp: '2026-12-01T12:00:00.1234567Z' }
  const text = entityToJson(entity)
  assert.deepEqual(JSON.parse(text), {
    'odata.etag': etag,
    PartitionKey: 'p',
    RowKey: 'r',
    Timestamp: '2026-12-01T12:00:00.1234567Z',
  })
  assert.deepEqual(entityFromJson(text), { etag, partitionKey: 'p', rowKey: 'r' })
  assert.equal(entityToJson({ ...entity, timestamp: new Date(0) }, { metadata: 'none' }), '{"PartitionKey":"p","RowKey":"r","Timestamp":"1970-01-01T00:00:00Z"}')
  assert.equal(entityToJson({ partitionKey: 'p', rowKey: 'r', etag: null, timestamp: undefined }), '{"PartitionKey":"p","RowKey":"r"}')
})

test('a projection writes its names alone, and null for what is not there', () => {
  const entity = { partitionKey: 'p', rowKey: 'r', A: 1, B: 2 }
  assert.equal(entityToJson(entity, { select: ['B', 'C'] }), '{"B":2,"C":null}')
  assert.equal(entityToJson(entity, { select: ['rowKey', 'A'] }), '{"RowKey":"r","A":1}')
  assert.equal(entityToJson(entity, { select: [] }), entityToJson(entity))
})

test('a mode says which limits hold for what is read', () => {
  const text = JSON.stringify({ PartitionKey: 'k'.repeat(1025), RowKey: '' })
  assert.throws(() => entityFromJson(text), { code: 'KeyValueTooLarge' })
  assert.equal(entityFromJson(text, { mode: 'extended' }).partitionKey.length, 1025)
})

test('sizes are those of the service', () => {
  assert.equal(entitySize({ partitionKey: 'DE', rowKey: '1' }), 4 + 2 * (2 + 1))
  assert.equal(entitySize({ partitionKey: 'a', rowKey: 'b', N: 5 }), 22)
})

test('a name that JavaScript takes for another is a property like others', () => {
  const text = '{"PartitionKey":"p","RowKey":"r","__proto__":"x","constructor":1}'
  const entity = entityFromJson(text)
  assert.ok(Object.hasOwn(entity, '__proto__') && Object.getPrototypeOf(entity) === Object.prototype)
  assert.equal(entityToJson(entity), text)
})

test('what is no entity, and no option, is refused', () => {
  for (const text of ['', '[]', 'null', '{', '{"PartitionKey":"p"}', `{"PartitionKey":"p","RowKey":"r","A":{}}`, `${'['.repeat(100_000)}`]) {
    assert.throws(() => entityFromJson(text), { name: 'RestError', statusCode: 400 }, text.slice(0, 40))
  }
  for (const text of [undefined, null, 5, {}, Buffer.from('{}'), Symbol('x')]) {
    assert.throws(() => entityFromJson(text), { name: 'TypeError', message: /text must be a string/ })
  }
  const entity = { partitionKey: 'p', rowKey: 'r' }
  const wrong = [
    () => entityFromJson('{}', { mode: 'Strict' }),
    () => entityFromJson('{}', { Mode: 'strict' }),
    () => entityToJson(entity, { metadata: 'some' }),
    () => entityToJson(entity, { select: 'A' }),
    () => entityToJson(entity, { selects: [] }),
    () => entityToJson({ ...entity, A: [] }),
    () => entityToJson({ ...entity, timestamp: 5 }),
    () => entityToJson(),
    () => entitySize('x'),
  ]
  for (const call of wrong) assert.throws(call, TypeError, call.toString())
  for (const given of [{ partitionKey: 'p' }, { ...entity, etag: 'x' }, { ...entity, timestamp: 'noon' }]) {
    assert.throws(() => entityToJson(given), { name: 'RestError', statusCode: 400 }, JSON.stringify(given))
  }
})
