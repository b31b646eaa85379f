/** GitLab as the hosting platform of Lazaret. */
export * as GitLab from "./GitLab.ts"
export * as GitLabClient from "./GitLabClient.ts"
export * as GitLabGroups from "./GitLabGroups.ts"
export * as GitObject from "./GitObject.ts"
export * as GitPush from "./GitPush.ts"
