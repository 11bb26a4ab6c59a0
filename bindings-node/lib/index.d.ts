/// <reference types="node" />
import type { ErrorClass, ErrorCode } from './errors.js'
import type { Advice, Copied, Explain, IndexDefinition, IndexInfo, IndexStats, Report, Stats } from './reports.js'

export type { ErrorClass, ErrorCode }
export type * from './reports.js'
export * as patterns from './patterns.js'

/** Which limits and which filter language hold; not stored in the file. */
export type Mode = 'portable' | 'strict' | 'extended'

/** How a store is opened. */
export interface StoreOptions {
  /**
   * `"portable"`, the default: the service's limits, and filters that compare numbers by value whatever their types.
   * `"strict"`: whatever the service refuses is refused. `"extended"`: the limits are those of the store.
   */
  mode?: Mode
  /** Refuses every write. The file must exist. */
  readOnly?: boolean
  /**
   * Opens for reading only, a file that nobody writes as long as it is open: without locks, and without the lock file
   * beside it. If it is written all the same, reads may be wrong.
   */
  immutable?: boolean
  /** Refuses to make a file that is not there. */
  mustExist?: boolean
  /** Goes through the whole file before it is opened, as `verify` does, and refuses one that is damaged. */
  check?: boolean
  /**
   * The bytes that the file may take, at least 1 MiB: writes that would go beyond are `QuotaExceeded`, but for deletes. Kept
   * in the file, for every process; without this option it stays as it is, and 0 takes it away.
   */
  maxSize?: number
  /** Gives the time of writes, instead of the system's clock: for tests. */
  clock?: Clock
}

/** A clock that is set by hand. Timestamps rise with every write, whatever it says. */
export class Clock {
  constructor(now: Date)
  set(now: Date): void
}

/** What the official clients ask of an `AbortSignal`, which is one; without a reason, that is an AbortError. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: (this: AbortSignalLike, event: any) => any, options?: any): void
  removeEventListener(type: 'abort', listener: (this: AbortSignalLike, event: any) => any, options?: any): void
}

/**
 * Options of every call that returns a promise. What the official client takes beside the signal may be there, and says
 * nothing; any other option that a call does not know is a TypeError.
 */
export interface OperationOptions {
  /**
   * Aborts the call: a read at once, a query in the midst of its page; a write of entities as long as it waits for its
   * turn, and a deletion by filter while it looks for its entities, and then nothing of it is done; other calls before they
   * have begun. Rejects with the signal's reason.
   */
  abortSignal?: AbortSignalLike
}

/** The types of the data model. */
export type EdmTypes = 'Binary' | 'Boolean' | 'DateTime' | 'Double' | 'Guid' | 'Int32' | 'Int64' | 'String'

/** What the value of a stated type may be; the text is the one that the service writes. */
export type EdmValue<T extends EdmTypes = EdmTypes> = T extends 'Boolean'
  ? boolean | string
  : T extends 'Double' | 'Int32'
    ? number | string
    : T extends 'Int64'
      ? bigint | number | string
      : T extends 'DateTime'
        ? Date | string
        : T extends 'Binary'
          ? Uint8Array | string
          : string

/** A value with its type. Guids are given out so, everything with `disableTypeConversion`. */
export interface Edm<T extends EdmTypes = EdmTypes> {
  type: T
  value: EdmValue<T>
}

/** A value of `disableTypeConversion`: always text. */
export interface EdmText<T extends EdmTypes = EdmTypes> {
  type: T
  value: string
}

/**
 * What a property may be set to. A `number` has no type of its own: it takes the type that the stored property has, if
 * it fits that exactly, else Int32, Int64 or Double, the first that fits. `null` and `undefined` leave the property out.
 */
export type PropertyValue = string | number | boolean | bigint | Date | Uint8Array | Edm | null | undefined

/** A number that a merge adds to what the property has, as one step; the property keeps its type. */
export interface Add {
  type: 'Add'
  value: number | bigint | Edm<'Int32' | 'Int64' | 'Double'>
}

/** Stands for a property that a merge takes out of the entity. */
export interface Remove {
  type: 'Remove'
}

