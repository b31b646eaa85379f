import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { parse } from "../junitText.ts"

/** A test without subtests. */
const Leaf = Schema.Literals(["passed", "failed", "todo"])

/** A `describe`, or a test with subtests, which fails with one of them or by itself. */
interface Group {
  readonly kind: "describe" | "test" | "failing test"
  readonly within: ReadonlyArray<Tree>
}

type Tree = typeof Leaf.Type | Group

const groupOf = (within: Schema.Codec<Tree, unknown>): Schema.Codec<Group, unknown> =>
  Schema.Struct({
    kind: Schema.Literals(["describe", "test", "failing test"]),
    within: Schema.Array(within).check(Schema.isBetweenLength(1, 3))
  })

const level = (inner: Schema.Codec<Tree, unknown>): Schema.Codec<Tree, unknown> => Schema.Union([Leaf, groupOf(inner)])

const trees = Arbitrary.schema(Schema.Array(level(level(level(Leaf)))).check(Schema.isBetweenLength(1, 4)))

const failsWithin = (tree: Tree): boolean =>
  typeof tree === "string" ? tree === "failed" : tree.within.some((each) => fails(each))

const fails = (tree: Tree): boolean =>
  typeof tree === "string" ? tree === "failed" : tree.kind === "failing test" || failsWithin(tree)

const listsFailure = (tree: Tree): boolean =>
  typeof tree === "string" ? tree === "failed" : tree.within.some(listsFailure)

const all = (given: ReadonlyArray<Tree>): ReadonlyArray<Tree> =>
  given.flatMap((tree) => (typeof tree === "string" ? [tree] : [tree, ...all(tree.within)]))

const outcomes = {
  passed: "",
  failed: `<failure type="testCodeFailure" message="no">no</failure>`,
  todo: `<skipped type="todo" message="true"/><failure type="testCodeFailure" message="later">later</failure>`
} as const

const written = (tree: Tree, index: number): string => {
  if (typeof tree === "string") {
    return `<testcase name="t${index}" time="0.1" classname="test"${tree === "passed" ? "" : ' failure="no"'}>${outcomes[tree]}</testcase>`
  }
  const { within } = tree
  // A suite counts what is directly within that has a failure written into it, todos and suites too.
  const failures = within.filter((each) => (typeof each === "string" ? each !== "passed" : hasFailure(each))).length
  return (
    `<testsuite name="g${index}" time="0.1" disabled="0" errors="0" tests="${within.length}" failures="${failures}" skipped="0" hostname="ci">` +
    `${within.map(written).join("")}</testsuite>`
  )
}

const hasFailure = ({ within }: Group): boolean =>
  within.some((each) => (typeof each === "string" ? each !== "passed" : hasFailure(each)))

/** The report of node:test on these tests. */
const reportOf = (given: ReadonlyArray<Tree>): string => {
  const every = all(given)
  const suites = every.filter((tree) => typeof tree !== "string" && tree.kind === "describe").length
  const failed = every.filter((tree) => (typeof tree === "string" || tree.kind !== "describe") && fails(tree)).length
  return `<testsuites>${given.map(written).join("")}<!-- suites ${suites} --><!-- fail ${failed} --><!-- cancelled 0 --></testsuites>`
}

/** Whether a test fails by itself, so that its failure is in the totals alone. */
const hides = (tree: Tree): boolean =>
  typeof tree !== "string" && tree.kind === "failing test" && !tree.within.some(fails)

describe("totals of node:test", () => {
  it.prop("a report is incomplete when a test with subtests fails by itself", [trees], ([given]) => {
    if (all(given).some(hides)) assert.isAbove(parse(reportOf(given)).incomplete.length, 0)
  })

  it.prop("a report is whole when every failure is listed and no describe is green", [trees], ([given]) => {
    const every = all(given)
    const isGreen = (tree: Tree) => typeof tree !== "string" && tree.kind === "describe" && !listsFailure(tree)
    if (!every.some(hides) && !every.some(isGreen)) assert.deepStrictEqual(parse(reportOf(given)).incomplete, [])
  })
})
