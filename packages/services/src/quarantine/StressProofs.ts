/** Stress runs that prove that a test was fixed, where the policy of a repository lets them. */
import { AutoQuarantine, type TestId } from "@lazaret/domain"
import type { IdentityHistory } from "@lazaret/store"
import { Effect } from "effect"
import type { Evaluation, Ports } from "./Evaluation.ts"

/** The stress run that proves that a test was fixed; null without one, and nothing is read where none counts. */
export const proofOf = Effect.fnUntraced(function* (
  { stress }: Ports,
  { policies, ref }: Evaluation,
  { histories, testId }: { readonly testId: TestId.TestId; readonly histories: ReadonlyArray<IdentityHistory> }
) {
  if (policies.autoQuarantine.stressRuns === 0) return null
  const known = {
    stress: yield* stress.ofTest(ref, testId, 2),
    identities: histories.map(({ executions }) => executions)
  }
  return AutoQuarantine.provenBy(known, policies.autoQuarantine)
})
