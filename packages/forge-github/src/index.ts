/** GitHub as the hosting platform of Lazaret. */
export * as GitHub from "./GitHub.ts"
export * as GitHubClient from "./GitHubClient.ts"
export * as GitHubCredentials from "./GitHubCredentials.ts"
export * as GitHubManifest from "./GitHubManifest.ts"
export * as OwnEvents from "./OwnEvents.ts"
