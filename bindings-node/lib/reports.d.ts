// Indexes as they are declared, and what a store tells of its queries, its file and itself.

/** An index that is to be declared. */
export interface IndexDefinition {
  /** 1 to 255 characters; names are told apart by exact case. */
  name: string
  /** What is indexed, the first one first: 1 to 16 properties. `rowKey` and `timestamp` may be among them. */
  properties: string[]
  /** Whether it looks through the whole table, the default, or within a partition. */
  scope?: 'table' | 'partition'
  /** What an entry holds of its entity, so that queries need not read the row: the keys alone by default. */
  projection?: 'keys' | 'all' | string[]
  /** Whether a value may be there once only, in the table or in each partition, as the scope says. */
  unique?: boolean
  /** Whether Strings are the same whatever their case, for `tolower(P) eq 'x'` and for `unique`. */
  foldCase?: boolean
}

/** A declared index. */
export interface IndexInfo extends Required<IndexDefinition> {
  /** Queries use one that is ready. A stale one was made by another version of Unicode, and has to be made again. */
  state: 'building' | 'ready' | 'stale'
}

/** A way to the rows: by keys, through indexes, or through all. */
export type AccessPath =
  | 'nothing'
  | 'point'
  | 'points'
  | 'range'
  | 'ranges'
  | 'partition scan'
  | 'partition scans'
  | 'skip scan'
  | 'table scan'
  | 'unique index'
  | 'index equality'
  | 'index range'
  | 'index scan'
  | 'union'

/** How a query was answered. */
export interface Explain {
  path: AccessPath
  /** The index that the way leads through, if it is one alone. */
  index?: string
  /** Whether the entries of the index held all that was asked for. */
  isCovered: boolean
  /** The filter as it was understood. */
  filter: string
  /** What was read: key ranges, or an index's name and the values. */
  ranges: string[]
  /** What was tested on each row; undefined if the keys decide. */
  residual?: string
  /** The ways that were thought of. */
  considered: Array<{ path: AccessPath; index?: string; rows: number; isTaken: boolean }>
  rowsEstimated: number
  entriesRead: number
  rowsRead: number
  rowsReturned: number
  /** What the cloud service would answer otherwise, a sentence each. */
  cloud: string[]
  /** Terms that no stored row can answer, a sentence each. */
  warnings: string[]
  /** All of it for people; its form may change. */
  text: string
}

/** What an index holds, and how often it was used. */
export interface IndexStats {
  name: string
  /** One for each entity, as far as it is built. */
  entries: number
  /** Entries of entities that have none of the indexed properties. */
  missing: number
  /** Different values of all properties together, missing ones left out. */
  distinctValues: number
  /** The part of all entries that the most frequent of these values has: from 0 to 1. */
  mostFrequentShare: number
  /** Bytes of the entries' keys and values. */
  bytes: number
  /** Pages of queries, counts and deletes that went through it, in this process since it opened the file. */
  uses: number
}

/** What would make writes or queries cheaper, why, and how. */
export interface Advice {
  /** `"other"`: what this version has no name for; the texts tell. */
  kind: 'unused' | 'not discriminating' | 'redundant' | 'stale' | 'missing' | 'other'
  tableName: string
  /** The index, if it is about one. */
  index?: string
  /** The filter, with a `?` in the place of each constant, if it is about one. */
  filter?: string
  /** A sentence, with numbers. */
  reason: string
  /** The call that would help, as Rust writes it. */
  call: string
}

/** What a backup or a compaction has made. */
export interface Copied {
  /** Records in the new file. */
  records: number
  /** Bytes of the file that was copied. */
  bytesBefore: number
  /** Bytes of the new file. */
  bytesAfter: number
}

/** One contradiction in a file. */
export interface Finding {
  /** Counted from 0 in pages of 4,096 bytes; undefined where it is about the whole file. */
  page?: number
  /** Such as `"row"`, `"index entry"`, `"free pages"`. */
  kind: string
  /** False for what a newer version has written, and for pages that are lost until the store is compacted. */
  isDamage: boolean
  table?: string
  partitionKey?: string
  rowKey?: string
  /** What is wrong. */
  sentence: string
}

/** What `verify` has seen of a file. */
export interface Report {
  isClean: boolean
  pages: number
  usedPages: number
  freePages: number
  leakedPages: number
  tables: number
  entities: number
  indexEntries: number
  changes: number
  /** The first 1,000 findings. */
  findings: Finding[]
  findingCount: number
  damageCount: number
  /** All of it for people; its form may change. */
  text: string
}

/** How long something took. Quantiles are at most a quarter too high. */
export interface Latency {
  samples: number
  p50Ms: number
  p90Ms: number
  p99Ms: number
  maxMs: number
}

/** How large something was. Quantiles are at most a quarter too high. */
export interface Sizes {
  count: number
  sum: number
  p50: number
  p99: number
  max: number
}

/** What a store says of itself: by this process, since it opened the file. */
export interface Stats {
  /** Reads of one entity: a sample. */
  reads: Latency
  /** Pages of queries: a sample. */
  queries: Latency
  /** Every commit. */
  commits: Latency
  /** How many groups shared a commit. */
  commitGroups: Sizes
  /** Bytes that a commit put. */
  commitBytes: Sizes
  /** Records that a group put or deleted. */
  groupChanges: Sizes
  /** Pages of queries, by their way to the rows. */
  queryKinds: Array<{ path: AccessPath; pages: number }>
  file: { bytes: number; pageBytes: number; usedPages: number; freePages: number }
  databases: Array<{ name: string; records: number; bytes: number }>
  readers: {
    /** For how long each snapshot and copy of this process has been open, the oldest first. */
    heldMs: number[]
    slotsUsed: number
    slots: number
  }
  /** The partitions that are read and written most; shares of all, from 0 to 1. */
  busiestPartitions: Array<{ table: string; partitionKey: string; leastShare: number; mostShare: number }>
  /** By how much the last Timestamp given is ahead of the clock. */
  timestampLeadMs: number
  /** All of it for people; its form may change. */
  text: string
}
