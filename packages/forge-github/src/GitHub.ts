/** GitHub as the hosting platform: the look-ups, and the actions that need credentials. */
import {
  CommitTimes,
  DriveForge,
  Forge,
  HostingPlatform,
  IssueTracker,
  PlatformRoles,
  PlatformSetup,
  QueueForge,
  ScratchForge,
  WorkflowRuns
} from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import * as GitHubClient from "./GitHubClient.ts"
import * as GitHubDrive from "./GitHubDrive.ts"
import * as GitHubForge from "./GitHubForge.ts"
import * as GitHubGraphQl from "./GitHubGraphQl.ts"
import * as GitHubIssues from "./GitHubIssues.ts"
import * as GitHubQueue from "./GitHubQueue.ts"
import * as GitHubRuns from "./GitHubRuns.ts"
import * as GitHubLookups from "./GitHubLookups.ts"
import * as GitHubRoles from "./GitHubRoles.ts"
import * as GitHubScratch from "./GitHubScratch.ts"
import * as GitHubSetup from "./GitHubSetup.ts"

/** The look-ups and the actions at a connection. Both share their tokens and their limits. */
export const make = Effect.fnUntraced(function* (connection: GitHubClient.Connection) {
  const client = yield* GitHubClient.make(connection)
  const lookups = yield* GitHubLookups.make(connection, client)
  const forge = GitHubForge.make(connection, client)
  const asking = GitHubGraphQl.make(connection, client)
  const queue = GitHubQueue.make(connection, client, { ...asking, forge })
  return Context.make(HostingPlatform, lookups).pipe(
    Context.add(Forge, forge),
    Context.add(QueueForge, queue),
    Context.add(DriveForge, GitHubDrive.make(connection, client, { ...asking, queue })),
    Context.add(ScratchForge, GitHubScratch.make(client)),
    Context.add(PlatformSetup, GitHubSetup.make(connection, client)),
    Context.add(WorkflowRuns, GitHubRuns.make(client)),
    Context.add(IssueTracker, yield* GitHubIssues.make(connection, client)),
    Context.add(CommitTimes, yield* GitHubIssues.commitTimes(client)),
    Context.add(PlatformRoles, yield* GitHubRoles.make(connection, client))
  )
})

/** The same as a layer. */
export const layer = (
  connection: GitHubClient.Connection
): Layer.Layer<HostingPlatform | DriveForge | Forge | QueueForge | ScratchForge | IssueTracker | PlatformSetup> =>
  Layer.effectContext(make(connection))