/** What a merge of a `T` may say. */
export type Changes<T> = { [K in keyof T]?: T[K] | Add | Remove }

/** What every member of an interface has to be, to be stored. */
export type Storable<T> = { [K in keyof T]: PropertyValue }

/** Whether nothing is known of the entities of a table. */
type IsUntyped<T> = string extends keyof T ? true : false

/** What goes into a table of `T`; into one of which nothing is known, `U`. */
type Given<T, U> = IsUntyped<T> extends true ? U : T

/** The names that a projection of `T` may have. */
export type Selectable<T> =
  IsUntyped<T> extends true ? string : (keyof T & string) | 'partitionKey' | 'rowKey' | 'timestamp' | 'etag'

/** What is left of `T` in a projection on `K`. */
type Selected<T, K> = IsUntyped<T> extends true ? T : Pick<T, Extract<keyof T, K>>

/** An entity as it is handed in. `etag` and `timestamp` of one that was read are ignored. */
export type TableEntity<T extends object = Record<string, unknown>> = T & {
  /** PartitionKey. */
  partitionKey: string
  /** RowKey. */
  rowKey: string
}

/** An entity that was read. The keys and the timestamp are there if they are selected. */
export type TableEntityResult<T extends object = Record<string, unknown>> = T & {
  /** The version, for conditional writes. */
  etag: string
  partitionKey?: string
  rowKey?: string
  /** When the entity was last written, with all seven decimals. */
  timestamp?: string
}

/** The answer of `getEntity`. */
export type GetTableEntityResponse<T extends object = Record<string, unknown>> = TableEntityResult<T>

/** What a query asks for. */
export interface TableEntityQueryOptions<K extends string = string> {
  /** The filter's text, in the service's names: `PartitionKey`, `RowKey`, `Timestamp`. */
  filter?: string
  /** Values of the `@name`s in the filter. */
  parameters?: Record<string, Exclude<PropertyValue, null | undefined>>
  /** These properties only. */
  select?: K[]
  /** At most so many entities in all. */
  limit?: number
  /** Largest keys first; with `orderBy`, largest values first. Refused in strict mode. */
  descending?: boolean
  /**
   * The order of the answer: by this property, or by these, in the order of an index that has them. Without such an
   * index the query is `NotImplemented`. Refused in strict mode.
   */
  orderBy?: string | string[]
  /** Reads and compares by the rules of this mode instead of the store's. */
  mode?: Mode
}

export interface GetTableEntityOptions<K extends string = string> extends OperationOptions {
  queryOptions?: Pick<TableEntityQueryOptions<K>, 'select'>
  /** Gives every value as `{type, value}`, the value as text. */
  disableTypeConversion?: boolean
}

export interface ListTableEntitiesOptions<K extends string = string> extends OperationOptions {
  queryOptions?: TableEntityQueryOptions<K>
  /** Gives every value as `{type, value}`, the value as text. */
  disableTypeConversion?: boolean
}

export interface CountEntitiesOptions extends OperationOptions {
  queryOptions?: Pick<TableEntityQueryOptions, 'filter' | 'parameters' | 'limit' | 'mode'>
}

export interface DeleteEntitiesOptions extends OperationOptions {
  /** Which entities; `{}` is all of the table. */
  queryOptions: Pick<TableEntityQueryOptions, 'filter' | 'parameters' | 'limit' | 'descending' | 'orderBy' | 'mode'>
  /**
   * Deletes in steps of at most so many, each a transaction of its own: other writers get their turn in between, and
   * what was deleted before an error stays deleted. Without it all go in one transaction, or none.
   */
  chunk?: number
}

/** What a listing of tables asks for. */
export type TableQueryOptions = Pick<TableEntityQueryOptions, 'filter' | 'parameters'>

export interface ListTableItemsOptions extends OperationOptions {
  queryOptions?: TableQueryOptions
}

/** On what condition a write is done. */
export interface ConditionOptions {
  /** Only if the entity is there in this version; `"*"`: in any. */
  etag?: string
  /** Only if the entity is not there: for upserts. */
  ifAbsent?: boolean
  /** Only if the entity is there, and is one that this filter takes, as it is stored before the write. */
  filter?: string
  /** Values of the `@name`s in the filter. */
  parameters?: Record<string, Exclude<PropertyValue, null | undefined>>
}

