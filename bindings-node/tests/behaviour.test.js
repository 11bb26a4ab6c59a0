'use strict'
// How the package behaves in a process: the event loop goes on, calls are given up, threads and processes end.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { Store } = require('entable')

const LIB = JSON.stringify(path.join(__dirname, '../lib/index.js'))
/** Beyond what the store's queue takes, so that some wait for their place. */
const MANY = 2_000

/** The path of a store in a folder that goes with the test. */
function place(context) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'entable-'))
  context.after(() => fs.rmSync(folder, { recursive: true }))
  return path.join(folder, 'a.ent')
}

const entity = (at, partitionKey = 'p') => ({ partitionKey, rowKey: String(at) })

/** A worker that runs `code`, which knows `entable`, `workerData` and `parentPort`. */
function worker(code, workerData) {
  const before = `const entable = require(${LIB}); const { workerData, parentPort } = require('node:worker_threads');`
  return new Worker(before + code, { eval: true, workerData })
}

const message = (from) => new Promise((resolve, reject) => from.once('message', resolve).once('error', reject))

/** A worker that holds the turn at writing until it is let go of. */
async function holder(file) {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const store = entable.Store.openSync(workerData.file)
    store.transactionSync(() => {
      parentPort.postMessage('held')
      Atomics.wait(workerData.gate, 0, 0)
    })
    store.closeSync()`
  const holding = worker(code, { file, gate })
  await message(holding)
  const letGo = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
    return new Promise((resolve) => holding.once('exit', resolve))
  }
  return { letGo, holding }
}

/** Runs Node in a process of its own: exit code, signal, and what it printed. */
function run(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const printed = { stdout: '', stderr: '' }
  for (const name of Object.keys(printed)) child[name].on('data', (data) => (printed[name] += data))
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, ...printed })))
}

test('writes in flight share commits', async (context) => {
  const store = await Store.open(place(context))
  const table = await store.createTable('Things')
  const before = store.statsSync().commits.samples
  const writes = Array.from({ length: MANY }, (_, at) => table.createEntity(entity(at)))
  const groups = Array.from({ length: 50 }, (_, at) => table.submitTransaction([['create', entity('a', `g${at}`)], ['create', entity('b', `g${at}`)]]))
  const outcomes = await Promise.all(writes)
  await Promise.all(groups)
  const commits = store.statsSync().commits.samples - before
  assert.ok(commits < MANY / 4, `${commits} commits`)
  assert.equal(table.countSync(), MANY + 100)
  // In the order of the calls. ETags leave zeros at the end out.
  const ticks = outcomes.map(({ etag }) => /(\.\d+)?Z/.exec(etag)[1] ?? '')
  const seconds = outcomes.map(({ date }) => Math.floor(date / 1000))
  for (let at = 1; at < MANY; at++) {
    const [before, after] = [at - 1, at].map((n) => seconds[n] + Number(`0${ticks[n]}`))
    assert.ok(after > before, `${at}: ${before} ${after}`)
  }
  await store.close()
})

test('the event loop goes on while somebody else is writing', async (context) => {
  const file = place(context)
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  const { letGo } = await holder(file)
  let settled = 0
  const writes = Array.from({ length: MANY }, (_, at) => table.createEntity(entity(at)).then(() => settled++))
  let turns = 0
  for (; turns < 100; turns++) await new Promise(setImmediate)
  assert.deepEqual([turns, settled], [100, 0])
  assert.equal(await table.exists('p', '0'), false)
  await letGo()
  await Promise.all(writes)
  assert.equal(await table.count(), MANY)
  await store.close()
})

test('a signal gives up a write that waits, wherever it waits', async (context) => {
  const file = place(context)
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  await table.createEntity(entity('there'))
  const { letGo } = await holder(file)
  const aborting = new AbortController()
  const { signal: abortSignal } = aborting
  const reason = new RangeError('mine')
  const calls = [
    ['createEntity', entity('a'), { abortSignal }],
    ['upsertEntity', entity('b'), 'Merge', { abortSignal }],
    ['updateEntity', { ...entity('there'), N: 1 }, 'Merge', { abortSignal }],
    ['deleteEntity', 'p', 'there', { abortSignal }],
    ['submitTransaction', [['create', entity('c')]], { abortSignal }],
  ]
  const given = () => calls.map(([name, ...args]) => assert.rejects(table[name](...args), (error) => error === reason))
  const others = () => Array.from({ length: 600 }, () => table.upsertEntity(entity('other')))
  // Some in the store's queue, some behind those that have a place there.
  const rejected = [...given()]
  const kept = others()
  rejected.push(...given())
  aborting.abort(reason)
  await Promise.all(rejected)
  const late = table.createEntity(entity('late'))
  await letGo()
  await Promise.all([...kept, late])
  assert.deepEqual([...table.listEntitiesSync()].map((one) => [one.rowKey, one.N]), [['late', undefined], ['other', undefined], ['there', undefined]])
  await store.close()
})

test('a signal that comes after the outcome does nothing', async () => {
  const store = await Store.open(':memory:')
  const table = await store.createTable('Things')
  const aborting = new AbortController()
  const { signal: abortSignal } = aborting
  await table.createEntity(entity(1), { abortSignal })
  assert.equal((await table.getEntity('p', '1', { abortSignal })).rowKey, '1')
  aborting.abort()
  assert.equal(table.countSync(), 1)
  for (const name of ['count', 'explain', 'listIndexes', 'partitionKeys', 'listEntities']) {
    const call = table[name]({ abortSignal })
    await assert.rejects(call.next?.() ?? call, { name: 'AbortError' }, name)
  }
  await assert.rejects(store.snapshot({ abortSignal }), { name: 'AbortError' })
})

test('what is a signal, and what is none', async () => {
  const table = Store.openSync(':memory:').createTableSync('T1x')
  for (const abortSignal of [5, 'x', {}, true, () => {}, new AbortController(), { aborted: false }]) {
    for (const call of [table.getEntity('p', 'r', { abortSignal }), table.createEntity(entity('a'), { abortSignal }), table.listIndexes({ abortSignal })]) {
      await assert.rejects(call, { name: 'TypeError', code: 'InvalidInput', message: 'abortSignal must be an AbortSignal.' })
    }
  }
  // As the official clients have it, without a reason.
  const listeners = new Set()
  const abortSignal = { aborted: false, addEventListener: (_, listener) => listeners.add(listener), removeEventListener: (_, listener) => listeners.delete(listener) }
  await table.createEntity(entity('a'), { abortSignal })
  assert.equal((await table.getEntity('p', 'a', { abortSignal })).rowKey, 'a')
  assert.equal(listeners.size, 0)
  abortSignal.aborted = true
  await assert.rejects(table.getEntity('p', 'a', { abortSignal }), { name: 'AbortError' })
  await assert.rejects(table.createEntity(entity('b'), { abortSignal }), { name: 'AbortError' })
  // Calls share a listener: Node warns of many.
  const stop = new AbortController()
  const warned = new Promise((resolve) => process.once('warning', resolve))
  const calls = Array.from({ length: 64 }, (_, at) => [table.getEntity('p', 'a', { abortSignal: stop.signal }), table.upsertEntity(entity(at), 'Merge', { abortSignal: stop.signal })])
  await Promise.all(calls.flat())
  assert.equal(await Promise.race([warned, new Promise((resolve) => setTimeout(resolve, 50, 'none'))]), 'none')
  // One that fails itself leaves nothing unanswered.
  const failing = { aborted: false, addEventListener() { throw new Error('mine') }, removeEventListener() {} }
  await assert.rejects(table.createEntity(entity('a'), { abortSignal: failing }), { message: 'mine' })
})

test('a read is given up at once', async () => {
  const store = await Store.open(':memory:')
  const table = await store.createTable('Things')
  store.submitBatchSync(Array.from({ length: 5_000 }, (_, at) => ['Things', 'create', entity(at)]))
  const aborting = new AbortController()
  const reading = table.count({ queryOptions: { filter: "RowKey ne 'x'" }, abortSignal: aborting.signal })
  const refused = assert.rejects(reading, { name: 'AbortError' })
  aborting.abort()
  await refused
  await store.close()
})

test('a query that is given up ends in the midst of its page', async () => {
  // With one thread in the pool, what comes later is done later.
  const script = `
    const { Store } = require(${LIB})
    const store = Store.openSync(':memory:')
    const table = store.createTableSync('Things')
    store.submitBatchSync(Array.from({ length: 20_000 }, (_, at) => ['Things', 'create', { partitionKey: 'p', rowKey: String(at), N: at }]))
    const pages = () => store.statsSync().queryKinds.reduce((sum, kind) => sum + kind.pages, 0)
    const queryOptions = { filter: 'N lt 0' }
    const main = async () => {
      for await (const none of table.listEntities({ queryOptions })) void none
      const before = pages()
      const aborting = new AbortController()
      const { signal: abortSignal } = aborting
      const calls = Array.from({ length: 40 }, () => table.listEntities({ queryOptions, abortSignal }).next())
      calls.push(table.count({ queryOptions, abortSignal }), table.explain({ queryOptions, abortSignal }))
      await new Promise(setImmediate)
      aborting.abort(new RangeError('mine'))
      const reasons = (await Promise.allSettled(calls)).map((one) => one.reason?.message)
      await table.listIndexes()
      // Some may have been quicker than the signal.
      console.log(before, pages() - before < 20, reasons.filter((reason) => reason === 'mine').length > 20)
    }
    main()`
  const { stdout, stderr } = await run(['-e', script], { UV_THREADPOOL_SIZE: '1' })
  assert.equal(stdout.trim(), '1 true true', stderr)
})

test('deletions in chunks hold no thread, share the turn, and are given up between their steps', async (context) => {
  const file = place(context)
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  store.submitBatchSync(Array.from({ length: 200 }, (_, at) => ['Things', 'create', entity(at, `p${at % 10}`)]))
  const { letGo } = await holder(file)
  const chunked = (n, more) => table.deleteEntities({ queryOptions: { filter: `PartitionKey eq 'p${n}'` }, chunk: 3, ...more })
  const deletions = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => chunked(n))
  const aborting = new AbortController()
  const givenUp = assert.rejects(chunked(8, { abortSignal: aborting.signal }), { name: 'AbortError' })
  // All threads of the pool would wait with the deletions otherwise.
  assert.ok((await fs.promises.stat(file)).size > 0)
  assert.equal(await table.count(), 200)
  aborting.abort()
  await givenUp
  await letGo()
  assert.deepEqual(await Promise.all(deletions), Array(8).fill(20))
  assert.equal(table.countSync(), 40)
  for (const wrong of [0, -1, 1.5, '3', 2n, null]) await assert.rejects(chunked(9, { chunk: wrong }), { code: 'InvalidInput' }, String(wrong))
  await assert.rejects(table.deleteEntities({ chunk: 3 }), TypeError)
  // Given up in the midst: what the steps before deleted stays deleted.
  const midst = new AbortController()
  let hasEnded = false
  const stopped = chunked(9, { chunk: 1, abortSignal: midst.signal }).then(() => assert.fail('it went on'), (error) => error)
  stopped.then(() => (hasEnded = true))
  while (table.countSync({ queryOptions: { filter: "PartitionKey eq 'p9'" } }) === 20) await new Promise(setImmediate)
  assert.equal(hasEnded, false)
  midst.abort()
  assert.equal((await stopped).name, 'AbortError')
  const left = await table.count({ queryOptions: { filter: "PartitionKey eq 'p9'" } })
  assert.ok(left > 0 && left < 20, String(left))
  await store.close()
})

test('a deletion that is given up while it looks for its entities deletes none', async () => {
  const store = await Store.open(':memory:')
  const table = await store.createTable('Things')
  const fill = () => store.submitBatchSync(Array.from({ length: 20_000 }, (_, at) => ['Things', 'upsert', { ...entity(at), N: at }]))
  // It may be quicker than the signal: then all are deleted, and it is tried again.
  for (let round = 0; ; round++) {
    assert.ok(round < 20)
    fill()
    const aborting = new AbortController()
    const deletion = table.deleteEntities({ queryOptions: { filter: 'N ge 0' }, abortSignal: aborting.signal })
    await new Promise(setImmediate)
    aborting.abort()
    const [{ status, value, reason }] = await Promise.allSettled([deletion])
    assert.equal(table.countSync(), status === 'fulfilled' ? 20_000 - value : 20_000)
    if (status === 'fulfilled') assert.equal(value, 20_000)
    else {
      assert.equal(reason.name, 'AbortError')
      break
    }
  }
  await store.close()
})

test('workers may be ended at any moment', async (context) => {
  const file = place(context)
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  const code = `
    const store = entable.Store.openSync(workerData.file)
    const table = store.table('Things')
    parentPort.postMessage('begun')
    let at = 0
    const loop = async () => {
      for (;;) {
        const mine = { partitionKey: workerData.name, rowKey: String(at++ % 50), N: at }
        await table.upsertEntity(mine)
        await table.submitTransaction([['upsert', mine]])
        for await (const one of table.listEntities()) void one
        const snapshot = await store.snapshot()
        await table.at(snapshot).count()
        store.transactionSync((transaction) => transaction.table('Things').upsertEntitySync(mine))
      }
    }
    for (let n = 0; n < 20; n++) loop()`
  for (let round = 0; round < 8; round++) {
    const pair = [0, 1].map((n) => worker(code, { file, name: `w${n}` }))
    await Promise.all(pair.map(message))
    for (let turn = 0; turn < round * 40; turn++) await new Promise(setImmediate)
    await Promise.all(pair.map((one) => one.terminate()))
    await table.upsertEntity({ ...entity('alive'), round })
    assert.equal(table.getEntitySync('p', 'alive').round, round)
  }
  await store.close()
})

test('a worker that is ended inside a transaction leaves the turn to others', async (context) => {
  const file = place(context)
  const store = await Store.open(file)
  const table = await store.createTable('Things')
  const { holding } = await holder(file)
  const waiting = table.createEntity(entity(1))
  await holding.terminate()
  await waiting
  store.transactionSync((transaction) => transaction.table('Things').createEntitySync(entity(2)))
  assert.equal(table.countSync(), 2)
  await store.close()
})

test('processes of a cluster share a file', async (context) => {
  const file = place(context)
  const script = `
    const cluster = require('node:cluster')
    const { Store } = require(${LIB})
    const file = ${JSON.stringify(file)}
    if (cluster.isPrimary) {
      const store = Store.openSync(file)
      const table = store.createTableSync('Things')
      for (let n = 0; n < 3; n++) cluster.fork({ MINE: n })
      let codes = []
      cluster.on('exit', (_, code) => {
        codes.push(code)
        if (codes.length === 3) console.log(codes.join(), table.countSync())
      })
    } else {
      const table = Store.openSync(file).table('Things')
      const writes = Array.from({ length: 40 }, (_, at) => table.createEntity({ partitionKey: process.env.MINE, rowKey: String(at) }))
      Promise.all(writes).then(() => cluster.worker.disconnect())
    }`
  // A cluster runs the primary's file again.
  const main = path.join(path.dirname(file), 'main.js')
  fs.writeFileSync(main, script)
  const { code, stdout, stderr } = await run([main])
  assert.deepEqual([code, stdout.trim()], [0, '0,0,0 120'], stderr)
})

/** How processes end: what they do last, and the code that they end with. */
const ENDINGS = {
  'when the work is done, with its own code': ['process.exitCode = 7; Promise.all(writes).then(() => console.log(table.countSync()))', 7, '500'],
  'with writes that nobody waits for, which are done': ["process.exitCode = 5; process.on('exit', () => console.log(table.countSync()))", 5, '500'],
  'by exit in the midst of writes': ['setImmediate(() => process.exit(3))', 3, ''],
  'by exit in a callback of a write': ['writes[20].then(() => process.exit(4))', 4, ''],
  'by exit inside a transaction': ['store.transactionSync((transaction) => { transaction.table("Things").createEntitySync({ partitionKey: "x", rowKey: "x" }); process.exit(6) })', 6, ''],
  'by an exception': ['process.on("uncaughtException", () => process.exit(9)); setImmediate(() => { throw new Error("mine") })', 9, ''],
  'with all kinds of things left open': ['globalThis.kept = [store.snapshotSync(), table.listEntities(), table.partitionKeys()]; kept[1].next().then(() => console.log("left"))', 0, 'left'],
}

for (const [name, [last, code, printed]] of Object.entries(ENDINGS)) {
  test(`a process ends ${name}`, async (context) => {
    const script = `
      const { Store } = require(${LIB})
      const store = Store.openSync(${JSON.stringify(place(context))})
      const table = store.createTableSync('Things')
      const writes = Array.from({ length: 500 }, (_, at) => table.createEntity({ partitionKey: 'p', rowKey: String(at) }))
      ${last}`
    const ended = await run(['-e', script])
    assert.deepEqual([ended.code, ended.signal, ended.stdout.trim()], [code, null, printed], ended.stderr)
  })
}

test('it works where code may not be made of strings', async () => {
  const script = `
    const { Store, odata, keys } = require(${LIB})
    const table = Store.openSync(':memory:').createTableSync('Things')
    table.createEntitySync({ partitionKey: 'p', rowKey: '1', N: 1, 'ä': 5n, D: new Date(5) })
    for (const one of table.listEntitiesSync({ queryOptions: { filter: odata\`N eq \${1}\` } })) console.log(JSON.stringify([one.N, String(one['ä']), one.D]))
    table.getEntity('p', '1').then((one) => console.log(one.rowKey))`
  const ended = await run(['--disallow-code-generation-from-strings', '-e', script])
  assert.deepEqual([ended.code, ended.stdout.trim()], [0, '[1,"5","1970-01-01T00:00:00.005Z"]\n1'], ended.stderr)
})

test('64 store-wide transactions and deletions in flight hold no thread, and share commits', async () => {
  const store = Store.openSync(':memory:')
  const table = store.createTableSync('Things')
  const before = store.statsSync().commits.samples
  const batches = Array.from({ length: 64 }, (_, n) => store.submitBatch([['Things', 'create', { partitionKey: `p${n}`, rowKey: '1', N: n }]]))
  assert.equal((await Promise.all(batches)).length, 64)
  const deletions = Array.from({ length: 64 }, (_, n) => table.deleteEntities({ queryOptions: { filter: `PartitionKey eq 'p${n}'` } }))
  assert.deepEqual(await Promise.all(deletions), Array(64).fill(1))
  assert.equal(table.countSync(), 0)
  // Without a disk commits are quick: some share one all the same, which they would not one after the other.
  const { commits, commitGroups } = store.statsSync()
  assert.ok(commits.samples - before < 128 && commitGroups.max > 1, `${commits.samples - before} commits`)
  // One that fails, fails alone.
  const outcomes = await Promise.allSettled([
    store.submitBatch([['Things', 'create', { partitionKey: 'q', rowKey: '1' }]]),
    store.submitBatch([['Things', 'update', { partitionKey: 'none', rowKey: '1' }]]),
    table.deleteEntities({ queryOptions: { filter: 'N eq' } }),
    table.deleteEntities(),
  ])
  assert.deepEqual(outcomes.map((one) => one.reason?.code ?? one.reason?.name), [undefined, 'ResourceNotFound', 'InvalidInput', 'InvalidInput'])
  assert.equal(await table.deleteEntities({ queryOptions: {}, chunk: 1 }), 1)
  store.closeSync()
})
