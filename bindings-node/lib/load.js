'use strict'
// Finds the native part: built into this folder, or in a package of its own for the platform.

const { failure } = require('./error.js')
const { DateTime } = require('./datetime.js')

/** The names that napi gives its builds: platform, processor, and the C library or ABI where there are several. */
function target() {
  const { platform, arch } = process
  if (platform === 'linux') {
    const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined
    return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`
  }
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

function load() {
  const name = target()
  for (const place of [`../entable.${name}.node`, `entable-${name}`]) {
    try {
      return require(place)
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new Error(
    `entable has no native part for ${name}. In a checkout, build it: cd bindings-node && npm ci --ignore-scripts && npm run build`,
  )
}

const native = load()
native.register(failure, (ticks) => new DateTime(ticks))

module.exports = native