export interface UpdateTableEntityOptions extends OperationOptions, ConditionOptions {}
export interface DeleteTableEntityOptions extends OperationOptions, ConditionOptions {}

/** What happens to the properties that an update does not name: they stay, or they are removed. */
export type UpdateMode = 'Merge' | 'Replace'

/** What a write did. */
export interface WriteResponse {
  /** The entity's new version. */
  etag: string
  /** The entity's new Timestamp, cut to milliseconds. */
  date: Date
}
export type CreateTableEntityResponse = WriteResponse
export type UpdateEntityResponse = WriteResponse
export type UpsertEntityResponse = WriteResponse
export type DeleteTableEntityResponse = Record<string, never>

/** What `createOrGetEntity` gives: the entity that is there now, and whether it was created. */
export interface CreateOrGetEntityResponse<T extends object = Record<string, unknown>> {
  created: boolean
  entity: TableEntityResult<T>
}

/** A part of a list: an array, and where the next part begins. */
export type Page<T> = T[] & {
  /** Text to go on with, also later and in another process; undefined at the end, and nothing else tells the end. */
  continuationToken?: string
}
export type TableEntityResultPage<T extends object = Record<string, unknown>> = Page<TableEntityResult<T>>
export type TableItemResultPage = Page<TableItem>

export interface PageSettings {
  /** Where a page ended. */
  continuationToken?: string
  /** Items in a page; 1,000 entities if it is not given. */
  maxPageSize?: number
}

/** A list that is read page by page while the loop goes on with other things. Errors come with the first item. */
export interface PagedAsyncIterableIterator<T> extends AsyncIterableIterator<T> {
  [Symbol.asyncIterator](): PagedAsyncIterableIterator<T>
  byPage(settings?: PageSettings): AsyncIterableIterator<Page<T>>
}

/** A list that is read page by page. Errors come with the first item. */
export interface PagedIterableIterator<T> extends IterableIterator<T> {
  [Symbol.iterator](): PagedIterableIterator<T>
  byPage(settings?: PageSettings): IterableIterator<Page<T>>
}

export interface TableItem {
  name: string
}

/** The keys of an entity. */
export interface EntityKeys {
  partitionKey: string
  rowKey: string
}

/** A new entity, or one that is removed. */
export type CreateDeleteEntityAction = ['create', TableEntity<object>] | ['delete', EntityKeys, UpdateTableEntityOptions?]

/** An entity that is stored unless it is there, or gets other keys: the service has none of these. */
export type OwnEntityAction =
  | ['createOrGet', TableEntity<object>]
  | ['move', EntityKeys, EntityKeys, UpdateTableEntityOptions?]

/** An entity that is changed. */
export type UpdateEntityAction = [
  'update' | 'upsert',
  TableEntity<object>,
  (UpdateMode | UpdateTableEntityOptions)?,
  UpdateTableEntityOptions?,
]

/** One operation of a transaction. A signal in its options says nothing: the transaction has one. */
export type TransactionAction = CreateDeleteEntityAction | UpdateEntityAction | OwnEntityAction

export interface TableTransactionEntityResponse {
  status: number
  /** The entity's new version; undefined for a delete. */
  etag?: string
  rowKey?: string
  /** Whether nothing was written, since `createOrGet` has found the entity. */
  found?: true
}

export interface TableTransactionResponse {
  status: number
  /** One for each action, in order. */
  subResponses: TableTransactionEntityResponse[]
  getResponseForEntity(rowKey: string): TableTransactionEntityResponse | undefined
}

/** One operation of a store-wide transaction. */
export type BatchAction =
  | [tableName: string, 'create', TableEntity<object>]
  | [tableName: string, 'delete', EntityKeys, ConditionOptions?]
  | [tableName: string, 'createOrGet', TableEntity<object>]
  | [tableName: string, 'move', EntityKeys, EntityKeys, ConditionOptions?]
  | [tableName: string, 'update' | 'upsert', TableEntity<object>, (UpdateMode | ConditionOptions)?, ConditionOptions?]

