'use strict'
// Runs the conformance vectors of tests/vectors, through the promises and through the Sync forms.

const assert = require('node:assert/strict')
const { test, after } = require('node:test')
const fs = require('node:fs')
const path = require('node:path')
const { Clock, DateTime, Store, entityFromJson, entitySize, entityToJson, keys } = require('entable')
const { lookupOf, patternOf, rowsIn, stateIn, stepsOf: stepsOfChanges } = require('./vector_patterns.js')
const { NAMES, checkEntity, checkReadBack, entityIn, etagTicks, instant, storedIn, text, ticks, valueIn } = require('./vector_values.js')

const FOLDER = path.join(__dirname, '../../tests/vectors')

const counts = { ran: 0, rows: 0, skipped: new Map() }

function skip(reason) {
  counts.skipped.set(reason, (counts.skipped.get(reason) ?? 0) + 1)
}

/** Calls the promise form or the Sync form of a method. */
class Form {
  constructor(isSync) {
    this.isSync = isSync
  }

  async call(object, method, ...args) {
    return this.isSync ? object[`${method}Sync`](...args) : object[method](...args)
  }

  async all(list) {
    const items = []
    if (this.isSync) for (const item of list) items.push(item)
    else for await (const item of list) items.push(item)
    return items
  }

  list(object, method, ...args) {
    return this.isSync ? object[`${method}Sync`](...args) : object[method](...args)
  }
}

/** The state of one case. */
class Run {
  constructor(form, store, clock, mode) {
    this.form = form
    this.mode = mode
    this.store = store
    this.clock = clock
    this.saved = new Map()
  }

  table(step) {
    const table = this.store.table(step.table === undefined ? 'vectors' : text(step.table))
    return step.in === undefined ? table : table.at(this.named(step.in))
  }

  /** What a `"$name"` stands for. */
  named(value) {
    return typeof value === 'string' && value.startsWith('$') ? this.saved.get(value.slice(1)) : text(value)
  }

  condition(step) {
    const { etag } = step
    if (etag === undefined) return step.filter === undefined ? undefined : this.queryOptions(step)
    return etag.absent ? { ifAbsent: true } : { etag: this.named(etag) }
  }

  keys(step) {
    return [text(step.partition_key), text(step.row_key)]
  }

  queryOptions(step) {
    const options = {}
    if (step.filter !== undefined) options.filter = text(step.filter)
    if (step.limit !== undefined) options.limit = step.limit
    if (step.select !== undefined) {
      const names = typeof step.select === 'string' ? [step.select] : step.select
      options.select = names.map((name) => NAMES[name] ?? name)
    }
    if (step.parameters !== undefined) {
      options.parameters = {}
      for (const [name, { type, value }] of Object.entries(step.parameters)) {
        options.parameters[name] = valueIn(type.replace('Edm.', ''), value)
      }
    }
    return options
  }

  action(operation) {
    const condition = this.condition(operation)
    const mode = { merge: 'Merge', replace: 'Replace' }[operation.mode]
    switch (operation.do) {
      case 'create_entity':
        return ['create', entityIn(operation.entity)]
      case 'update_entity':
        return ['update', entityIn(operation.entity), mode, condition]
      case 'upsert_entity':
        return ['upsert', entityIn(operation.entity), mode, condition]
      case 'delete_entity': {
        const [partitionKey, rowKey] = this.keys(operation)
        return ['delete', { partitionKey, rowKey }, condition]
      }
      case 'create_or_get_entity':
        return ['createOrGet', entityIn(operation.entity)]
      case 'move_entity': {
        const [partitionKey, rowKey] = this.keys(operation)
        const [newPartitionKey, newRowKey] = operation.to.map(text)
        return ['move', { partitionKey, rowKey }, { partitionKey: newPartitionKey, rowKey: newRowKey }, condition]
      }
      default:
        throw new Unknown(`operation ${operation.do}`)
    }
  }

  /** Reads in both forms, so that types and values can be compared. */
  async read(step, get) {
    const queryOptions = this.queryOptions(step)
    const plain = await get({ queryOptions })
    return { plain, typed: await get({ queryOptions, disableTypeConversion: true }) }
  }
}

