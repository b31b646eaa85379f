/** Generators of facts on failures. */
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Facts from "../failure/FailureFacts.ts"
import * as Instant from "../time/Instant.ts"

const now = Date.UTC(2026, 0, 31)

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const branch = Schema.Literals(["main", "release/1", "topic", "other", "third"])

const conclusion = Schema.Literals(["passed", "failed"])

const signature = Schema.NullOr(Schema.Literals(["timeout", "assertion"]))

const FactsDraw = Schema.Struct({
  branch,
  base: Schema.Literals(["main", "release/1"]),
  isPullRequest: Schema.Boolean,
  attempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  message: Schema.NullOr(Schema.Literals(["", "boom"])),
  signature,
  reruns: Schema.Array(Schema.Struct({ run: small(2), conclusion })).check(Schema.isMaxLength(4)),
  siblings: Schema.Array(conclusion).check(Schema.isMaxLength(6)),
  job: Schema.Struct({ passed: small(20), failed: small(20), silent: small(20) }),
  rows: Schema.Array(
    Schema.Struct({ branch: Schema.Literals(["main", "release/1"]), conclusion, length: small(40), signature })
  ).check(Schema.isMaxLength(2)),
  previousRuns: Schema.Array(
    Schema.Struct({ branch: Schema.Literals(["main", "release/1"]), passed: small(8), failed: small(8) })
  ).check(Schema.isMaxLength(2)),
  flakes: Schema.Array(small(90)).check(Schema.isMaxLength(16)),
  others: Schema.Array(
    Schema.Struct({ branch: Schema.Literals(["other", "third"]), days: small(70), isSame: Schema.Boolean })
  ).check(Schema.isMaxLength(3)),
  earlier: Schema.Struct({ commits: small(3), others: small(3) }),
  elsewhere: Schema.Array(Schema.Struct({ branch, base: branch, hours: small(12), shared: small(6) })).check(
    Schema.isMaxLength(3)
  ),
  quarantine: Schema.NullOr(Schema.Array(Schema.Literals(["timeout", "assertion"])).check(Schema.isMaxLength(2)))
})

/** Facts that reach every verdict: with and without base, reruns, siblings and quarantine. */
export const failureFacts: Arbitrary.Arbitrary<Facts.FailureFacts> = Arbitrary.map(
  Arbitrary.schema(FactsDraw),
  (draw): Facts.FailureFacts =>
    Facts.of(failedExecution(draw), {
      reruns: draw.reruns.map((each, index) => ({
        id: `rerun ${index}`,
        runId: `run ${each.run}`,
        at: now + index,
        conclusion: each.conclusion
      })),
      siblings: draw.siblings.map((each, index) => ({
        pipelineName: "CI",
        jobName: `unit-${index}`,
        conclusion: each
      })),
      job: { ...draw.job, silent: Math.min(draw.job.silent, draw.job.failed) },
      rows: distinctBranches(draw.rows).map((row) => ({
        ...row,
        length: row.length + 1,
        commit: `${row.branch} head`,
        at: now - Instant.hour,
        signature: row.conclusion === "failed" ? row.signature : null,
        outcomes: Array.from({ length: Math.min(31, row.length + 1) }, (_, index) => ({
          conclusion: row.conclusion,
          commit: index === 0 ? `${row.branch} head` : `${row.branch} ${index}`,
          at: now - (index + 1) * Instant.hour,
          isOutage: false,
          signature: row.conclusion === "failed" ? row.signature : null
        }))
      })),
      previousRuns: distinctBranches(draw.previousRuns),
      test: {
        flakes: draw.flakes.map((days, index) => ({
          commit: `f${index % 5}`,
          jobName: "unit",
          at: now - days * Instant.day
        })),
        signatures: [],
        others: draw.others.map(({ branch: other, days, isSame }, index) => ({
          branch: other,
          commit: `o${index}`,
          jobName: "unit",
          at: now - days * Instant.day,
          isSame
        }))
      },
      earlier: { commits: draw.earlier.commits + draw.earlier.others, same: draw.earlier.commits },
      elsewhere: draw.elsewhere.map(({ hours, ...one }, index) => ({
        ...one,
        commit: `e${index}`,
        at: now - hours * Instant.hour
      })),
      quarantine: draw.quarantine === null ? null : { id: "q", reason: "flaky", signatures: draw.quarantine }
    })
)

const failedExecution = (draw: typeof FactsDraw.Type): Facts.FailedExecution => ({
  id: "failure",
  testName: "Cart > sorts",
  pipelineName: "CI",
  jobName: "unit",
  at: now,
  commit: "c1",
  branch: draw.branch,
  base: draw.base,
  isPullRequest: draw.isPullRequest,
  runId: "run 0",
  attempts: draw.attempts,
  exceptionType: null,
  message: draw.message,
  file: null,
  jobUrl: null,
  signature: draw.signature
})

const distinctBranches = <A extends { readonly branch: string }>(list: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(list.map((one) => [one.branch, one])).values()
]
