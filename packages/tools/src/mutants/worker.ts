/**
 * The process of a trial: holds a started vitest for each list of tests, and runs files of a list on request.
 *
 * **Details**
 *
 * A started vitest keeps what it transformed, so a run costs the tests alone. The parent ends the process when a run takes
 * too long.
 */
import { basename, join } from "node:path"
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node"

/** A request of the parent: a list of tests, the files of it that run (null: all), and the source whose tests run first. */
export interface Request {
  readonly config: string
  readonly files: ReadonlyArray<string> | null
  readonly path: string
}

/** The answer to a request. */
export interface Answer {
  readonly isPassed: boolean
  /** The files of the tests that failed, and their first errors. */
  readonly failed: ReadonlyArray<string>
}

const root = process.cwd()
const started = new Map<string, Vitest>()

const start = async (config: string): Promise<Vitest> => {
  const vitest = await createVitest("test", { root, config: join(root, config), watch: false, reporters: [{}] })
  started.set(config, vitest)
  return vitest
}

const run = async ({ config, files, path }: Request): Promise<Answer> => {
  const vitest = started.get(config) ?? (await start(config))
  const all = await vitest.globTestSpecifications()
  const chosen = all.filter(({ moduleId }) => files === null || files.some((file) => moduleId.endsWith(file)))
  const name = basename(path, ".ts")
  const isNamed = ({ moduleId }: TestSpecification) => name !== "" && basename(moduleId).startsWith(`${name}.`)
  for (const part of [chosen.filter(isNamed), chosen.filter((each) => !isNamed(each))]) {
    if (part.length === 0) continue
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(part)
    if (testModules.every((each) => each.ok()) && unhandledErrors.length === 0) continue
    const failed = testModules.filter((each) => each.state() === "failed").map(describe)
    return { isPassed: false, failed: [...failed, ...unhandledErrors.map(String)] }
  }
  return { isPassed: true, failed: [] }
}

const describe = (module: TestModule): string =>
  [module.relativeModuleId, ...module.errors().map(({ message }) => message)].join(": ")

process.on("message", (request: Request) => {
  // A mutant can break the collection of the tests, too.
  run(request).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ isPassed: false, failed: [String(error)] } satisfies Answer)
  )
})
process.on("disconnect", () => process.exit())
