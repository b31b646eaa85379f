/** Pure parsers: the bytes of a test report in, its test cases out. */
export * as Ctrf from "./Ctrf.ts"
export * as GitHubWebhook from "./github/GitHubWebhook.ts"
export * as JUnit from "./JUnit.ts"
export * as Limits from "./Limits.ts"
export * as Otlp from "./Otlp.ts"
export * as ParseError from "./ParseError.ts"
export * as Parsed from "./Parsed.ts"
