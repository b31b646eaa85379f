/** Generated settings: small numbers, so that short histories run into every rule. */
import { Repository } from "@lazaret/domain"
import { Schema } from "effect"

/**
 * Schema of settings that anybody could have set: a default branch or none, policies as they come or with small numbers.
 */
export const Choice = Schema.Struct({
  defaultBranch: Schema.NullOr(Schema.Literals(["main", "master", "topic"])),
  isStandard: Schema.Boolean,
  flakinessEvidence: Schema.Literals(["every_branch", "every_branch", "every_branch", "default_branch"]),
  rememberedCommits: Schema.Literals([1, 2, 4, 16]),
  episodeDays: Schema.Literals([0, 1, 14]),
  recoveryPasses: Schema.Literals([1, 3]),
  recoveryCommits: Schema.Literals([1, 2]),
  brokenCommits: Schema.Literals([1, 2, 5]),
  cleanPasses: Schema.Literals([1, 3, 10]),
  cleanDays: Schema.Literals([0, 1, 7]),
  cleanChance: Schema.Literals([0.1, 0.9]),
  cleanDaysMost: Schema.Literals([1, 14]),
  brokenChance: Schema.Literals([0.005, 0.3]),
  brokenCommitsMost: Schema.Literals([3, 20]),
  halfLifeDays: Schema.Literals([1, 14]),
  confidence: Schema.Literals([1, 4]),
  activeDays: Schema.Literals([1, 7, 30]),
  failedTests: Schema.Literals([1, 2, 3]),
  failedShare: Schema.Literals([0.05, 0.5]),
  excusedCommits: Schema.Literals([0, 1, 2]),
  fewTests: Schema.Literals([1, 2, 4]),
  otherBranchDays: Schema.Literals([0, 3, 14]),
  otherBranchFailureDays: Schema.Literals([0, 2, 30])
})

/** Settings that anybody could have set. */
export type Choice = typeof Choice.Type

/** The settings of a choice. */
export const settingsOf = ({
  confidence,
  defaultBranch,
  excusedCommits,
  failedShare,
  failedTests,
  fewTests,
  flakinessEvidence,
  isStandard,
  ...health
}: Choice): Repository.RepositorySettings => {
  const chosen = { ...Repository.defaultSettings, defaultBranch, flakinessEvidence }
  if (isStandard) return chosen
  const levels = { confidenceMedium: confidence, confidenceHigh: 3 * confidence, impactMedium: 0.2, impactHigh: 0.4 }
  return { ...chosen, health: { ...health, ...levels }, outage: { excusedCommits, failedShare, failedTests, fewTests } }
}
