'use strict'

const { promised } = require('./settle.js')

/** What a call of the store fails with; the same members as the official client's. */
class RestError extends Error {
  constructor(message, options = {}) {
    super(message)
    this.code = options.code
    this.statusCode = options.statusCode
    this.details = options.details
  }
}

// Not on each error: own properties are shown when it is printed.
Object.defineProperty(RestError.prototype, 'name', { value: 'RestError', writable: true, configurable: true })

/** Errors made for the native part. */
const failures = new WeakSet()

/** Makes the error of a failed call. The native part calls this. */
function failure(isTypeError, code, statusCode, className, message, facts) {
  const details = {
    ...facts,
    class: className,
    errorCode: code,
    odataError: { code, message: { lang: 'en-US', value: message } },
  }
  const error = isTypeError
    ? Object.assign(new TypeError(message), { code, statusCode, details })
    : new RestError(message, { code, statusCode, details })
  failures.add(error)
  return error
}

/** The error of the native part, with the stack of the caller of `entry`: no JavaScript was running when it was made. */
function traced(error, entry) {
  if (failures.has(error)) Error.captureStackTrace(error, entry)
  return error
}

/**
 * Runs `job`, which returns a promise of the native part. A signal aborts it before it has begun; and while it is under
 * way if `isRead`: then nothing is lost but its answer.
 */
async function later(options, job, isRead = false) {
  const signal = options?.abortSignal
  signal?.throwIfAborted()
  try {
    return await (signal && isRead ? unlessAborted(signal, job()) : job())
  } catch (error) {
    throw traced(error, later)
  }
}

/** The outcome of the promise, or the reason of the signal if it is faster. */
async function unlessAborted(signal, promise) {
  let abort
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Runs a write that is queued with the store. A signal gives it up as long as it has not been begun: then nothing of it
 * is done. `job` is handed the number of its promise, and what gives it up, if there is a signal.
 */
async function queued(options, GivingUp, job) {
  const signal = options?.abortSignal
  signal?.throwIfAborted()
  try {
    return await (signal ? unlessGivenUp(signal, new GivingUp(), job) : promised(job))
  } catch (error) {
    throw traced(error, queued)
  }
}

/** The outcome of the write, or the reason of the signal if that came before the write was begun. */
async function unlessGivenUp(signal, givingUp, job) {
  const write = promised((promise) => job(promise, givingUp))
  let giveUp
  try {
    return await new Promise((resolve, reject) => {
      giveUp = () => givingUp.giveUp() && reject(signal.reason)
      signal.addEventListener('abort', giveUp, { once: true })
      write.then(resolve, reject)
    })
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

module.exports = { RestError, failure, later, queued }
