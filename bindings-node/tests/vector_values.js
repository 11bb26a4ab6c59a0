'use strict'
// The typed values of vectors, as this language has them: in to the store, and compared with what comes out.

const assert = require('node:assert/strict')
const { Clock, DateTime, Store, entityToJson } = require('entable')

const NAMES = { PartitionKey: 'partitionKey', RowKey: 'rowKey', Timestamp: 'timestamp', 'odata.etag': 'etag' }
const TYPE = '@odata.type'

/** A text, or what a generator makes. */
function text(value) {
  if (typeof value === 'string') return value
  if (value?.$repeat) return value.$repeat[0].repeat(value.$repeat[1])
  if (value?.$concat) return value.$concat.map(text).join('')
  throw new Error(`no text: ${JSON.stringify(value)}`)
}

/** The members of a vector's entity in order: [name, type, value], the value as the service writes it. */
function properties(entity) {
  const members = []
  for (const [name, value] of Object.entries(entity)) {
    if (name.endsWith(TYPE)) continue
    if (name === '$fill') {
      for (let n = 0; n < value.count; n++) members.push(property(`${value.prefix}${n}`, undefined, value.value))
    } else {
      members.push(property(name, entity[name + TYPE], value))
    }
  }
  return members
}

function property(name, type, value) {
  if (value === null) return [name, null, null]
  if (value.$bytes) return [name, 'Binary', Buffer.alloc(value.$bytes[1], value.$bytes[0]).toString('base64')]
  if (value.$number !== undefined) return [name, 'untyped', value.$number]
  if (value.$remove) return [name, 'change', { type: 'Remove' }]
  if (value.$add) return [name, 'change', { type: 'Add', value: addend(value.$add) }]
  if (type !== undefined) return [name, type.replace('Edm.', ''), value]
  if (typeof value === 'boolean') return [name, 'Boolean', value]
  if (typeof value === 'number') return [name, 'Int32', value]
  return [name, 'String', text(value)]
}

/** The number of an addition, with its type or without. */
function addend({ $number, type, value }) {
  return $number ?? { type: type.replace('Edm.', ''), value }
}

/** A value with its type, in the most natural of this language's forms. */
function valueIn(type, value) {
  switch (type) {
    case null:
      return null
    case 'String':
    case 'Boolean':
    case 'untyped':
    case 'change':
      return value
    case 'Int64':
      return BigInt(value)
    case 'Double':
      return { type, value: Number(value) }
    case 'Binary':
      return new Uint8Array(Buffer.from(value, 'base64'))
    default:
      return { type, value }
  }
}

/** A vector's entity as a program would write it. */
function entityIn(entity) {
  const members = properties(entity).map(([name, type, value]) =>
    name in NAMES ? [NAMES[name], value] : [name, valueIn(type, value)],
  )
  // Not by assignment: a property may be named __proto__.
  return Object.fromEntries(members)
}

/** A vector's entity as the store would give it, with all types: only a store gives a timestamp. */
function storedIn(entity) {
  const store = Store.openSync(':memory:', { mode: 'extended', clock: entity.Timestamp && new Clock(instant(entity.Timestamp)) })
  const table = store.createTableSync('vectors')
  const given = entityIn(entity)
  table.createEntitySync(given)
  const stored = table.getEntitySync(given.partitionKey, given.rowKey, { disableTypeConversion: true })
  store.closeSync()
  if (entity.Timestamp) return stored
  const { etag, timestamp, ...rest } = stored
  return rest
}

/** A vector's instant, with all its decimals. */
function instant(text) {
  const [second, fraction] = ticks(text).split('.')
  return new DateTime(BigInt(Date.parse(`${second}Z`)) * 10_000n + 621_355_968_000_000_000n + BigInt(fraction))
}

/** A stored value in a form that is equal exactly if type and value are. */
function canonical(type, value) {
  switch (type) {
    case 'Double':
      // Object.is tells 0 from -0, JSON does not.
      return [type, Object.is(Number(value), -0) ? '-0' : String(Number(value))]
    case 'DateTime':
      return [type, ticks(value)]
    case 'Guid':
      return [type, value.toLowerCase()]
    default:
      return [type, String(value)]
  }
}

