/** The tables of the plain rows: what every driver keeps besides executions. */
import { assignedRoles, auditEntries, keys, repositories, sessions, signInCodes } from "./rows/Accounts.ts"
import { firstVerdicts, pulls, quarantines, suspensions } from "./rows/Tests.ts"
import { deadLetters, events, notifiers, subscriptions, wideNotifiers } from "./rows/Events.ts"
import { configurations, pauses, queueBases, queueEvents } from "./rows/Queues.ts"
import { engineEvents, engines, engineStates } from "./rows/Engines.ts"
import { issueRounds, testIssues } from "./rows/Issues.ts"
import { ownersFiles } from "./rows/Owners.ts"
import { ciRuns, ownUploads, publications, readings } from "./rows/Work.ts"
import type { Shape } from "./Table.ts"

export * from "./rows/Accounts.ts"
export * from "./rows/Tests.ts"
export * from "./rows/Events.ts"
export * from "./rows/Queues.ts"
export * from "./rows/Engines.ts"
export * from "./rows/Issues.ts"
export * from "./rows/Owners.ts"
export * from "./rows/Work.ts"

/** Every table. */
export const all: ReadonlyArray<Shape> = [
  repositories,
  keys,
  auditEntries,
  sessions,
  signInCodes,
  assignedRoles,
  pulls,
  quarantines,
  events,
  subscriptions,
  deadLetters,
  notifiers,
  wideNotifiers,
  queueEvents,
  queueBases,
  pauses,
  configurations,
  publications,
  firstVerdicts,
  suspensions,
  engineEvents,
  engineStates,
  engines,
  readings,
  ownersFiles,
  ownUploads,
  ciRuns,
  testIssues,
  issueRounds
]
