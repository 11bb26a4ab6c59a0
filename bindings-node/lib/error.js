'use strict'

const codes = require('./errors.js')

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

/** The error of an argument of a wrong type, which the native part has not been asked about. */
function wrongType(message, property) {
  const { status, class: className } = codes.InvalidInput
  return failure(true, 'InvalidInput', status, className, message, { property })
}

module.exports = { RestError, failure, traced, wrongType }
