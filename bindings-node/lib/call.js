'use strict'
// Calls behind a promise: how they begin, fail, and are given up.

const { GivingUp } = require('./load.js')
const { traced, wrongType } = require('./error.js')
const { promised } = require('./settle.js')

/**
 * The signal of the options, which has not been aborted: an AbortSignal, or what has as much of one as the official clients
 * ask for.
 */
function signalOf(options) {
  const signal = options?.abortSignal ?? undefined
  if (signal === undefined) return undefined
  const { aborted, addEventListener, removeEventListener } = signal
  if (typeof aborted !== 'boolean' || typeof addEventListener !== 'function' || typeof removeEventListener !== 'function') {
    throw wrongType('abortSignal must be an AbortSignal.', 'abortSignal')
  }
  if (aborted) throw reasonOf(signal)
  return signal
}

/** Why a signal was aborted; those of old do not say. */
const reasonOf = (signal) => signal.reason ?? new DOMException('This operation was aborted', 'AbortError')

/** By signal, who waits for it: as many calls as one likes have one listener, since Node warns of many. */
const waiting = new WeakMap()

/** Has `abort` called when the signal is aborted. Gives what ends that. */
function onAbort(signal, abort) {
  let known = waiting.get(signal)
  if (known === undefined) {
    const calls = new Set()
    known = { calls, listener: () => calls.forEach((call) => call()) }
    signal.addEventListener('abort', known.listener, { once: true })
    waiting.set(signal, known)
  }
  known.calls.add(abort)
  return () => {
    known.calls.delete(abort)
    if (known.calls.size > 0 || waiting.get(signal) !== known) return
    waiting.delete(signal)
    signal.removeEventListener('abort', known.listener)
  }
}

/** Runs `job`, which returns a promise of the native part. A signal aborts it before it has begun. */
async function later(options, job) {
  signalOf(options)
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
  let end
  const aborted = new Promise((_, reject) => {
    end = onAbort(signal, () => {
      givingUp.giveUp()
      reject(reasonOf(signal))
    })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    end?.()
  }
}

/**
 * Runs a write that is queued with the store. A signal gives it up as long as it has not been begun, and a deletion while it
 * looks for what it deletes: then nothing of it is done. `job` is handed the number of its promise, and what gives it up,
 * if there is a signal.
 */
async function queued(options, job, givingUp = givingUpOf(options)) {
  const signal = signalOf(options)
  try {
    return await (signal ? unlessGivenUp(signal, givingUp, job) : promised(job))
  } catch (error) {
    throw traced(error, queued)
  }
}

/** The outcome of the write, or the reason of the signal if the write was given up for it. */
async function unlessGivenUp(signal, givingUp, job) {
  const write = promised((promise) => job(promise, givingUp))
  let end
  try {
    return await new Promise((resolve, reject) => {
      // First of all: whatever a signal does, somebody waits for the outcome.
      write.then(resolve, (error) => reject(signal.aborted && error.code === 'Cancelled' ? reasonOf(signal) : error))
      end = onAbort(signal, () => givingUp.giveUp() && reject(reasonOf(signal)))
    })
  } finally {
    end?.()
  }
}

module.exports = { givingUpOf, later, queued, read }
