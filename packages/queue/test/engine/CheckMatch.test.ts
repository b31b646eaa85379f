import { assert, describe, it } from "@effect/vitest"
import { CheckMatch } from "@lazaret/queue"
import * as fc from "fast-check"

const job = (jobName: string, pipelineName = "CI") => ({ pipelineName, jobName })

/** The jobs of each check, and how they were found. */
const table = (checks: ReadonlyArray<string>, ...jobs: ReadonlyArray<string>) =>
  CheckMatch.of(
    checks,
    jobs.map((name) => job(name))
  ).map((match) => [match.check, match.by, ...match.jobs.map(({ jobName }) => jobName)])

describe("CheckMatch", () => {
  it("a check has the job with its name, also behind the name of the pipeline", () => {
    assert.deepStrictEqual(table(["unit", "CI / e2e"], "e2e", "unit"), [
      ["unit", "name", "unit"],
      ["CI / e2e", "name", "e2e"]
    ])
  })

  it("a check with the words of a job is matched, whatever is between them", () => {
    assert.deepStrictEqual(table(["Unit Tests", "End-to-end", "apiTests"], "unit-tests", "end_to_end", "api_tests"), [
      ["Unit Tests", "words", "unit-tests"],
      ["End-to-end", "words", "end_to_end"],
      ["apiTests", "words", "api_tests"]
    ])
  })

  it("every check of a matrix has the job of the matrix", () => {
    assert.deepStrictEqual(table(["unit (20, linux)", "unit (22, linux)", "lint"], "unit"), [
      ["unit (20, linux)", "words", "unit"],
      ["unit (22, linux)", "words", "unit"],
      ["lint", null]
    ])
  })

  it("a check of a called workflow has the job that was called", () => {
    assert.deepStrictEqual(table(["build / unit", "build / e2e (1)"], "unit", "e2e"), [
      ["build / unit", "words", "unit"],
      ["build / e2e (1)", "words", "e2e"]
    ])
  })

  it("a check shares a telling word with the key of its job or the name of an artifact", () => {
    assert.deepStrictEqual(table(["Unit tests", "Browser tests (chrome)"], "unit", "junit-browser"), [
      ["Unit tests", "part", "unit"],
      ["Browser tests (chrome)", "part", "junit-browser"]
    ])
  })

  it("a word that two jobs or two checks have tells none apart", () => {
    assert.deepStrictEqual(table(["Unit tests", "lint"], "unit-a", "unit-b"), [
      ["Unit tests", null],
      ["lint", null]
    ])
    assert.deepStrictEqual(table(["Unit tests", "Unit lint"], "unit"), [
      ["Unit tests", null],
      ["Unit lint", null]
    ])
  })

  it("a word that every second job has tells none apart", () => {
    assert.deepStrictEqual(table(["lint tests", "ui tests"], "tests-report", "junit"), [
      ["lint tests", null],
      ["ui tests", null]
    ])
  })

  it("one check and one job that are left belong together", () => {
    assert.deepStrictEqual(table(["unit", "Everything"], "unit", "main"), [
      ["unit", "name", "unit"],
      ["Everything", "rest", "main"]
    ])
    assert.deepStrictEqual(table(["unit", "Everything", "Lint"], "unit", "main").slice(1), [
      ["Everything", null],
      ["Lint", null]
    ])
    assert.deepStrictEqual(table(["Everything"], "main", "other"), [["Everything", null]])
    assert.deepStrictEqual(table(["Everything"]), [["Everything", null]])
  })

  it("a stricter match counts first, and its job is taken", () => {
    assert.deepStrictEqual(table(["Unit", "unit"], "unit"), [
      ["Unit", null],
      ["unit", "name", "unit"]
    ])
  })

  it("jobs of two pipelines with one name are both the check's", () => {
    const [match] = CheckMatch.of(["unit"], [job("unit"), job("unit", "Nightly")])
    assert.deepStrictEqual(
      match?.jobs.map(({ pipelineName }) => pipelineName),
      ["CI", "Nightly"]
    )
  })

  it("every check is in the table once, and every job that it names is one of the given", () => {
    const names = fc.uniqueArray(
      fc.constantFrom("unit", "Unit", "unit (1)", "CI / unit", "Unit tests", "lint", "e2e", "--", "")
    )
    fc.assert(
      fc.property(names, names, (checks, jobs) => {
        const given = jobs.map((name) => job(name))
        const matches = CheckMatch.of(checks, given)
        assert.deepStrictEqual(
          matches.map(({ check }) => check),
          checks
        )
        for (const { by, jobs: own } of matches) {
          assert.strictEqual(by === null, own.length === 0)
          assert.isTrue(own.every((each) => given.includes(each)))
        }
      })
    )
  })
})
