'use strict'
// Employees: ten properties, all of them always there; everything in one derives from its number, as in bench/rust.

const FIRST_NAMES = 'Alexandra Bo Charlotte Dmitri Eun Fatima Giovanni Hana Ibrahim Jo Katarzyna Liam Maximilian Nia Oluwaseun Priya'.split(' ')
const LAST_NAMES = 'Andersson Brown Castellanos Dunn Eriksen Fernandez Goldstein Ho Ivanova Jimenez Kowalczyk Li Montgomery Ng Okonkwo Papadopoulos'.split(' ')
const MS_2000 = 946_684_800_000

/** A 32-bit hash, the same as in the other languages. */
function mix(i, salt) {
  let x = (i ^ Math.imul(salt, 0x9e3779b9)) >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}

const padded = (number, width) => String(number).padStart(width, '0')

/** The city of a rank from 0 to 999. */
const cityOf = (rank) => `City${padded(rank, 3)}-${LAST_NAMES[rank % 16]}`

/** Rank 0 has a tenth of the rows, rank 200 about 0.1 %, rank 999 0.033 %. */
function cityRank(i) {
  const u = mix(i, 4) / 4_294_967_296
  return Math.floor(1000 * u * u * u)
}

const partitionKey = (i, partitions) => `dept_${padded(i % partitions, 5)}`
const rowKey = (i) => `empid_${padded(i, 8)}`

function badge(i) {
  const bytes = Buffer.alloc(16)
  for (let at = 0; at < 4; at++) bytes.writeUInt32BE(mix(i, 10 + at), at * 4)
  return bytes
}

/** Row number `i`, as a program in JavaScript would have it. */
function employee(i, partitions) {
  const [first, last] = [FIRST_NAMES[mix(i, 1) % 16], LAST_NAMES[mix(i, 2) % 16]]
  return {
    partitionKey: partitionKey(i, partitions),
    rowKey: rowKey(i),
    First: first,
    Last: last,
    Email: `${first.toLowerCase()}.${last.toLowerCase()}.${i}@example.com`,
    City: cityOf(cityRank(i)),
    Age: 18 + (mix(i, 5) % 50),
    Salary: 30_000 + (mix(i, 6) % 9_000_000) / 100,
    Hired: new Date(MS_2000 + Math.floor(mix(i, 7) * 0.18)),
    Active: mix(i, 8) % 10 !== 0,
    Badge: badge(i),
    Notes: `note ${mix(i, 9).toString(16).padStart(8, '0')} the quick brown fox jumps over the lazy dog ${padded(i % 1_000_000, 6)}`,
  }
}

/** The filters that every peer answers, as tests of a row. */
const ASKS = {
  city: (city) => ({ city, test: (row) => row.City === city }),
  three: (city) => ({ city, isThree: true, test: (row) => row.City === city && row.Age > 60 && !row.Active }),
  age: () => ({ test: (row) => row.Age > 60 }),
}

module.exports = { ASKS, cityOf, employee, mix, partitionKey, rowKey }
