// The same declarations as for CommonJS.
export * from './index.js'
