/** The command `lazaret demo`: uploads an invented history of a repository. */
export * as DemoCommand from "./DemoCommand.ts"
