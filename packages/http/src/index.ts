/** The HTTP server side of Lazaret: handlers, middleware, upload reading and static pages. */
export * as ArchiveReading from "./report/ArchiveReading.ts"
export * as Http from "./Http.ts"
export { HttpConfig } from "./request/HttpConfig.ts"
export * as HttpLimits from "./request/Limits.ts"
