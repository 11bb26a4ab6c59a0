'use strict'
// Calls behind a promise: how they begin, fail, and are given up.

const { GivingUp } = require('./load.js')
const { traced, wrongType } = require('./error.js')
const { promised } = require('./settle.js')

/** The methods of a signal that are called here. */
const OF_SIGNALS = ['throwIfAborted', 'addEventListener', 'removeEventListener']

/** The signal of these options, if they have one. */
function signalOf(options) {
  const signal = options?.abortSignal ?? undefined
  if (signal !== undefined && !OF_SIGNALS.every((name) => typeof signal[name] === 'function')) {
    throw wrongType('abortSignal must be an AbortSignal.', 'abortSignal')
  }
  return signal
}

/** What is to be called when a signal is aborted: by one listener, since Node warns of more than ten. */
const waiting = new WeakMap()

/** Calls `tell` when the signal is aborted, until what this returns is called. */
function whenAborted(signal, tell) {
  let known = waiting.get(signal)
  if (known === undefined) {
    const tells = new Set()
    known = { tells, listener: () => [...tells].forEach((one) => one()) }
    waiting.set(signal, known)
    signal.addEventListener('abort', known.listener, { once: true })
  }
  const { tells, listener } = known
  tells.add(tell)
  return () => {
    tells.delete(tell)
    if (tells.size > 0) return
    waiting.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

/** Runs `job`, which returns a promise of the native part. A signal aborts it before it has begun. */
async function later(options, job) {
  signalOf(options)?.throwIfAborted()
  try {
    return await job()
  } catch (error) {
    throw traced(error, later)
  }
}

/**
 * Runs a read. A signal aborts it also while it is under way: its answer is not waited for, and a query ends in the midst of
 * its page. `job` is handed what gives it up, if there is a signal.
 */
async function read(options, job, givingUp = givingUpOf(options)) {
  const signal = signalOf(options)
  signal?.throwIfAborted()
  try {
    return await (signal ? unlessAborted(signal, givingUp, job(givingUp)) : job())
  } catch (error) {
    throw traced(error, read)
  }
}

/** What gives up the calls of these options; undefined if nobody will. */
function givingUpOf(options) {
  return options?.abortSignal && new GivingUp()
}

/** The outcome of the promise, or the reason of the signal if it is faster. */
async function unlessAborted(signal, givingUp, promise) {
  let forget
  const aborted = new Promise((_, reject) => {
    forget = whenAborted(signal, () => {
      givingUp.giveUp()
      reject(signal.reason)
    })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    forget()
  }
}

/**
 * Runs a write that is queued with the store. A signal gives it up as long as it has not been begun, and a deletion while it
 * looks for what it deletes: then nothing of it is done. `job` is handed the number of its promise, and what gives it up,
 * if there is a signal.
 */
async function queued(options, job, givingUp = givingUpOf(options)) {
  const signal = signalOf(options)
  signal?.throwIfAborted()
  try {
    return await (signal ? unlessGivenUp(signal, givingUp, job) : promised(job))
  } catch (error) {
    throw traced(error, queued)
  }
}

/** The outcome of the write, or the reason of the signal if the write was given up for it. */
async function unlessGivenUp(signal, givingUp, job) {
  const write = promised((promise) => job(promise, givingUp))
  let forget
  try {
    return await new Promise((resolve, reject) => {
      forget = whenAborted(signal, () => givingUp.giveUp() && reject(signal.reason))
      write.then(resolve, (error) => reject(signal.aborted && error.code === 'Cancelled' ? signal.reason : error))
    })
  } finally {
    forget()
  }
}

module.exports = { givingUpOf, later, queued, read }
