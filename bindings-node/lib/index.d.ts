/// <reference types="node" />
import type { ErrorClass, ErrorCode } from './errors.js'

export type { ErrorClass, ErrorCode }

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
  /** Refuses to make a file that is not there. */
  mustExist?: boolean
}

/** Options of every call that returns a promise. */
export interface OperationOptions {
  /** Aborts the call before it has begun, or a list between two pages. */
  abortSignal?: AbortSignal
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
export interface TableEntityQueryOptions {
  /** The filter's text. */
  filter?: string
  /** Values of the `@name`s in the filter. */
  parameters?: Record<string, Exclude<PropertyValue, null | undefined>>
  /** These properties only. */
  select?: string[]
  /** At most so many entities in all. */
  limit?: number
}

export interface GetTableEntityOptions extends OperationOptions {
  queryOptions?: Pick<TableEntityQueryOptions, 'select'>
  /** Gives every value as `{type, value}`, the value as text. */
  disableTypeConversion?: boolean
}

export interface ListTableEntitiesOptions extends OperationOptions {
  queryOptions?: TableEntityQueryOptions
  /** Gives every value as `{type, value}`, the value as text. */
  disableTypeConversion?: boolean
}

export interface ListTableItemsOptions extends OperationOptions {
  queryOptions?: Pick<TableEntityQueryOptions, 'filter' | 'parameters'>
}

/** On what condition a write is done. */
export interface ConditionOptions {
  /** Only if the entity is there in this version; `"*"`: in any. */
  etag?: string
  /** Only if the entity is not there: for upserts. */
  ifAbsent?: boolean
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
  byPage(settings?: PageSettings): AsyncIterableIterator<Page<T>>
}

/** A list that is read page by page. Errors come with the first item. */
export interface PagedIterableIterator<T> extends IterableIterator<T> {
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

/** One operation of a transaction. */
export type TransactionAction =
  | ['create', TableEntity<object>]
  | ['delete', EntityKeys, ConditionOptions?]
  | ['update' | 'upsert', TableEntity<object>, (UpdateMode | ConditionOptions)?, ConditionOptions?]

export interface TableTransactionEntityResponse {
  status: number
  /** The entity's new version; undefined for a delete. */
  etag?: string
  rowKey?: string
}

export interface TableTransactionResponse {
  status: number
  /** One for each action, in order. */
  subResponses: TableTransactionEntityResponse[]
  getResponseForEntity(rowKey: string): TableTransactionEntityResponse | undefined
}

/** A file of tables. `TableServiceClient` is this to the service. */
export class Store {
  private constructor()
  /** Opens the store at `path`, made if it is not there; `":memory:"` is a new one that vanishes. */
  static open(path: string | URL, options?: StoreOptions): Promise<Store>
  static openSync(path: string | URL, options?: StoreOptions): Store

  /** A handle to a table. That there is none, or that the name is bad, shows when it is used. */
  table(tableName: string): Table

  /** Makes a table; one that is there stays as it is. */
  createTable(tableName: string, options?: OperationOptions): Promise<Table>
  createTableSync(tableName: string): Table

  /** Deletes a table with all its entities; quiet if there is none. */
  deleteTable(tableName: string, options?: OperationOptions): Promise<void>
  deleteTableSync(tableName: string): void

  /** The tables, in the order of their lower-cased names. */
  listTables(options?: ListTableItemsOptions): PagedAsyncIterableIterator<TableItem>
  listTablesSync(options?: ListTableItemsOptions): PagedIterableIterator<TableItem>

