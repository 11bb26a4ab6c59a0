'use strict'

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

/**
 * Runs `job`, which returns a promise of the native part, and rejects with the stack of the caller: the native part
 * makes its errors when no JavaScript is running.
 */
async function later(options, job) {
  options?.abortSignal?.throwIfAborted()
  try {
    return await job()
  } catch (error) {
    if (failures.has(error)) Error.captureStackTrace(error, later)
    throw error
  }
}

module.exports = { RestError, failure, later }