/** The form of a vector is not known here: the runner is behind, or the vector is wrong. */
class Unknown extends Error {}

const VERBS = {
  create_table: (run, step) => run.form.call(run.store, 'createTable', text(step.table)).then(() => ({})),
  create_table_if_not_exists: (run, step) => run.form.call(run.store, 'createTable', text(step.table)).then(() => ({})),
  delete_table: (run, step) => run.form.call(run.store, 'deleteTable', text(step.table)).then(() => ({})),
  list_tables: async (run, step) => {
    if (step.in !== undefined) return { tables: await run.form.call(run.named(step.in), 'listTables') }
    return { tables: await run.form.all(run.form.list(run.store, 'listTables')) }
  },
  snapshot: async (run) => ({ snapshot: await run.form.call(run.store, 'snapshot') }),
  set_clock: async (run, step) => {
    run.clock.set(instant(step.now))
    return {}
  },
  parse_entity: async (run, step) => {
    const read = (disableTypeConversion) => entityFromJson(text(step.json), { mode: run.mode, disableTypeConversion })
    return { plain: [read(false)], typed: [read(true)], isInput: true }
  },
  format_entity: async (run, step) => {
    const select = step.select && [step.select].flat().map((name) => NAMES[name] ?? name)
    return { json: entityToJson(storedIn(step.entity), { metadata: step.metadata, select }) }
  },
  entity_size: async (run, step) => ({ size: entitySize(entityIn(step.entity)) }),
  key: async (run, step) => {
    const call = step.call.replace(/_./g, (letter) => letter[1].toUpperCase())
    const given = step.arguments.map(argument)
    const value = keys[call](...(call.startsWith('compose') ? [given] : given))
    return { text: value, texts: value, value }
  },
  pattern_changes: async (run, step) => ({
    steps: patternOf(step.pattern).changes(stateIn(step.former), stateIn(step.new), (step.stored ?? []).map(entityIn)).steps,
  }),
  pattern_lookup: async (run, step) => ({ lookup: lookupOf(step) }),
  pattern_rows: async (run, step) => ({ keys: rowsIn(step) }),
  submit_batch: async (run, step) => {
    const action = (operation) => [operation.table === undefined ? 'vectors' : text(operation.table), ...run.action(operation)]
    const answer = await run.form.call(run.store, 'submitBatch', step.operations.map(action))
    return outcomesOf(answer)
  },
  query_tables: async (run, step) => ({
    tables: await run.form.all(run.form.list(run.store, 'listTables', { queryOptions: run.queryOptions(step) })),
  }),
  create_entity: (run, step) => run.form.call(run.table(step), 'createEntity', entityIn(step.entity)),
  update_entity: (run, step) => run.form.call(run.table(step), 'updateEntity', ...run.action(step).slice(1)),
  upsert_entity: (run, step) => run.form.call(run.table(step), 'upsertEntity', ...run.action(step).slice(1)),
  create_or_get_entity: async (run, step) => {
    const { created, entity } = await run.form.call(run.table(step), 'createOrGetEntity', entityIn(step.entity))
    const options = { disableTypeConversion: true }
    const typed = await run.form.call(run.table(step), 'getEntity', entity.partitionKey, entity.rowKey, options)
    return { plain: [entity], typed: [typed], etag: entity.etag, bool: created }
  },
  move_entity: (run, step) => run.form.call(run.table(step), 'moveEntity', ...run.action(step).slice(1)),
  delete_entity: (run, step) =>
    run.form.call(run.table(step), 'deleteEntity', ...run.keys(step), run.condition(step)),
  get_entity: async (run, step) => {
    const get = (options) => run.form.call(run.table(step), 'getEntity', ...run.keys(step), options)
    const { plain, typed } = await run.read(step, get)
    return { plain: [plain], typed: [typed], etag: plain.etag }
  },
  exists: async (run, step) => ({ bool: await run.form.call(run.table(step), 'exists', ...run.keys(step)) }),
  get_many: async (run, step) => {
    const keys = step.keys.map((pair) => pair.map(text))
    const { plain, typed } = await run.read(step, (options) => run.form.call(run.table(step), 'getMany', keys, options))
    return { plain, typed }
  },
  query_entities: async (run, step) => {
    const get = async (options) => {
      const settings = step.page_size === undefined ? undefined : { maxPageSize: step.page_size }
      return run.form.all(run.form.list(run.table(step), 'listEntities', options).byPage(settings))
    }
    const { plain, typed } = await run.read(step, get)
    if (step.page_size === undefined) {
      const options = { queryOptions: run.queryOptions(step) }
      const items = await run.form.all(run.form.list(run.table(step), 'listEntities', options))
      assert.deepEqual(items, plain.flat(), 'items and pages differ')
    }
    return { plain: plain.flat(), typed: typed.flat(), pages: plain }
  },
  query_page: async (run, step) => {
    const settings = { maxPageSize: step.page_size }
    if (step.token !== undefined) settings.continuationToken = run.named(step.token)
    const get = async (options) => {
      const page = await run.form.list(run.table(step), 'listEntities', options).byPage(settings).next()
      return page.value
    }
    const { plain, typed } = await run.read(step, get)
    return { plain: [...plain], typed: [...typed], token: plain.continuationToken, isPage: true }
  },
  submit_transaction: async (run, step) => {
    const actions = step.operations.map((operation) => run.action(operation))
    const answer = await run.form.call(run.table(step), 'submitTransaction', actions)
    return outcomesOf(answer)
  },
}

