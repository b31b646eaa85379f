/** The HTTP interface of Lazaret: API definition, handlers and typed client. */
export * as AccessTable from "./AccessTable.ts"
export { Api } from "./Api.ts"
export * as Http from "./Http.ts"
export { HttpConfig } from "./HttpConfig.ts"
export * from "./LazaretClient.ts"
export * as Problem from "./Problem.ts"
export type * as Wire from "./Wire.ts"
