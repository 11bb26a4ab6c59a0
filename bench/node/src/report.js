'use strict'
// Goals, results, and the table that shows both: the form is that of bench/rust.

const fs = require('node:fs')
const { spread } = require('./measure.js')

const LANG = 'node'
const NONE = 'none'
const rounded = (figure) => (figure === undefined ? null : Math.round(figure * 1000) / 1000)

const goalsOf = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).filter((goal) => goal.lang === LANG)

function line(layout, op, peer, sample) {
  const ours = sample?.figures.get('entable')
  const theirs = sample?.figures.get(peer)
  // A ratio is taken within each round.
  const ratios = peer === NONE ? ours : theirs && ours?.map((figure, at) => figure / theirs[at])
  const [least, median, most] = ratios ? spread(ratios) : []
  return {
    lang: LANG,
    op,
    layout,
    peer,
    ratio: rounded(median),
    goal: null,
    met: null,
    spread: ratios ? [rounded(least), rounded(most)] : null,
    unit: sample?.unit ?? '',
    entable: rounded(ours && spread(ours)[1]),
    against: rounded(theirs && spread(theirs)[1]),
  }
}

/** The lines of a layout: every goal, measured or not, then what was measured beside. */
function linesOf(layout, samples, goals) {
  const wanted = goals.filter((goal) => goal.layouts.includes(layout))
  const lines = wanted.map((goal) => {
    const found = line(layout, goal.op, goal.peer, samples.find((sample) => sample.op === goal.op))
    return { ...found, goal: goal.at_most, met: found.ratio !== null && found.ratio <= goal.at_most }
  })
  for (const sample of samples) {
    for (const peer of sample.figures.keys()) {
      const hasGoal = wanted.some((goal) => goal.op === sample.op && goal.peer === peer)
      if (peer !== 'entable' && !hasGoal) lines.push(line(layout, sample.op, peer, sample))
    }
  }
  return lines
}

/** Puts the lines in place of those of their layouts; what other languages' programs wrote stays. */
function write(file, lines) {
  const old = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : []
  const kept = old.filter((row) => row.lang !== LANG || !lines.some((one) => one.layout === row.layout))
  const rows = [...kept, ...lines].map((row) => `  ${JSON.stringify(row)}`)
  fs.writeFileSync(file, `[\n${rows.join(',\n')}\n]\n`)
}

/** The lines as a Markdown table. */
function print(lines) {
  const short = (figure) => (figure === null ? '-' : figure >= 100 ? figure.toFixed(0) : figure.toFixed(2))
  const text = ['| layout | op | entable | peer | its figure | ratio (spread) | goal | met |', '|---|---|---|---|---|---|---|---|']
  for (const { layout, op, peer, ratio, goal, met, spread: range, unit, entable, against } of lines) {
    const shown = ratio === null ? 'not measured' : `${ratio.toFixed(2)} (${range.map((figure) => figure.toFixed(2)).join(' to ')})`
    text.push(`| ${layout} | ${op} | ${short(entable)} ${unit} | ${peer} | ${short(against)} | ${shown} | ${goal ?? ''} | ${met === null ? '' : met ? 'yes' : '**no**'} |`)
  }
  const judged = lines.filter((one) => one.met !== null)
  text.push('', `${judged.filter((one) => one.met).length} of ${judged.length} goals met.`)
  process.stdout.write(`${text.join('\n')}\n`)
}

module.exports = { goalsOf, linesOf, print, write }