const outcomesOf = ({ subResponses }) => ({
  etags: subResponses.map(({ etag }) => etag),
  found: subResponses.map(({ found }) => found ?? false),
})

/** An argument of the toolkit of keys. */
function argument(given) {
  if (given?.$bytes) return Buffer.alloc(given.$bytes[1], given.$bytes[0])
  if (given?.type) return natural(given)
  return typeof given === 'number' ? given : text(given)
}

/** A typed value, as this language has it. */
function natural({ type, value }) {
  switch (type) {
    case 'Edm.Double':
      return Number(value)
    case 'Edm.Int64':
      return BigInt(value)
    case 'Edm.DateTime':
      return instant(value)
    default:
      return new Uint8Array(Buffer.from(value, 'base64'))
  }
}

const STEP_MEMBERS = new Set(
  'do table expect expect_in expect_by save entity mode etag partition_key row_key select keys filter parameters limit page_size token operations in now call arguments json metadata pattern former new stored to'.split(
    ' ',
  ),
)

const rowOf = (expected) => (Array.isArray(expected) ? expected.map(text) : expected === null ? null : text(expected))
const rowsOf = (expected, entities) =>
  entities.map((entity, at) => {
    if (!entity) return null
    return Array.isArray(expected[at]) ? [entity.partitionKey, entity.rowKey] : entity.rowKey
  })

/** A step as it is expected, in the form of `stepsOfChanges`. */
function expectedStep({ table, operations }) {
  const action = ({ do: verb, mode, ...rest }) => [
    verb.replace('_entity', ''),
    rest.entity ? entityToJson(entityIn(rest.entity)) : { partitionKey: text(rest.partition_key), rowKey: text(rest.row_key) },
    ...(mode ? [{ merge: 'Merge', replace: 'Replace' }[mode]] : []),
  ]
  return [table, operations.map(action)]
}

