/** GitLab as the hosting platform: the look-ups, the actions that need a token, the merge queue, and the roles of people. */
import {
  DriveForge,
  Forge,
  HostingPlatform,
  PlatformRoles,
  PlatformSetup,
  QueueForge,
  ScratchForge,
  WorkflowRuns
} from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabDrive from "./GitLabDrive.ts"
import * as GitLabForge from "./GitLabForge.ts"
import * as GitLabLookups from "./GitLabLookups.ts"
import * as GitLabPipelines from "./GitLabPipelines.ts"
import * as GitLabQueue from "./GitLabQueue.ts"
import * as GitLabRoles from "./GitLabRoles.ts"
import * as GitLabScratch from "./GitLabScratch.ts"
import * as GitLabSetup from "./GitLabSetup.ts"

/** The look-ups, the actions, the merge queue, the pipelines and the roles of people at a connection. */
export const make = Effect.fnUntraced(function* (connection: GitLabClient.Connection) {
  const client = yield* GitLabClient.make(connection)
  const lookups = yield* GitLabLookups.make(connection, client)
  const forge = GitLabForge.make(client, connection)
  return Context.make(HostingPlatform, lookups).pipe(
    Context.add(Forge, forge),
    Context.add(QueueForge, GitLabQueue.make(client, forge)),
    Context.add(DriveForge, GitLabDrive.make(connection, client)),
    Context.add(ScratchForge, GitLabScratch.make(client)),
    Context.add(PlatformSetup, GitLabSetup.make(connection, client, lookups)),
    Context.add(WorkflowRuns, GitLabPipelines.make(client)),
    Context.add(PlatformRoles, yield* GitLabRoles.make(connection, client))
  )
})

/** The same as a layer. */
export const layer = (
  connection: GitLabClient.Connection
): Layer.Layer<HostingPlatform | DriveForge | Forge | QueueForge | ScratchForge | PlatformSetup> =>
  Layer.effectContext(make(connection))