/** A file of tables. `TableServiceClient` is this to the service. */
export class Store {
  private constructor()
  /** Opens the store at `path`, made if it is not there; `":memory:"` is a new one that vanishes. */
  static open(path: string | URL, options?: StoreOptions): Promise<Store>
  static openSync(path: string | URL, options?: StoreOptions): Store

  /** A handle to a table. That there is none, or that the name is bad, shows when it is used. */
  table(tableName: string): Table
  /** The same, of which the compiler knows what its entities have. */
  table<T extends Storable<T>>(tableName: string): Table<T>

  /** Makes a table; one that is there stays as it is. */
  createTable(name: string, options?: OperationOptions): Promise<Table>
  createTable<T extends Storable<T>>(name: string, options?: OperationOptions): Promise<Table<T>>
  createTableSync(name: string): Table
  createTableSync<T extends Storable<T>>(name: string): Table<T>

  /** Deletes a table with all its entities; quiet if there is none. */
  deleteTable(name: string, options?: OperationOptions): Promise<void>
  deleteTableSync(name: string): void

  /** The tables, in the order of their lower-cased names. */
  listTables(options?: ListTableItemsOptions): PagedAsyncIterableIterator<TableItem>
  listTablesSync(options?: ListTableItemsOptions): PagedIterableIterator<TableItem>

  /** Operations on any tables and partitions, any number, an entity as often as one likes: all or nothing. */
  submitBatch(actions: BatchAction[], options?: OperationOptions): Promise<TableTransactionResponse>
  submitBatchSync(actions: BatchAction[]): TableTransactionResponse

  /**
   * Runs `work` in a transaction, which sees what it has written, and nobody else does. What it wrote is durable when
   * this returns; nothing of it is done if it throws. Waits for other writers before it begins, and they wait then.
   * Synchronous: a function that returns a promise is refused, and calls of the store that write are
   * `TransactionOpen` inside.
   */
  transactionSync<R>(work: (transaction: Transaction) => R extends PromiseLike<unknown> ? never : R): R

  /** The store as it is now, to be read for as long as one likes: with `table.at(snapshot)`. Close it soon. */
  snapshot(options?: OperationOptions): Promise<Snapshot>
  snapshotSync(): Snapshot

  /** Done when everything is durable that was written, or queued, before. */
  sync(options?: OperationOptions): Promise<void>
  syncSync(): void

  /** What the store says of itself: latencies, sizes, readers, busy partitions. */
  stats(options?: OperationOptions): Promise<Stats>
  statsSync(): Stats

  /** What would make writes or queries of all tables cheaper. */
  advise(options?: OperationOptions): Promise<Advice[]>
  adviseSync(): Advice[]

  /** Copies the store as it is now into a new file, which opens as any store does and is one of its own. */
  backup(path: string | URL, options?: OperationOptions): Promise<Copied>
  backupSync(path: string | URL): Copied

  /** Writes the store as it is now into a new file that may take its place, smaller where much was deleted. */
  compactInto(path: string | URL, options?: OperationOptions): Promise<Copied>
  compactIntoSync(path: string | URL): Copied

  /** Writes the store's file anew, in its place. `StoreBusy` while somebody else has the file open. */
  compact(options?: OperationOptions): Promise<Copied>
  compactSync(): Copied

