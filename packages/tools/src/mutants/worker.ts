/**
 * The process of a trial: holds a started vitest for each list of tests, and runs a list on request.
 *
 * **Details**
 *
 * A started vitest keeps what it transformed, so a run costs the tests alone. A request names the file that changed; tests with
 * its name run first. The parent ends the process when a run takes too long.
 */
import { basename, join } from "node:path"
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node"

/** A request of the parent: a list of tests, and the file that changed; "" when none did. */
export interface Request {
  readonly config: string
  readonly path: string
}

/** The answer to a request. */
export interface Answer {
  readonly isPassed: boolean
  /** The names of the tests that failed. */
  readonly failed: ReadonlyArray<string>
}

interface Started {
  readonly vitest: Vitest
  readonly specifications: ReadonlyArray<TestSpecification>
}

const root = process.cwd()
const started = new Map<string, Started>()
let changed = ""

const start = async (config: string): Promise<Started> => {
  // A run that is cancelled at its first failure goes on for a while, into the next run: so every run goes to its end.
  const vitest = await createVitest("test", { root, config: join(root, config), watch: false, reporters: [{}] })
  const made = { vitest, specifications: await vitest.globTestSpecifications() }
  started.set(config, made)
  return made
}

const run = async ({ config, path }: Request): Promise<Answer> => {
  // The file that changed last has its own text again.
  for (const { vitest } of started.values()) {
    for (const each of [changed, path]) if (each !== "") vitest.invalidateFile(join(root, each))
  }
  changed = path
  const { specifications, vitest } = started.get(config) ?? (await start(config))
  const name = basename(path, ".ts")
  const isNamed = ({ moduleId }: TestSpecification) => name !== "" && basename(moduleId).startsWith(`${name}.`)
  const parts = [specifications.filter(isNamed), specifications.filter((each) => !isNamed(each))]
  for (const part of parts) {
    if (part.length === 0) continue
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(part)
    if (testModules.every((each) => each.ok()) && unhandledErrors.length === 0) continue
    return { isPassed: false, failed: testModules.filter((each) => each.state() === "failed").map(nameOf) }
  }
  return { isPassed: true, failed: [] }
}

const nameOf = ({ relativeModuleId }: TestModule): string => relativeModuleId

process.on("message", (request: Request) => {
  // A mutant can break the collection of the tests, too.
  run(request).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ isPassed: false, failed: [String(error)] } satisfies Answer)
  )
})
process.on("disconnect", () => process.exit())
