/** The tables of the plain rows: what every driver keeps besides executions. */
import {
  assignedRoles,
  auditEntries,
  keys,
  originPins,
  repositories,
  sessions,
  signInCodes
} from "./access/AccountRows.ts"
import { firstVerdicts, pullHeads, pullNumbers, pulls, quarantines, suspensions } from "./quarantine/JudgementRows.ts"
import { deadLetters, events, notifiers, subscriptions, wideNotifiers } from "./events/EventRows.ts"
import { configurations, pauses, queueBases, queueEvents } from "./queue/QueueRows.ts"
import { engineEvents, engines, engineStates } from "./queue/EngineRows.ts"
import { issueRounds, testIssues } from "./platform/IssueRows.ts"
import { ownersFiles } from "./health/OwnersRows.ts"
import { testAliases } from "./report/AliasRows.ts"
import {
  certifications,
  ciRuns,
  jobTimes,
  ownUploads,
  platformSightings,
  publications,
  readings
} from "./platform/WorkRows.ts"
import { causeRounds, causes } from "./insight/CauseRows.ts"
import { slowerRounds, slowerTests } from "./insight/SlowerRows.ts"
import { losses, missingRounds } from "./insight/MissingRows.ts"
import { costRounds, costs } from "./insight/CostRows.ts"
import { latestShardPlans, shardPlans } from "./insight/ShardRows.ts"
import { stressRuns } from "./insight/StressRows.ts"
import type { Shape } from "./driver/Table.ts"

export * from "./access/AccountRows.ts"
export * from "./quarantine/JudgementRows.ts"
export * from "./events/EventRows.ts"
export * from "./queue/QueueRows.ts"
export * from "./queue/EngineRows.ts"
export * from "./platform/IssueRows.ts"
export * from "./health/OwnersRows.ts"
export * from "./insight/CauseRows.ts"
export * from "./insight/MissingRows.ts"
export * from "./insight/CostRows.ts"
export * from "./insight/ShardRows.ts"
export * from "./insight/SlowerRows.ts"
export * from "./insight/StressRows.ts"
export * from "./platform/WorkRows.ts"
export * from "./report/AliasRows.ts"

/** Every table. */
export const all: ReadonlyArray<Shape> = [
  repositories,
  keys,
  auditEntries,
  sessions,
  signInCodes,
  assignedRoles,
  originPins,
  pulls,
  pullNumbers,
  pullHeads,
  quarantines,
  testAliases,
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
  jobTimes,
  platformSightings,
  certifications,
  testIssues,
  issueRounds,
  causes,
  causeRounds,
  costs,
  costRounds,
  slowerTests,
  slowerRounds,
  shardPlans,
  latestShardPlans,
  stressRuns,
  losses,
  missingRounds
]
