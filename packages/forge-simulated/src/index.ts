/** Simulated hosting platforms. */
export * as Delivery from "./Delivery.ts"
export * as Fault from "./Fault.ts"
export * as Hub from "./Hub.ts"
export * as MergeQueue from "./MergeQueue.ts"
export * as SimulatedGitHub from "./SimulatedGitHub.ts"
export * as GitLabServer from "./gitlab/GitLabServer.ts"
export * as Lab from "./gitlab/Lab.ts"
export * as SimulatedGitLab from "./gitlab/SimulatedGitLab.ts"
