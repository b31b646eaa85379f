import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { ConfigProvider, Console, Effect } from "effect"
import { Command, Completions } from "effect/cli"
import * as ExitCode from "../src/terminal/ExitCode.ts"
import * as Lazaret from "../src/Lazaret.ts"
import * as MissingPackage from "../src/terminal/MissingPackage.ts"
import * as ServerCommands from "../src/ServerCommands.ts"

/** Runs the command line with a package of the server that is loaded so; yields what is printed and the exit code. */
const run = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  importServer: () => Promise<{ readonly commands: ServerCommands.ServerCommands }>
) {
  const lines: Array<unknown> = []
  const current = yield* Console.Console
  const write = (line: unknown) => void lines.push(line)
  const server = yield* ServerCommands.load(args, importServer)
  const exitCode = yield* Lazaret.run(args, server).pipe(
    Effect.provideService(Console.Console, { ...current, log: write, error: write }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({}))
  )
  return { exitCode, text: lines.join("\n") }
})

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /src/Serve.ts`), {
    code: "ERR_MODULE_NOT_FOUND"
  })

const withoutServer = () => Promise.reject(notFound("@lazaret/server"))

/** A server package whose command `serve` does this. */
const serving = (serve: Effect.Effect<void, MissingPackage.MissingPackage>) => () =>
  Promise.resolve({ commands: { ...ServerCommands.absent, serve: Command.make("serve", {}, () => serve) } })

describe("without the package of the server", () => {
  test("its commands say which package they come with, and exit with 3", function* () {
    const { exitCode, text } = yield* run(["serve"], withoutServer)
    assert.strictEqual(exitCode, ExitCode.setup)
    assert.strictEqual(
      text,
      "lazaret: lazaret serve needs the full installation: a clone of Lazaret (npm ci), its image, or the package @lazaret/server."
    )
  })

  test("the help lists its commands, and all others work", function* () {
    const { exitCode, text } = yield* run(["--help"], withoutServer)
    assert.strictEqual(exitCode, ExitCode.done)
    assert.include(text, "Run the server")
    const { exitCode: ofIngest, text: problem } = yield* run(["ingest", "no-such-report.xml"], withoutServer)
    assert.strictEqual(ofIngest, ExitCode.usage)
    assert.include(problem, "no repository")
  })
})

describe("a flag whose value begins with a hyphen", () => {
  test("the fault is the missing value, not the flags that the value reads like", function* () {
    const flags = ["--repo", "acme/widgets", "--reason", "r", "--expires", "-5d"]
    const { exitCode, text } = yield* run(["quarantine", "add", ...flags, "t"], withoutServer)
    assert.strictEqual(exitCode, ExitCode.usage)
    assert.strictEqual(
      text,
      'lazaret quarantine add: --expires has no value; one that begins with "-" is written --expires=VALUE. ' +
        "See lazaret quarantine add --help"
    )
  })
})

describe("an error that no command expects", () => {
  test("a package that is not installed is named with its remedy", function* () {
    const load = Effect.asVoid(MissingPackage.load(() => Promise.reject(notFound("@lazaret/web"))))
    const { exitCode, text } = yield* run(["serve"], serving(load))
    assert.strictEqual(exitCode, ExitCode.setup)
    assert.match(text, /^lazaret: A package that lazaret needs is missing \(Cannot find package '@lazaret\/web'/)
  })

  test("every other error is reported as a bug, also one of the import itself", function* () {
    const broken = new TypeError("x is not a function")
    for (const serve of [Effect.die(broken), Effect.asVoid(MissingPackage.load(() => Promise.reject(broken)))]) {
      const { exitCode, text } = yield* run(["serve"], serving(serve))
      assert.strictEqual(exitCode, ExitCode.bug)
      assert.match(text, /^lazaret: this is a bug/)
    }
  })
})

/** Each command without subcommands, with the names before it. */
const leaves = (
  { subcommands, ...each }: Completions.CommandDescriptor,
  path: ReadonlyArray<string> = []
): ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly each: typeof each }> =>
  subcommands.length === 0
    ? [{ path, each }]
    : subcommands.flatMap((subcommand) => leaves(subcommand, [...path, subcommand.name]))

/** The flag that is reported as missing when a command runs with the given flags; null when none is. */
const missingFlag = (path: ReadonlyArray<string>, given: ReadonlyArray<string>) =>
  Effect.map(
    run([...path, ...given], withoutServer),
    ({ text }) => /The flag --([\w-]+) is missing/u.exec(text)?.[1] ?? null
  )

describe("a switch", () => {
  test("no command asks for one that was left out", function* () {
    const all = leaves(Completions.fromCommand(Lazaret.commandWith(ServerCommands.absent)))
    const demanded: Array<string> = []
    for (const { each, path } of all) {
      const values = each.arguments.filter(({ required }) => required).map(() => "1")
      const switches = each.flags.filter(({ type }) => type._tag === "Boolean").map(({ name }) => name)
      // The address is refused after the flags are read, so that no command does anything.
      if (!each.flags.some(({ name }) => name === "url")) continue
      let flags: ReadonlyArray<string> = ["--url", "nowhere"]
      let missing = yield* missingFlag(path, [...flags, ...values])
      while (missing !== null && !switches.includes(missing) && flags.length < 20) {
        flags = [...flags, `--${missing}`, "1"]
        missing = yield* missingFlag(path, [...flags, ...values])
      }
      if (missing !== null) demanded.push(`${path.join(" ")} --${missing}`)
    }
    assert.isAbove(all.length, 50)
    assert.deepStrictEqual(demanded, [])
  })
})