/** An instant as text that sorts, with all its decimals. */
function ticks(value) {
  const [, seconds, fraction] = /^(.{19})(?:\.(\d+))?(?:Z|\+00:00)?$/.exec(value)
  return `${seconds}.${(fraction ?? '').padEnd(7, '0')}`
}

/** The instant in an ETag. */
function etagTicks(etag) {
  return ticks(/datetime'(.*)'/.exec(decodeURIComponent(etag))[1])
}

/** Compares what was read of a text, and that it can be handed in as it is: both its forms are the same entity. */
function checkReadBack(plain, typed, expected) {
  assert.equal(entityToJson(plain), entityToJson(typed), 'the forms differ')
  const asStored = ([name, value]) => [name, value?.type === 'Double' ? doubleOut(value.value) : value]
  checkEntity(Object.fromEntries(Object.entries(plain).map(asStored)), typed, expected)
}

/** A Double as the store gives it. */
const doubleOut = (number) => (Number.isFinite(number) ? number : String(number))

/** Compares an entity that was read, in both its forms, with what a vector expects. */
function checkEntity(plain, typed, expected) {
  const wanted = properties(expected)
  for (const [name] of wanted.filter(([, type]) => type === null)) {
    assert.ok(!Object.hasOwn(typed, NAMES[name] ?? name), `${name} should not be there`)
  }
  const present = wanted.filter(([, type]) => type !== null)
  for (const special of ['Timestamp', 'odata.etag']) {
    const found = present.find(([name]) => name === special)
    if (!found) continue
    const form = special === 'Timestamp' ? ticks : String
    assert.equal(form(typed[NAMES[special]]), form(found[2]), special)
  }
  const isSpecial = (name) => name === 'Timestamp' || name === 'odata.etag' || name === 'timestamp' || name === 'etag'
  const shown = Object.entries(typed)
    .filter(([name]) => !isSpecial(name))
    .map(([name, value]) => (typeof value === 'string' ? [serviceName(name), 'String', value] : [name, ...canonical(value.type, value.value)]))
  const asked = present.filter(([name]) => !isSpecial(name)).map(([name, type, value]) => [name, ...canonical(type, value)])
  assert.deepEqual(inOrder(shown), inOrder(asked))
  checkForms(plain, typed)
}

/** JavaScript puts names that are whole numbers first, whatever the order in which they were set. */
function inOrder(members) {
  const isIndex = ([name]) => /^(0|[1-9]\d{0,9})$/.test(name)
  return [...members.filter(isIndex).sort((a, b) => a[0] - b[0]), ...members.filter((member) => !isIndex(member))]
}

function serviceName(name) {
  return Object.keys(NAMES).find((service) => NAMES[service] === name) ?? name
}

/** The plain form says the same as the typed one, in the types that this language promises. */
function checkForms(plain, typed) {
  assert.deepEqual(Object.keys(plain), Object.keys(typed))
  for (const [name, stated] of Object.entries(typed)) {
    const value = plain[name]
    if (typeof stated === 'string') {
      assert.equal(value, stated)
      continue
    }
    switch (stated.type) {
      case 'String':
        assert.equal(value, stated.value, name)
        break
      case 'Boolean':
        assert.equal(value, stated.value === 'true', name)
        break
      case 'Int32':
        assert.equal(value, Number(stated.value), name)
        break
      case 'Int64':
        assert.equal(value, BigInt(stated.value), name)
        break
      case 'Double':
        assert.ok(Object.is(value, Number.isFinite(Number(stated.value)) ? Number(stated.value) : stated.value), name)
        break
      case 'Guid':
        assert.deepEqual(value, stated, name)
        break
      case 'Binary':
        assert.ok(value instanceof Uint8Array && Buffer.from(stated.value, 'base64').equals(value), name)
        break
      case 'DateTime':
        assert.ok(value instanceof Date, name)
        assert.equal(ticks(value.toISOString()), ticks(stated.value), name)
        break
      default:
        assert.fail(`${name} has the type ${stated.type}`)
    }
  }
}

module.exports = { NAMES, checkEntity, checkReadBack, entityIn, etagTicks, instant, storedIn, text, ticks, valueIn }