  /** Ends the store for all its handles. Closing twice does no harm. */
  close(): Promise<void>
  closeSync(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/** A table. `TableClient` is this to the service. */
export class Table {
  private constructor()
  readonly tableName: string
  readonly store: Store

  createTable(options?: OperationOptions): Promise<void>
  createTableSync(): void
  deleteTable(options?: OperationOptions): Promise<void>
  deleteTableSync(): void

  /** Stores a new entity. */
  createEntity<T extends object>(entity: TableEntity<T>, options?: OperationOptions): Promise<CreateTableEntityResponse>
  createEntitySync<T extends object>(entity: TableEntity<T>): CreateTableEntityResponse

  /** Changes an entity that is there, in any version or in that of `etag`. */
  updateEntity<T extends object>(
    entity: TableEntity<T>,
    mode?: UpdateMode,
    options?: UpdateTableEntityOptions,
  ): Promise<UpdateEntityResponse>
  updateEntitySync<T extends object>(
    entity: TableEntity<T>,
    mode?: UpdateMode,
    options?: ConditionOptions,
  ): UpdateEntityResponse

  /** Changes an entity, or stores it if it is not there. */
  upsertEntity<T extends object>(
    entity: TableEntity<T>,
    mode?: UpdateMode,
    options?: UpdateTableEntityOptions,
  ): Promise<UpsertEntityResponse>
  upsertEntitySync<T extends object>(
    entity: TableEntity<T>,
    mode?: UpdateMode,
    options?: ConditionOptions,
  ): UpsertEntityResponse

  /** Removes an entity that is there, in any version or in that of `etag`. */
  deleteEntity(
    partitionKey: string,
    rowKey: string,
    options?: DeleteTableEntityOptions,
  ): Promise<DeleteTableEntityResponse>
  deleteEntitySync(partitionKey: string, rowKey: string, options?: ConditionOptions): DeleteTableEntityResponse

  /** The entity with these keys. */
  getEntity<T extends object = Record<string, unknown>>(
    partitionKey: string,
    rowKey: string,
    options?: GetTableEntityOptions,
  ): Promise<GetTableEntityResponse<T>>
  getEntitySync<T extends object = Record<string, unknown>>(
    partitionKey: string,
    rowKey: string,
    options?: GetTableEntityOptions,
  ): GetTableEntityResponse<T>

  /** Whether there is an entity with these keys. */
  exists(partitionKey: string, rowKey: string, options?: OperationOptions): Promise<boolean>
  existsSync(partitionKey: string, rowKey: string): boolean

  /** The entities with these keys, all from one moment, in their order; undefined where there is none. */
  getMany<T extends object = Record<string, unknown>>(
    keys: Array<readonly [partitionKey: string, rowKey: string]>,
    options?: Pick<GetTableEntityOptions, 'abortSignal' | 'disableTypeConversion'>,
  ): Promise<Array<TableEntityResult<T> | undefined>>
  getManySync<T extends object = Record<string, unknown>>(
    keys: Array<readonly [partitionKey: string, rowKey: string]>,
    options?: Pick<GetTableEntityOptions, 'disableTypeConversion'>,
  ): Array<TableEntityResult<T> | undefined>

  /** The entities that a query asks for, in the order of PartitionKey and RowKey. */
  listEntities<T extends object = Record<string, unknown>>(
    options?: ListTableEntitiesOptions,
  ): PagedAsyncIterableIterator<TableEntityResult<T>>
  listEntitiesSync<T extends object = Record<string, unknown>>(
    options?: ListTableEntitiesOptions,
  ): PagedIterableIterator<TableEntityResult<T>>

  /** Up to 100 operations on entities of one partition, each entity once: all or nothing. */
  submitTransaction(actions: TransactionAction[], options?: OperationOptions): Promise<TableTransactionResponse>
  submitTransactionSync(actions: TransactionAction[]): TableTransactionResponse
}

/** Collects the actions of a transaction: pass `actions` to `submitTransaction`. */
export class TableTransaction {
  actions: TransactionAction[]
  constructor(actions?: TransactionAction[])
  createEntity<T extends object>(entity: TableEntity<T>): void
  deleteEntity(partitionKey: string, rowKey: string, options?: ConditionOptions): void
  updateEntity<T extends object>(
    entity: TableEntity<T>,
    modeOrOptions?: UpdateMode | ConditionOptions,
    options?: ConditionOptions,
  ): void
  upsertEntity<T extends object>(
    entity: TableEntity<T>,
    modeOrOptions?: UpdateMode | ConditionOptions,
    options?: ConditionOptions,
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

/** Every code, with its number, the service's status and text, and what it means. */
export const errorCodes: Readonly<
  Record<
    ErrorCode,
    Readonly<{ number: number; status: number; class: ErrorClass; message: string; meaning: string }>
  >
>
