'use strict'
// The examples do what they say.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { EventEmitter } = require('node:events')
const { promisify } = require('node:util')
const { Store } = require('entable')

test('a store of sessions', async () => {
  const { Sessions } = await import('../examples/sessions.mjs')
  const table = Store.openSync(':memory:').createTableSync('Sessions')
  const sessions = new Sessions(table)
  assert.ok(sessions instanceof EventEmitter)
  const [get, set, touch, destroy] = ['get', 'set', 'touch', 'destroy'].map((name) => promisify(sessions[name]).bind(sessions))
  assert.equal(await get('abc'), null)
  const session = { user: 'jones', cookie: { expires: new Date(Date.now() + 1_000_000).toISOString() } }
  await set('abc', session)
  assert.deepEqual(await get('abc'), session)
  await set('old', { cookie: { expires: new Date(Date.now() - 1_000) } })
  assert.equal(await get('old'), null)
  await touch('abc', { cookie: {} })
  assert.equal(await sessions.sweep(), 1)
  await destroy('abc')
  await destroy('abc')
  assert.equal(await get('abc'), null)
  await assert.rejects(touch('abc', {}), { code: 'ResourceNotFound' })
})

test('a queue of jobs', async () => {
  const { Jobs } = await import('../examples/jobs.mjs')
  const jobs = new Jobs(Store.openSync(':memory:'))
  const at = (second) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  await Promise.all([jobs.add('second', at(2)), jobs.add('first', at(1)), jobs.add('later', at(500))])
  const first = jobs.take(at(10))
  const second = jobs.take(at(10))
  assert.deepEqual([first.work, second.work, jobs.take(at(10))], ['first', 'second', undefined])
  assert.equal(await jobs.done(first), true)
  // The worker of the second has died: after its lease the job is somebody else's.
  const again = jobs.take(at(71))
  assert.deepEqual([again.work, again.attempts], ['second', 2])
  assert.deepEqual([await jobs.done(second), await jobs.done(again)], [false, true])
  assert.equal(jobs.take(at(400)), undefined)
})