  /** Ends the store for all its handles. Closing twice does no harm. */
  close(): Promise<void>
  closeSync(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/** One moment of a store. As long as it is open, the file keeps all that it can see. */
export class Snapshot {
  private constructor()
  /** The tables that there were. */
  listTables(options?: OperationOptions): Promise<TableItem[]>
  listTablesSync(): TableItem[]
  /** Ends the snapshot: later reads through it are `StoreClosed`. Closing twice does no harm. */
  close(): Promise<void>
  closeSync(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A table. `TableClient` is this to the service. One of `store.table<T>()` takes and gives entities of `T`; of one without,
 * nothing is known, and each call may say what it takes or gives.
 */
export class Table<T extends object = Record<string, unknown>> {
  private constructor()
  readonly tableName: string
  readonly store: Store

  createTable(options?: OperationOptions): Promise<void>
  createTableSync(): void
  deleteTable(options?: OperationOptions): Promise<void>
  deleteTableSync(): void

  /** The same table as it was at a snapshot: reads see that moment, and writes are refused. */
  at(snapshot: Snapshot): Table<T>

  /** Stores a new entity. */
  createEntity<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    options?: OperationOptions,
  ): Promise<CreateTableEntityResponse>
  createEntitySync<U extends object = T>(entity: TableEntity<Given<T, U>>): CreateTableEntityResponse

  /** Changes an entity that is there, in any version or in that of `etag`. A merge may name some of its properties. */
  updateEntity<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    mode?: UpdateMode,
    options?: UpdateTableEntityOptions,
  ): Promise<UpdateEntityResponse>
  updateEntity(
    entity: TableEntity<Changes<T>>,
    mode?: 'Merge',
    options?: UpdateTableEntityOptions,
  ): Promise<UpdateEntityResponse>
  updateEntitySync<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    mode?: UpdateMode,
    options?: ConditionOptions,
  ): UpdateEntityResponse
  updateEntitySync(entity: TableEntity<Changes<T>>, mode?: 'Merge', options?: ConditionOptions): UpdateEntityResponse

  /** Changes an entity, or stores it if it is not there. */
  upsertEntity<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    mode?: UpdateMode,
    options?: UpdateTableEntityOptions,
  ): Promise<UpsertEntityResponse>
  upsertEntitySync<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    mode?: UpdateMode,
    options?: ConditionOptions,
  ): UpsertEntityResponse

  /** Stores a new entity, or finds the one with its keys, which stays as it is. */
  createOrGetEntity<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    options?: OperationOptions,
  ): Promise<CreateOrGetEntityResponse<U>>
  createOrGetEntitySync<U extends object = T>(entity: TableEntity<Given<T, U>>): CreateOrGetEntityResponse<U>

  /** Gives an entity other keys, with all that it has: 409 if there is one with these. */
  moveEntity(from: EntityKeys, to: EntityKeys, options?: UpdateTableEntityOptions): Promise<UpdateEntityResponse>
  moveEntitySync(from: EntityKeys, to: EntityKeys, options?: ConditionOptions): UpdateEntityResponse

  /** Removes an entity that is there, in any version or in that of `etag`. */
  deleteEntity(
    partitionKey: string,
    rowKey: string,
    options?: DeleteTableEntityOptions,
  ): Promise<DeleteTableEntityResponse>
  deleteEntitySync(partitionKey: string, rowKey: string, options?: ConditionOptions): DeleteTableEntityResponse

  /** Deletes the entities that a query asks for, and tells how many. */
  deleteEntities(options: DeleteEntitiesOptions): Promise<number>
  deleteEntitiesSync(options: Omit<DeleteEntitiesOptions, 'abortSignal'>): number

  /** The entity with these keys. */
  getEntity<U extends object = T, K extends Selectable<U> = Selectable<U>>(
    partitionKey: string,
    rowKey: string,
    options?: GetTableEntityOptions<K>,
  ): Promise<GetTableEntityResponse<Selected<U, K>>>
  getEntitySync<U extends object = T, K extends Selectable<U> = Selectable<U>>(
    partitionKey: string,
    rowKey: string,
    options?: GetTableEntityOptions<K>,
  ): GetTableEntityResponse<Selected<U, K>>

  /** Whether there is an entity with these keys. */
  exists(partitionKey: string, rowKey: string, options?: OperationOptions): Promise<boolean>
  existsSync(partitionKey: string, rowKey: string): boolean

  /** The entities with these keys, all from one moment, in their order; undefined where there is none. */
  getMany<U extends object = T>(
    keys: Array<readonly [partitionKey: string, rowKey: string]>,
    options?: Pick<GetTableEntityOptions, 'abortSignal' | 'disableTypeConversion'>,
  ): Promise<Array<TableEntityResult<U> | undefined>>
  getManySync<U extends object = T>(
    keys: Array<readonly [partitionKey: string, rowKey: string]>,
    options?: Pick<GetTableEntityOptions, 'disableTypeConversion'>,
  ): Array<TableEntityResult<U> | undefined>

  /** The entities that a query asks for, in the order of PartitionKey and RowKey, or in that of `orderBy`. */
  listEntities<U extends object = T, K extends Selectable<U> = Selectable<U>>(
    options?: ListTableEntitiesOptions<K>,
  ): PagedAsyncIterableIterator<TableEntityResult<Selected<U, K>>>
  listEntitiesSync<U extends object = T, K extends Selectable<U> = Selectable<U>>(
    options?: ListTableEntitiesOptions<K>,
  ): PagedIterableIterator<TableEntityResult<Selected<U, K>>>

  /** How many entities a query asks for, exactly. */
  count(options?: CountEntitiesOptions): Promise<number>
  countSync(options?: CountEntitiesOptions): number

  /** Answers a query, and tells how: the way to the rows, and how many were read. */
  explain(options?: ListTableEntitiesOptions): Promise<Explain>
  explainSync(options?: ListTableEntitiesOptions): Explain

  /** The PartitionKeys that the table has, in order, each once. */
  partitionKeys(options?: OperationOptions): AsyncIterableIterator<string>
  partitionKeysSync(): IterableIterator<string>

  /** Up to 100 operations on entities of one partition, each entity once: all or nothing. */
  submitTransaction(actions: TransactionAction[], options?: OperationOptions): Promise<TableTransactionResponse>
  submitTransactionSync(actions: TransactionAction[]): TableTransactionResponse

  /** Declares an index, and builds it: when this is done, queries use it. Behind an error there is no index. */
  createIndex(index: IndexDefinition, options?: OperationOptions): Promise<void>
  createIndexSync(index: IndexDefinition): void
  /** The same; an index of the same definition may be there already. */
  createIndexIfNotExists(index: IndexDefinition, options?: OperationOptions): Promise<void>
  createIndexIfNotExistsSync(index: IndexDefinition): void
  /** Drops an index. */
  dropIndex(name: string, options?: OperationOptions): Promise<void>
  dropIndexSync(name: string): void
  /** The declared indexes, in the order in which they were declared. */
  listIndexes(options?: OperationOptions): Promise<IndexInfo[]>
  listIndexesSync(): IndexInfo[]
  /** What each index holds, and how often it was used. Reads all entries of the indexes. */
  indexStats(options?: OperationOptions): Promise<IndexStats[]>
  indexStatsSync(): IndexStats[]
  /**
   * What would make writes or queries cheaper: indexes that could go, and such as are missing for filters that this
   * process asked since it opened the store. Reads all entries of the indexes.
   */
  advise(options?: OperationOptions): Promise<Advice[]>
  adviseSync(): Advice[]
}

