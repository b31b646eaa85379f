/** The handlers of the routes of stress runs: one use case each. */
import { Api, type Schemas } from "@lazaret/api"
import { Stress } from "@lazaret/domain"
import { StressRuns } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "stress",
  Effect.fnUntraced(function* (handlers) {
    const stress = yield* StressRuns

    return handlers.handleAll({
      recordStressRun: {
        handler: ({ params, payload }) =>
          stress.record(params, runOf(payload)).pipe(
            Effect.map((stored) => ({ stored })),
            ServiceErrors.toProblem
          ),
        options: { uninterruptible: true }
      },
      listStressRuns: ({ params }) =>
        stress.ofTest(params, params.test_id).pipe(
          Effect.map((runs) => ({ stress_runs: runs.map(shownOf) })),
          ServiceErrors.toProblem
        )
    })
  })
)

const runOf = ({ below, commit, confidence, run_id: runId, tests }: typeof Schemas.RecordStressRun.Type) => ({
  runId,
  commit,
  claim: { confidence, below },
  tests: tests.map(({ failed, passed, test_name: testName }) => ({ testName, passed, failed }))
})

type StressRun = Effect.Success<ReturnType<StressRuns["Service"]["ofTest"]>>[number]

const shownOf = ({ at, claim, commit, failed, passed, runId }: StressRun) => ({
  run_id: runId,
  commit,
  ended_at: at,
  passed,
  failed,
  judgement: Stress.judge({ passed, failed }),
  confidence: claim.confidence,
  bound: Stress.boundOf(passed, claim.confidence),
  sentence: Stress.sentenceOf({ passed, failed }, claim.confidence)
})
