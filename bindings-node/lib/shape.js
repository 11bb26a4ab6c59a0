'use strict'

/**
 * The function that makes objects of these members, in this order, from their values. The native part calls this once for
 * each list of names. A literal is quickest; where code may not be made of strings, a loop does the same.
 */
function maker(names) {
  const values = names.map((_, at) => `v${at}`)
  // In brackets, the name that would set what the object inherits from is one like others.
  const member = (name, at) => `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}:v${at}`
  try {
    return new Function(...values, `return {${names.map(member)}}`)
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    return (...all) => {
      const object = {}
      for (const [at, name] of names.entries()) {
        if (name === '__proto__') Object.defineProperty(object, name, { value: all[at], writable: true, enumerable: true, configurable: true })
        else object[name] = all[at]
      }
      return object
    }
  }
}

module.exports = { maker }