/** What expectations say of a result. */
const EXPECTATIONS = {
  entity: (expected, result, run) => {
    const saved = run.saved.get(expected['odata.etag']?.replace(/^\$/, ''))
    const wanted = saved ? { ...expected, 'odata.etag': saved } : expected
    ;(result.isInput ? checkReadBack : checkEntity)(result.plain[0], result.typed[0], wanted)
  },
  entities: (expected, result) => {
    assert.equal(result.plain.length, expected.length, 'number of entities')
    expected.forEach((entity, at) => checkEntity(result.plain[at], result.typed[at], entity))
  },
  rows: (expected, result) => assert.deepEqual(rowsOf(expected, result.plain), expected.map(rowOf)),
  pages: (expected, result) => {
    const wanted = expected.filter((page) => page.length > 0)
    const found = result.pages.filter((page) => page.length > 0)
    assert.deepEqual(found.map((page, at) => rowsOf(wanted[at] ?? [], page)), wanted.map((page) => page.map(rowOf)))
  },
  count: (expected, result) => assert.equal(result.plain.length, expected),
  more: (expected, result) => assert.equal(result.token !== undefined, expected, 'continuation token'),
  tables: (expected, result) => assert.deepEqual(result.tables.map((table) => table.name), expected.map(text)),
  // As text, for objects are equal in any order of their members.
  json: (expected, result) => assert.equal(JSON.stringify(JSON.parse(result.json)), JSON.stringify(expected)),
  size: (expected, result) => assert.equal(result.size, expected),
  text: (expected, result) => assert.equal(result.text, text(expected)),
  texts: (expected, result) => assert.deepEqual(result.texts, expected.map((one) => (one === null ? undefined : text(one)))),
  value: (expected, result) => {
    const wanted = natural(expected)
    // A shard's number is a number, and no Int64.
    const found = typeof result.value === 'number' && typeof wanted === 'bigint' ? BigInt(result.value) : result.value
    if (wanted instanceof Uint8Array) assert.deepEqual([...found], [...wanted])
    else assert.equal(Number(found), Number(wanted))
  },
  bool: (expected, result) => assert.equal(result.bool, expected),
  steps: (expected, result) => assert.deepEqual(stepsOfChanges(result.steps), expected.map(expectedStep)),
  lookup: ({ table, ...expected }, { lookup }) => {
    const { filter, limit } = lookup.queryOptions
    assert.deepEqual({ tableName: lookup.tableName, filter, ...(limit === undefined ? {} : { limit }) }, { tableName: table, ...expected })
  },
  keys: (expected, result) => assert.deepEqual(result.keys, expected.map((pair) => pair.map(text))),
  etag_changes_from: (expected, result, run) => {
    assert.ok(typeof result.etag === 'string')
    assert.notEqual(result.etag, run.saved.get(expected))
  },
  found: (expected, result) => assert.deepEqual(result.found, expected),
  etags: (expected, result) => assert.deepEqual(result.etags.map((etag) => etag !== undefined), expected),
  timestamps: (expected, result) => {
    assert.equal(expected, 'increasing')
    const times = result.etags
      ? result.etags.filter((etag) => etag !== undefined).map(etagTicks)
      : result.plain.map((entity) => ticks(entity.timestamp))
    for (let at = 1; at < times.length; at++) assert.ok(times[at] > times[at - 1], `${times[at]} after ${times[at - 1]}`)
  },
}

function checkError(expected, error) {
  const facts = { code: error.code, status: error.statusCode, ...error.details }
  for (const [name, value] of Object.entries(expected)) {
    if (name === 'message') assert.ok(error.message.startsWith(value), `message: ${error.message}`)
    else assert.equal(facts[name], value, `${name} of ${error.stack}`)
  }
}

function isNamed(error, name) {
  for (let kind = error?.constructor; typeof kind === 'function'; kind = Object.getPrototypeOf(kind)) {
    if (kind.name === name) return true
  }
  return false
}

async function runStep(run, step, mode) {
  const expected = step.expect_by?.node ?? step.expect_in?.[mode] ?? step.expect
  if (expected.skip) return
  const unknown = Object.keys(step).filter((name) => !STEP_MEMBERS.has(name))
  if (unknown.length > 0) throw new Unknown(`member ${unknown} of a step`)
  let result
  let error
  try {
    result = await VERBS[step.do](run, step)
  } catch (caught) {
    // An assertion within a verb, or a form that is not known, is no answer of the store.
    if (caught instanceof assert.AssertionError || caught instanceof Unknown) throw caught
    error = caught
  }
  if (step.save !== undefined && !error) run.saved.set(step.save, result.snapshot ?? (result.isPage ? result.token : result.etag))
  const { error: wantedError, raises, ...rest } = expected === 'ok' ? {} : expected
  if (wantedError || raises) {
    assert.ok(error, `${JSON.stringify(wantedError ?? raises)} expected, but it succeeded`)
    if (wantedError) checkError(wantedError, error)
    if (raises) assert.ok(isNamed(error, raises), `${error.name} is no ${raises}`)
  } else if (error) {
    throw error
  }
  for (const [name, value] of Object.entries(rest)) {
    if (!EXPECTATIONS[name]) throw new Unknown(`expectation ${name}`)
    EXPECTATIONS[name](value, result, run)
  }
}

