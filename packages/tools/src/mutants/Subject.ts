/** The subjects of mutants: sources, and the tests that have to notice a change of them. */

/** A subject. `tests` are run one list after the other, the fast ones first, until one fails. */
export interface Subject {
  readonly name: string
  readonly sources: ReadonlyArray<string>
  readonly tests: ReadonlyArray<ReadonlyArray<string>>
}

/** Without the exhaustive model, whose tests take a minute each. */
const laws = ["packages/queue/test/engine/{EngineLaws,GateLaws}.test.ts"]

const subjects: ReadonlyArray<Subject> = [
  {
    name: "queue",
    sources: ["packages/queue/src/!(index).ts", "packages/queue/src/engine/**/*.ts"],
    tests: [
      ["packages/queue/test/*.test.ts", "packages/queue/test/engine/!(EngineLaws|EngineModel|GateLaws).test.ts"],
      laws,
      ["packages/services/test/queue/*.test.ts"]
    ]
  },
  {
    name: "failure",
    sources: ["packages/domain/src/failure/*.ts"],
    tests: [["packages/domain/test/failure/*.test.ts"], ["packages/store-conformance/test/MemoryStores.test.ts"]]
  },
  {
    name: "health",
    sources: ["packages/domain/src/health/*.ts"],
    tests: [["packages/domain/test/health/*.test.ts"], ["packages/store-conformance/test/MemoryStores.test.ts"]]
  },
  // Without the tests that kill servers or play long stories: each change would take minutes.
  {
    name: "forge",
    sources: ["packages/forge-{github,gitlab}/src/!(index).ts"],
    tests: [["packages/forge-{github,gitlab}/test/!(*Crash|*Scenarios|*OnPostgres|Certifications).test.ts"]]
  }
]

/** The names of the subjects. */
export const names: ReadonlyArray<string> = subjects.map(({ name }) => name)

/** The subject with a name. */
export const find = (name: string): Subject | undefined => subjects.find((subject) => subject.name === name)
