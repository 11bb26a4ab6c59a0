'use strict'
// Finds the native part: built into this folder, or in a package of its own for the platform. The paths are literals, so
// that a bundler sees them.

const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { failure } = require('./error.js')
const { DateTime } = require('./datetime.js')
const { settle } = require('./settle.js')
const { packer } = require('./pack.js')
const shapes = require('./shape.js')

/** Where the native part is, for each target that it is made for; the names are those that napi gives its builds. */
const PLACES = {
  'linux-x64-gnu': [() => require('../entable.linux-x64-gnu.node'), () => require('entable-linux-x64-gnu')],
  'linux-x64-musl': [() => require('../entable.linux-x64-musl.node'), () => require('entable-linux-x64-musl')],
  'linux-arm64-gnu': [() => require('../entable.linux-arm64-gnu.node'), () => require('entable-linux-arm64-gnu')],
  'darwin-x64': [() => require('../entable.darwin-x64.node'), () => require('entable-darwin-x64')],
  'darwin-arm64': [() => require('../entable.darwin-arm64.node'), () => require('entable-darwin-arm64')],
  'win32-x64-msvc': [() => require('../entable.win32-x64-msvc.node'), () => require('entable-win32-x64-msvc')],
}

/** Platform, processor, and the C library or ABI where there are several. */
function target() {
  const { platform, arch } = process
  if (platform === 'linux') {
    const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined
    return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`
  }
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

/** Why there is none for this target, and what to do. */
function missing(name) {
  if (existsSync(join(__dirname, '../Cargo.toml'))) return 'Build it: npm ci --ignore-scripts && npm run build.'
  if (!PLACES[name]) return `There is no build for this platform: there are ${Object.keys(PLACES).join(', ')}.`
  return `The package entable-${name} is not installed: npm leaves it out with --omit=optional, or when node_modules was made on another platform. Repair it: npm install --force entable-${name}.`
}

function load() {
  const name = target()
  for (const place of PLACES[name] ?? []) {
    try {
      return place()
    } catch (error) {
      // That it is there and does not load is another matter, and has its own reason.
      if (error.code !== 'MODULE_NOT_FOUND') {
        const why =
          error.code === 'ERR_DLOPEN_DISABLED'
            ? 'Node was started with --no-addons, or with its permission model: start it without, or with --allow-addons.'
            : `The file is damaged, or the system is older than what it was made for. Repair it: npm install --force entable-${name}.`
        throw new Error(`entable's native part for ${name} does not load: ${error.message.replace(/\.$/, '')}. ${why}`, { cause: error })
      }
    }
  }
  throw new Error(`entable has no native part for ${name}. ${missing(name)}`)
}

const native = load()
native.register(failure, (ticks) => new DateTime(ticks), shapes, packer(native.learnShape), settle)

module.exports = native