/** The steps of the short form. */
function stepsOf(one, mode) {
  if (one.steps) return one.steps
  const error = one.error_in?.[mode] ?? (one.rows_in?.[mode] ? undefined : one.error)
  const expect = error ? { error } : { rows: one.rows_in?.[mode] ?? one.rows }
  return [{ do: 'query_entities', filter: one.filter, expect }]
}

function reasonToSkip(one, steps) {
  if (one.only && !one.only.includes('node')) return `only for ${one.only.join(', ')}`
  for (const step of steps) {
    if (!VERBS[step.do]) throw new Unknown(`verb ${step.do}`)
  }
  return undefined
}

/** A run on a new store; its clock stands if the case sets it. */
async function prepared(form, mode, given, now) {
  const clock = now && new Clock(instant(now))
  const store = await form.call(Store, 'open', ':memory:', { mode, clock })
  const run = new Run(form, store, clock, mode)
  await form.call(store, 'createTable', 'vectors')
  for (const entity of given) await form.call(run.table({}), 'upsertEntity', entityIn(entity), 'Replace')
  return run
}

async function runCase(file, one, mode, form) {
  const steps = stepsOf(one, mode)
  const reason = reasonToSkip(one, steps)
  if (reason) return skip(reason)
  const now = one.now ?? steps.find((step) => step.now !== undefined)?.now
  const run = await prepared(form, mode, one.given ?? file.given ?? [], now)
  for (const [at, step] of steps.entries()) {
    try {
      await runStep(run, step, mode)
    } catch (error) {
      throw new Error(`${one.name}, ${mode}, step ${at} (${step.do}): ${error.message}`, { cause: error })
    }
  }
  await form.call(run.store, 'close')
  counts.ran++
}

async function runTruthTable(file, form) {
  for (const mode of ['portable', 'strict', 'extended']) {
    const run = await prepared(form, mode, [file.entity], file.now)
    for (const row of file.rows) {
      const wanted = row[mode]
      const code = { 400: 'InvalidInput', 501: 'NotImplemented' }[wanted]
      const [entity] = file.entity.RowKey ? [file.entity.RowKey] : []
      const expect = code ? { error: { code, status: wanted } } : { rows: wanted ? [entity] : [] }
      try {
        await runStep(run, { do: 'query_entities', filter: row.filter, expect }, mode)
      } catch (error) {
        throw new Error(`row ${row.n}, ${mode}, ${row.filter}: ${error.message}`, { cause: error })
      }
      counts.rows++
    }
  }
}

async function runFile(file, form) {
  const failures = []
  const attempt = (job) => job().catch((error) => failures.push(error))
  if (file.rows) {
    await attempt(() => runTruthTable(file, form))
  } else {
    for (const one of file.cases) {
      for (const mode of one.modes ?? ['portable']) await attempt(() => runCase(file, one, mode, form))
    }
  }
  const report = failures.map((failure) => failure.message).join('\n')
  assert.equal(failures.length, 0, `${failures.length} failed:\n${report}`)
}

for (const name of fs.readdirSync(FOLDER).sort()) {
  if (!name.endsWith('.json') || ['rules.json', 'schema.json'].includes(name)) continue
  const file = JSON.parse(fs.readFileSync(path.join(FOLDER, name), 'utf8'))
  test(`${name}, promises`, () => runFile(file, new Form(false)))
  test(`${name}, Sync`, () => runFile(file, new Form(true)))
}

after(() => {
  const skipped = [...counts.skipped].map(([reason, count]) => `  ${count}: ${reason}`).join('\n')
  console.log(`vectors: ${counts.ran} cases and ${counts.rows} rows of the truth table ran; skipped:\n${skipped}`)
})