/** What `Store.transactionSync` hands to its function. It ends with it: later calls are `StoreClosed`. */
export class Transaction {
  private constructor()
  table(tableName: string): TransactionTable
  table<T extends Storable<T>>(tableName: string): TransactionTable<T>
  createTableSync(tableName: string): TransactionTable
  createTableSync<T extends Storable<T>>(tableName: string): TransactionTable<T>
  deleteTableSync(tableName: string): void
  listTablesSync(): TableItem[]
}

/** A table in a transaction. Each call fails or succeeds by itself, and the transaction goes on. */
export class TransactionTable<T extends object = Record<string, unknown>> {
  private constructor()
  readonly tableName: string
  createEntitySync<U extends object = T>(entity: TableEntity<Given<T, U>>): CreateTableEntityResponse
  updateEntitySync<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    mode?: UpdateMode,
    options?: ConditionOptions,
  ): UpdateEntityResponse
  updateEntitySync(entity: TableEntity<Changes<T>>, mode?: 'Merge', options?: ConditionOptions): UpdateEntityResponse
  upsertEntitySync<U extends object = T>(
    entity: TableEntity<Given<T, U>>,
    mode?: UpdateMode,
    options?: ConditionOptions,
  ): UpsertEntityResponse
  createOrGetEntitySync<U extends object = T>(entity: TableEntity<Given<T, U>>): CreateOrGetEntityResponse<U>
  moveEntitySync(from: EntityKeys, to: EntityKeys, options?: ConditionOptions): UpdateEntityResponse
  deleteEntitySync(partitionKey: string, rowKey: string, options?: ConditionOptions): DeleteTableEntityResponse
  deleteEntitiesSync(options: Omit<DeleteEntitiesOptions, 'abortSignal' | 'chunk'>): number
  getEntitySync<U extends object = T, K extends Selectable<U> = Selectable<U>>(
    partitionKey: string,
    rowKey: string,
    options?: GetTableEntityOptions<K>,
  ): GetTableEntityResponse<Selected<U, K>>
  existsSync(partitionKey: string, rowKey: string): boolean
  getManySync<U extends object = T>(
    keys: Array<readonly [partitionKey: string, rowKey: string]>,
    options?: Pick<GetTableEntityOptions, 'disableTypeConversion'>,
  ): Array<TableEntityResult<U> | undefined>
  /** Read page by page: what the transaction writes meanwhile is seen by later pages. */
  listEntitiesSync<U extends object = T, K extends Selectable<U> = Selectable<U>>(
    options?: ListTableEntitiesOptions<K>,
  ): PagedIterableIterator<TableEntityResult<Selected<U, K>>>
  countSync(options?: CountEntitiesOptions): number
  submitTransactionSync(actions: TransactionAction[]): TableTransactionResponse
  createIndexSync(index: IndexDefinition): void
  createIndexIfNotExistsSync(index: IndexDefinition): void
  dropIndexSync(name: string): void
  listIndexesSync(): IndexInfo[]
}

