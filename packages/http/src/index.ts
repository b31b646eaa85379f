/** The HTTP server side of Lazaret: handlers, middleware, upload reading and static pages. */
export * as ArchiveReading from "./ArchiveReading.ts"
export * as Http from "./Http.ts"
export { HttpConfig } from "./HttpConfig.ts"
export * as HttpLimits from "./Limits.ts"
