'use strict'
// Makes what is published: `node packages.js OUT` packs the package without a native part, and one package for each
// native part that lies in this folder. npm installs the one that fits the machine, and no other.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const targets = require('./targets.json')
const { devDependencies, scripts, napi, ...manifest } = require('./package.json')

const LICENCES = ['LICENSE-MIT', 'LICENSE-APACHE']

/** Packs a folder that has these files, the licences and this manifest; gives the path of the archive. */
function pack(out, staged, files) {
  const folder = fs.mkdtempSync(path.join(out, 'staged-'))
  try {
    for (const file of files) fs.cpSync(path.join(__dirname, file), path.join(folder, file), { recursive: true })
    for (const file of LICENCES) fs.copyFileSync(path.join(__dirname, '..', file), path.join(folder, file))
    fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ ...staged, files: [...files, ...LICENCES] }, null, 2)}\n`)
    // One text for a shell: npm is a script of the shell on Windows.
    const [packed] = JSON.parse(execFileSync(`npm pack --json --pack-destination "${out}"`, { cwd: folder, encoding: 'utf8', shell: true, stdio: ['ignore', 'pipe', 'ignore'] }))
    return path.join(out, packed.filename)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

/** Packs everything into the folder; gives the paths of the archives, the package itself first. */
function packages(out) {
  fs.mkdirSync(out, { recursive: true })
  const { version, license, engines } = manifest
  const optionalDependencies = Object.fromEntries(Object.keys(targets).map((name) => [`entable-${name}`, version]))
  const made = [pack(out, { ...manifest, optionalDependencies }, ['lib', 'README.md'])]
  for (const [name, { os, cpu, libc }] of Object.entries(targets)) {
    const file = `entable.${name}.node`
    if (!fs.existsSync(path.join(__dirname, file))) continue
    const description = `The native part of entable for ${name}: installed with it`
    const own = { name: `entable-${name}`, version, description, license, engines, main: file, os: [os], cpu: [cpu] }
    made.push(pack(out, libc === undefined ? own : { ...own, libc: [libc] }, [file]))
  }
  return made
}

module.exports = { packages }

if (require.main === module) {
  if (process.argv.length !== 3) {
    process.stderr.write('node packages.js OUT\n')
    process.exit(2)
  }
  for (const made of packages(path.resolve(process.argv[2]))) process.stdout.write(`${made}\n`)
}