/** Collects the actions of a transaction: pass `actions` to `submitTransaction`. */
export class TableTransaction {
  actions: TransactionAction[]
  constructor(actions?: TransactionAction[])
  createEntity<T extends object>(entity: TableEntity<T>): void
  deleteEntity(partitionKey: string, rowKey: string, options?: ConditionOptions): void
  createOrGetEntity<T extends object>(entity: TableEntity<T>): void
  moveEntity(from: EntityKeys, to: EntityKeys, options?: ConditionOptions): void
  updateEntity<T extends object>(entity: TableEntity<T>, updateOptions?: UpdateTableEntityOptions): void
  updateEntity<T extends object>(
    entity: TableEntity<T>,
    updateMode?: UpdateMode,
    updateOptions?: UpdateTableEntityOptions,
  ): void
  upsertEntity<T extends object>(entity: TableEntity<T>, updateOptions?: UpdateTableEntityOptions): void
  upsertEntity<T extends object>(
    entity: TableEntity<T>,
    updateMode?: UpdateMode,
    updateOptions?: UpdateTableEntityOptions,
  ): void
}

/** The facts of an error, each where it applies. */
export interface ErrorDetails {
  errorCode: ErrorCode
  class: ErrorClass
  odataError: { code: ErrorCode; message: { lang: string; value: string } }
  table?: string
  partitionKey?: string
  rowKey?: string
  /** The property: a custom one, or `PartitionKey`, `RowKey`; or the argument. */
  property?: string
  /** The limit that was passed, in the unit of its rule. */
  limit?: number
  /** What was met instead. */
  actual?: number
  /** Where in a filter, in characters from 0. */
  position?: number
  /** Which action of a transaction, from 0. The message begins with it and a colon. */
  index?: number
  /** The index of the table that refuses. */
  indexName?: string
  /** Another entity that is in the way: of a unique index, the one that has the value. */
  holder?: EntityKeys
}

/** What a call of the store fails with. Arguments of a wrong JavaScript type are TypeErrors with the same members. */
export class RestError extends Error {
  constructor(message: string, options?: { code?: ErrorCode; statusCode?: number; details?: ErrorDetails })
  readonly name: 'RestError'
  code?: ErrorCode
  statusCode?: number
  details?: ErrorDetails
}

/** A Date that keeps the 100 ns ticks of a stored DateTime: written back, it is the same instant. */
export class DateTime extends Date {
  /** @param ticks 100 ns since 0001-01-01T00:00:00Z. */
  constructor(ticks: bigint)
  /** 100 ns ticks since 0001-01-01T00:00:00Z. */
  get ticks(): bigint
}

