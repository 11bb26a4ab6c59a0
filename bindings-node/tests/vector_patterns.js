'use strict'
// The patterns of vectors, as this language has them.

const { entityToJson, patterns } = require('entable')
const { entityIn, instant, text, valueIn } = require('./vector_values.js')

const camel = (name) => name.replace(/_./g, (letter) => letter[1].toUpperCase())

/** The members of a definition that have other names, or another form, in the files. */
const MEMBERS = {
  fields: (fields, pattern) => (pattern.endsWith('Index') || pattern === 'UniqueGuard' || pattern === 'DistinctList' ? { field: fields.map(field)[0] } : { fields: fields.map(field) }),
  holding: (holding) => ({ full: { projection: 'all' }, normalized: { projection: 'keys' } })[holding] ?? {},
  partition: (partitionKey) => ({ partitionKey }),
}

function field(given) {
  if (typeof given === 'string') return given
  const { name, form, ...options } = given
  return new patterns.Field(name, form ? { ...options, form: camel(form) } : options)
}

function patternOf({ name, ...given }) {
  const definition = {}
  for (const [member, value] of Object.entries(given)) {
    Object.assign(definition, MEMBERS[member] ? MEMBERS[member](value, name) : { [camel(member)]: value })
  }
  // In the files, a table of entries has its properties beside its contents.
  if (name === 'IndexTable' && definition.select) {
    definition.projection = definition.select
    delete definition.select
  }
  return new patterns[name](definition)
}

const stateIn = (entity) => (entity === null || entity === undefined ? entity : entityIn(entity))

/** A value that is asked for, with its type. */
function valueOf(given) {
  if (given?.type === 'Edm.DateTime') return instant(given.value)
  if (given?.type) return valueIn(given.type.replace('Edm.', ''), given.value)
  return ['number', 'boolean'].includes(typeof given) ? given : text(given)
}

function lookupOf({ pattern, call, arguments: given }) {
  const values = given.map(valueOf)
  const isList = { IndexTable: ['find', 'starting_with'], IndexEntities: ['find'], CompoundKey: ['find', 'below', 'with_below'] }
  const last = { IndexTable: 0, IndexEntities: 1, CompoundKey: 1 }[pattern.name]
  if (isList[pattern.name]?.includes(call)) values.splice(last, Infinity, values.slice(last))
  return patternOf(pattern)[camel(call)](...values)
}

function rowsIn({ pattern, stored, arguments: given }) {
  const entities = stored.map(entityIn)
  if (pattern.name === 'UniqueGuard') return entities.map((guard) => patternOf(pattern).holder(guard))
  return patternOf(pattern).rows(...(given ?? []).map(valueOf), entities)
}

/** Steps in a form that can be compared: entities as text that tells types. */
function stepsOf(steps) {
  const action = ([verb, entity, ...rest]) => [verb, verb === 'delete' ? entity : entityToJson(entity), ...rest]
  return steps.map((step) => [step.tableName, step.actions.map(action)])
}

module.exports = { lookupOf, patternOf, rowsIn, stateIn, stepsOf }
