'use strict'
// The package as npm makes it: what is in it, and that both kinds of modules find it.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { build } = require('esbuild')
const { packages } = require('../packages.js')
const targets = require('../targets.json')

const ROOT = path.join(__dirname, '..')
const PROGRAM = `
const store = Store.openSync(':memory:')
const orders = store.createTableSync('Orders')
orders.createEntitySync({ partitionKey: 'DE', rowKey: '0001', Total: 12.5 })
console.log(orders.getEntitySync('DE', '0001').Total)`

/** A folder that goes with the test. */
function folder(context) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'entable-'))
  context.after(() => fs.rmSync(made, { recursive: true }))
  return made
}

/** Packs the package, and unpacks it where a project would have it: without a registry. */
function installed(context) {
  const place = folder(context)
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', place], { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] }))
  const target = path.join(place, 'node_modules/entable')
  fs.mkdirSync(target, { recursive: true })
  execFileSync('tar', ['xf', path.join(place, packed.filename), '--strip-components=1', '-C', target])
  return { place, packed, target }
}

test('the packed package works from both kinds of modules', (context) => {
  const { place, packed, target } = installed(context)
  const files = packed.files.map((file) => file.path)
  assert.ok(files.includes('lib/index.d.ts') && files.includes('lib/index.d.mts') && files.some((file) => file.endsWith('.node')))
  assert.deepEqual(files.filter((file) => /^(src|tests|node_modules)\//.test(file) || file.endsWith('.rs')), [])
  const { dependencies, scripts } = JSON.parse(fs.readFileSync(path.join(target, 'package.json'), 'utf8'))
  assert.equal(dependencies, undefined)
  assert.deepEqual(Object.keys(scripts).filter((name) => name.includes('install')), [])
  fs.writeFileSync(path.join(place, 'a.mjs'), `import { Store } from 'entable'${PROGRAM}`)
  fs.writeFileSync(path.join(place, 'b.cjs'), `const { Store } = require('entable')${PROGRAM}`)
  for (const file of ['a.mjs', 'b.cjs']) {
    assert.equal(execFileSync(process.execPath, [file], { cwd: place, encoding: 'utf8' }).trim(), '12.5', file)
  }
})

test('the example of the readme runs in both kinds of modules', (context) => {
  const { place } = installed(context)
  const [, esm] = /```js\n([\s\S]*?)```/.exec(fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8'))
  const [line] = esm.split('\n')
  const cjs = esm.replace(line, line.split('// or: ')[1])
  fs.writeFileSync(path.join(place, 'a.mjs'), esm)
  fs.writeFileSync(path.join(place, 'b.cjs'), `(async () => {${cjs}})()`)
  for (const file of ['a.mjs', 'b.cjs']) {
    assert.equal(execFileSync(process.execPath, [file], { cwd: place, encoding: 'utf8' }), '0001 12.5 true\n13.5\n', file)
  }
})

test('what is published installs into an empty folder, the native part from a package of its own', (context) => {
  const place = folder(context)
  const archives = packages(path.join(place, 'packed'))
  assert.ok(archives.length >= 2, 'there is no native part to pack')
  fs.writeFileSync(path.join(place, 'package.json'), '{ "private": true }')
  const arguments_ = ['install', '--offline', '--no-audit', '--no-fund', ...archives]
  execFileSync('npm', arguments_, { cwd: place, stdio: ['ignore', 'ignore', 'pipe'] })
  const at = path.join(place, 'node_modules/entable')
  assert.deepEqual(fs.readdirSync(at).sort(), ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'lib', 'package.json'])
  fs.writeFileSync(path.join(place, 'a.mjs'), `import { Store } from 'entable'${PROGRAM}`)
  fs.writeFileSync(path.join(place, 'b.cjs'), `const { Store } = require('entable')${PROGRAM}`)
  for (const file of ['a.mjs', 'b.cjs']) {
    assert.equal(execFileSync(process.execPath, [file], { cwd: place, encoding: 'utf8' }).trim(), '12.5', file)
  }
  const { dependencies, optionalDependencies, version } = JSON.parse(fs.readFileSync(path.join(at, 'package.json'), 'utf8'))
  assert.equal(dependencies, undefined)
  assert.deepEqual(optionalDependencies, Object.fromEntries(Object.keys(targets).map((name) => [`entable-${name}`, version])))
})

test('every target is known to the loader, to the builds and to the workflow', () => {
  const text = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8')
  const loaded = [...text('lib/load.js').matchAll(/require\('entable-(\S+)'\)/g)].map(([, name]) => name)
  assert.deepEqual(loaded, Object.keys(targets))
  const rust = Object.values(targets).map((target) => target.rust)
  assert.deepEqual(require('../package.json').napi.targets, rust)
  const workflow = text('../.github/workflows/node.yml')
  const built = [...workflow.matchAll(/\{ target: (\S+), rust: (\S+),/g)].map(([, name, triple]) => [name, triple])
  assert.deepEqual(built, Object.entries(targets).map(([name, target]) => [name, target.rust]))
})

test('a bundle of esbuild, with the native part left outside', async (context) => {
  const { place, target } = installed(context)
  const addon = fs.readdirSync(target).find((file) => file.endsWith('.node'))
  fs.writeFileSync(path.join(place, 'a.mjs'), `import { Store } from 'entable'${PROGRAM}`)
  const options = { entryPoints: [path.join(place, 'a.mjs')], bundle: true, platform: 'node', external: ['*.node', 'entable-*'], logLevel: 'silent' }
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }
  for (const [outfile, more] of [['out/bundle.cjs', { format: 'cjs' }], ['out/bundle.mjs', { format: 'esm', banner }], ['out/small.cjs', { minify: true }]]) {
    const { warnings, errors } = await build({ ...options, ...more, outfile: path.join(place, outfile) })
    assert.deepEqual([warnings, errors], [[], []], outfile)
  }
  // The bundle finds the native part where the package has it: one folder up.
  fs.copyFileSync(path.join(target, addon), path.join(place, addon))
  fs.rmSync(path.join(place, 'node_modules'), { recursive: true })
  for (const file of ['bundle.cjs', 'bundle.mjs', 'small.cjs']) {
    const printed = execFileSync(process.execPath, [path.join(place, 'out', file)], { cwd: os.tmpdir(), encoding: 'utf8' })
    assert.equal(printed.trim(), '12.5', file)
  }
})

test('the native part of a release takes less than 3 MB on the way to who installs it', { skip: process.env.ENTABLE_LONG === undefined && 'ENTABLE_LONG' }, (context) => {
  const place = folder(context)
  const [, native] = packages(path.join(place, 'packed'))
  const debug = fs.statSync(path.join(ROOT, path.basename(native).replace(/^entable-(.*)-[\d.]+\.tgz$/, 'entable.$1.node'))).size
  // With names for a debugger in it, it is none.
  if (debug > 8e6) return context.skip('npm run build -- --release')
  assert.ok(fs.statSync(native).size < 3e6, `${fs.statSync(native).size} bytes`)
  // Unpacked it is larger: built for size alone it is 2.9 MB, and a tenth to a quarter slower.
  assert.ok(debug < 4.6e6, `${debug} bytes`)
})

test('a native part cannot be loaded where Node may load none', (context) => {
  const { place } = installed(context)
  const { stderr } = spawnSync(process.execPath, ['--no-addons', '-e', "require('entable')"], { cwd: place, encoding: 'utf8' })
  assert.match(stderr, /native part for \S+ does not load: .*--no-addons.*--allow-addons/)
})

test('a native part that is missing, or is none, is named with what to do', (context) => {
  const { place, target } = installed(context)
  const addon = fs.readdirSync(target).find((file) => file.endsWith('.node'))
  const stderr = () => spawnSync(process.execPath, ['-e', "require('entable')"], { cwd: place, encoding: 'utf8' }).stderr
  fs.writeFileSync(path.join(target, addon), 'no library')
  assert.match(stderr(), /native part for \S+ does not load: .*npm install --force entable-/)
  fs.rmSync(path.join(target, addon))
  assert.match(stderr(), /no native part for \S+\. .*npm install --force entable-\S+\.\n/)
  const elsewhere = `Object.defineProperty(process, 'platform', { value: 'aix' }); require('entable')`
  const { stderr: none } = spawnSync(process.execPath, ['-e', elsewhere], { cwd: place, encoding: 'utf8' })
  assert.match(none, /no native part for aix-\S+\. There is no build for this platform: there are linux-x64-gnu, .*win32-x64-msvc\.\n/)
  // In a checkout, what makes it.
  fs.writeFileSync(path.join(target, 'Cargo.toml'), '')
  assert.match(stderr(), /no native part for \S+\. Build it: npm ci --ignore-scripts && npm run build\.\n/)
})