/** A filter's text with values in it, each as its literal: `` odata`Name eq ${name} and Since lt ${date}` ``. */
export function odata(strings: TemplateStringsArray, ...values: Array<Exclude<PropertyValue, undefined>>): string

/** Texts that are legal keys, in the order that is wanted. Pure functions; `RestError` for what makes no key. */
export const keys: Readonly<{
  /** One key of several texts: ordered by the first, then by the second, and so on. */
  compose(parts: string[]): string
  /** What the keys of `compose` begin with that have these parts first, and more. */
  composePrefix(parts: string[]): string
  /** The parts that `compose` made the key of. */
  split(key: string): string[]
  /** The number with zeros before it: `padded(223, 6)` is `"000223"`. */
  padded(number: number | bigint, width: number): string
  /** Any integer of 64 bits, in order. */
  integer(number: number | bigint): string
  integerFrom(key: string): bigint
  /** Any number but NaN, in order. */
  double(number: number): string
  doubleFrom(key: string): number
  /** An instant, in order. */
  ticks(time: Date): string
  ticksFrom(key: string): Date
  /** An instant, the latest first. */
  descendingTicks(time: Date): string
  descendingTicksFrom(key: string): Date
  /** The second of an instant, as `yyyyMMddHHmmss` in UTC. */
  compactDate(time: Date): string
  /** The least key that begins with `prefix`, and the least one beyond all that do, if there is one. */
  prefixRange(prefix: string): [first: string, end: string | undefined]
  /** The filter that finds the keys which begin with `prefix`. */
  prefixFilter(key: 'partitionKey' | 'rowKey' | 'PartitionKey' | 'RowKey', prefix: string): string
  /** A legal key of any text, in the order of the texts. */
  safe(text: string): string
  safeFrom(key: string): string
  /** A legal key of any bytes, in the order of the bytes. */
  bytes(bytes: Uint8Array): string
  bytesFrom(key: string): Uint8Array
  /** The literature's form of a safe key: base64 that is legal. It loses order and prefixes. */
  base64Text(text: string): string
  textFromBase64(key: string): string
  /** The key that all texts have which differ in letter case only. */
  foldCase(text: string): string
  /** The number of the shard that a key falls into, from 0, of so many. */
  shard(key: string, shards: number): number
}>

export interface EntityFromJsonOptions {
  /** By whose limits the entity is checked; `"portable"` if it is not given. */
  mode?: Mode
  /** Gives every value as `{type, value}`, the value as text. */
  disableTypeConversion?: boolean
}

/**
 * Reads an entity from the service's JSON, the body of a request: typed as the text says, and ready to be written as it is.
 * So each Double is `{type: "Double", value}`; a `number` is an Int32. `RestError` for what is no entity.
 */
export function entityFromJson<T extends object = Record<string, unknown>>(
  text: string,
  options?: EntityFromJsonOptions,
): TableEntity<T> & { etag?: string }

export interface EntityToJsonOptions {
  /** `"none"`: values alone; `"minimal"`, the default: also types and ETag, which reads back as it was; `"full"`. */
  metadata?: 'none' | 'minimal' | 'full'
  /** These properties only, null for those that the entity lacks. */
  select?: string[]
}

/**
 * The entity as the service writes it in the body of an answer, with its `etag` and `timestamp` if it has them. A `number`
 * is an Int32, an Int64 or a Double, the first that fits: read with `disableTypeConversion`, an entity keeps its types.
 */
export function entityToJson(
  entity: { partitionKey?: string; rowKey?: string; etag?: string; timestamp?: string | Date },
  options?: EntityToJsonOptions,
): string

/** The bytes that the entity takes by the service's own formula, which its limit of 1 MiB is measured by. */
export function entitySize(entity: { partitionKey?: string; rowKey?: string }): number

/** Goes through the file at `path`, open or not, and tells what is wrong in it. Never crashes, whatever it holds. */
export function verify(path: string | URL): Promise<Report>
export function verifySync(path: string | URL): Report

/** Every code, with its number, the service's status and text, and what it means. */
export const errorCodes: Readonly<
  Record<
    ErrorCode,
    Readonly<{ number: number; status: number; class: ErrorClass; message: string; meaning: string }>
  >
>
