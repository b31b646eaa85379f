/** How a command of another package asks a server. Apart from the rest, because it loads the HTTP client. */
export * as Api from "./Api.ts"
export * as Progress from "./Progress.ts"
export * as Upload from "./Upload.ts"
