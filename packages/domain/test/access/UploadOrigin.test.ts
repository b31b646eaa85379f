import { Report, Repository, UploadOrigin } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { runContexts } from "@lazaret/domain/testing"

const run = Report.contextOf({ pipelineName: "CI", jobName: "unit", commit: "4f1c" })

const unnamed = { ...run, runId: "commit:4f1c" }

const origin = (code: UploadOrigin.Code): UploadOrigin.UploadOrigin => ({
  repository: { owner: "acme", repository: "widgets" },
  subject: "GitHub Actions run 7 of acme/widgets",
  runId: "7",
  runAttempt: 2,
  code
})

const ref = { _tag: "ref", branch: "main", commit: "4f1c" } as const

const name = Schema.Literals(["main", "master", "topic"])

const codes = Arbitrary.schema(
  Schema.Union([
    Schema.Struct({ _tag: Schema.tag("ref"), branch: name, commit: Schema.Literals(["c1", "c2"]) }),
    Schema.Struct({ _tag: Schema.tag("pull"), head: name, base: name }),
    Schema.Struct({
      _tag: Schema.tag("unproven"),
      head: Schema.NullOr(name),
      base: Schema.NullOr(name),
      actor: Schema.Literals(["ada", "eve"])
    })
  ])
)

describe("UploadOrigin.bind", () => {
  it("what a report leaves open comes from the token", () => {
    const bound = Result.getOrThrow(UploadOrigin.bind(origin(ref), unnamed))
    assert.deepInclude(bound, { branch: "main", baseBranch: null, runId: "7", runAttempt: 2 })
  })

  it("a report that contradicts its token is refused with the first contradiction", () => {
    const cases: ReadonlyArray<readonly [UploadOrigin.Mismatch, Partial<Report.RunContext>]> = [
      [{ what: "run", proven: "7", stated: "8" }, { runId: "8" }],
      [{ what: "attempt", proven: "2", stated: "3" }, { runAttempt: 3 }],
      [{ what: "commit", proven: "4f1c", stated: "c9" }, { commit: "c9" }],
      [{ what: "branch", proven: "main", stated: "topic" }, { branch: "topic" }]
    ]
    for (const [mismatch, stated] of cases) {
      assert.deepStrictEqual(UploadOrigin.bind(origin(ref), { ...unnamed, ...stated }), Result.fail(mismatch))
    }
  })

  it("the token of a tag never speaks for the branch of that name", () => {
    const code = { _tag: "ref", branch: "refs/tags/main", commit: "4f1c" } as const
    const bound = Result.getOrThrow(UploadOrigin.bind(origin(code), { ...unnamed, branch: "main" }))
    assert.isFalse(Repository.isDefaultBranch(bound, "main"))
  })

  it("the branch of a fork names its owner as the report does, else the account that started the run", () => {
    const code = { _tag: "unproven", head: "main", base: "main", actor: "ada" } as const
    const bound = (branch: string | null) =>
      Result.getOrThrow(UploadOrigin.bind(origin(code), { ...unnamed, branch })).branch
    assert.deepStrictEqual([bound(null), bound("main"), bound("eve:main")], ["ada:main", "ada:main", "eve:main"])
  })

  it.prop(
    "a bound run says nothing that its token does not prove",
    { code: codes, context: runContexts },
    ({ code, context }) => {
      const result = UploadOrigin.bind({ ...origin(code), runId: null, runAttempt: null }, context)
      if (Result.isFailure(result)) return
      const bound = result.success
      assert.deepStrictEqual(
        UploadOrigin.bind(origin(code), { ...bound, runId: "7", runAttempt: 2 }).pipe(
          Result.map(({ branch, baseBranch }) => [branch, baseBranch])
        ),
        Result.succeed([bound.branch, bound.baseBranch])
      )
      for (const main of ["main", "master"]) {
        const speaks = code._tag === "ref" && code.branch === main
        assert.strictEqual(Repository.isDefaultBranch(bound, main), speaks)
      }
      assert.strictEqual(Report.isFork(bound), code._tag === "unproven")
      if (code._tag !== "ref") assert.isNull(bound.pullRequest)
    }
  )
})
