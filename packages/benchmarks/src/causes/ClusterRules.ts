/** Rules that say which tests have one cause: that of the product, and simple ones to compare it with. */
import { type CauseFacts, CauseGroups, CausePolicy } from "@lazaret/domain"

/** Job runs with failures. */
export type Runs = ReadonlyArray<CauseFacts.FailedRun>

/** A rule yields the group of each test that failed. */
export interface ClusterRule {
  readonly name: string
  readonly groupsOf: (runs: Runs) => ReadonlyMap<string, string>
}

/** The rule of the product. */
export const causes: ClusterRule = {
  name: "causes",
  groupsOf: (runs) =>
    new Map(
      CauseGroups.of(runs, CausePolicy.defaults)
        .filter(({ isOutage }) => !isOutage)
        .flatMap(({ tests }, index) => tests.map(({ testName }) => [testName, String(index)] as const))
    )
}

/** The name of a test up to its last part: its class or file. */
const classOf = (testName: string): string => {
  const plain = testName.replace(/[[(].*$/su, "")
  return plain.slice(0, Math.max(plain.lastIndexOf("."), plain.lastIndexOf(" > "), plain.lastIndexOf("/"), 0))
}

/** The last message of each test outside of excused outages. */
const messagesOf = (runs: Runs): ReadonlyMap<string, string> =>
  new Map(
    runs
      .filter(({ isExcused }) => !isExcused)
      .flatMap(({ failed }) => failed.map(({ signature, testName }) => [testName, signature ?? `silent ${testName}`]))
  )

const byText =
  (textOf: (testName: string, message: string) => string): ClusterRule["groupsOf"] =>
  (runs) =>
    new Map([...messagesOf(runs)].map(([testName, message]) => [testName, textOf(testName, message)]))

/** Every rule, the simple ones first. */
export const all: ReadonlyArray<ClusterRule> = [
  { name: "same class", groupsOf: byText(classOf) },
  { name: "same message", groupsOf: byText((_, message) => message) },
  { name: "same class and message", groupsOf: byText((testName, message) => `${classOf(testName)} ${message}`) },
  causes
]
