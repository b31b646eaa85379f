/** `lazaret shard`: prints what one shard of a CI job runs. */
import { relative } from "node:path"
import { Console, Effect, type FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Schemas } from "@lazaret/api"
import { type Repository, ShardPlan } from "@lazaret/domain"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as ShardGain from "./ShardGain.ts"
import * as ShardPlanFile from "./ShardPlanFile.ts"
import * as StandardInput from "../terminal/StandardInput.ts"
import { plain } from "../terminal/Terminal.ts"

const count = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (given) => given >= 1 && given <= ShardPlan.mostShards,
      (given) => `"${given}" is not between 1 and ${ShardPlan.mostShards}`
    ),
    Flag.optional
  )

/**
 * Prints the share of a shard, one name per line; `lazaret shard plan` prints the durations as a plan file.
 *
 * **Details**
 *
 * Standard output holds names alone, so that a runner can read them; all sentences are on standard error.
 */
export const command = Command.make(
  "shard",
  {
    ...Flags.ofRepository,
    index: count("index", "This shard, counted from 1"),
    total: count("total", "Number of shards"),
    by: Flag.Literals("by", ["file", "class", "test"]).pipe(
      Flag.withDescription("What the names are: files, classes (or packages), or tests"),
      Flag.withDefault("file" as const)
    ),
    whenAway: Flag.String("when-away").pipe(
      Flag.withMetavar("all|fail|file"),
      Flag.withDescription(
        "Without a server: run all names, fail with 4, or use this plan file, which every shard of the run must have"
      ),
      Flag.withDefault("all")
    ),
    runId: Flags.text("run-id", 255, "Run of the pipeline (CI)").pipe(Flag.optional),
    job: Flags.text("job", 255, "Job, the same for all of its shards (CI)").pipe(Flag.optional),
    names: Argument.String("name").pipe(
      Argument.withDescription("All names of the suite (else: standard input, one per line); plan prints a plan file"),
      Argument.variadic()
    )
  },
  Effect.fn("lazaret.shard")(function* (given) {
    const params = yield* Session.repositoryOf(given.repo)
    const isPlan = given.names[0] === "plan" && Option.isNone(given.index)
    const listed = yield* namesOf(isPlan ? given.names.slice(1) : given.names)
    const names = keyed(listed, given.by)
    if (isPlan) return yield* printPlan(given, params, names)
    const asked = yield* shardOf(given)
    const file = yield* ShardPlanFile.ofFlag(given.whenAway, given.by)
    const question = { ...asked, by: given.by, names: [...names.keys()] }
    const share = yield* shareOf(given, params, { question, file }).pipe(
      Effect.catchTag("CommandFailure", (error) =>
        error.exitCode === ExitCode.unreachable && given.whenAway !== "fail"
          ? away(question, { file, message: error.message })
          : Effect.fail(orUsage(error))
      )
    )
    for (const line of ShardGain.lines(share, question)) yield* Console.error(`lazaret: ${line}`)
    if (given.json) return yield* Console.log(JSON.stringify(share, null, 2))
    for (const name of share.names) for (const each of names.get(name) ?? []) yield* Console.log(each)
  })
).pipe(
  Command.withDescription(
    "Print what one shard of a CI job runs: the names that take as long as those of each other shard. The first shard of a run fixes the plan " +
      "at the server; the others, and every further attempt, get the same one. `lazaret shard plan` prints the durations as a plan file."
  ),
  Command.withShortDescription("Print what one shard of a job runs"),
  Command.withExamples([
    {
      command: "git ls-files ':(glob)tests/**/test_*.py' | lazaret shard --index 2 --total 8 | xargs -r pytest",
      description: "Run the second of eight shards"
    },
    {
      command: "git ls-files ':(glob)tests/**/test_*.py' | lazaret shard plan > plan.json",
      description: "Write a plan file"
    }
  ])
)

type Question = typeof Schemas.ShardQuestion.Type

type Share = typeof Schemas.ShardShare.Type

/** The names of the arguments, else the lines of standard input. */
const namesOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const what = "the names of all test files, one per line"
  const lines =
    given.length > 0
      ? given
      : Buffer.concat([...(yield* StandardInput.pieces(what))])
          .toString("utf8")
          .split(/\r?\n/u)
  const names = lines.map((line) => line.trim()).filter((line) => line !== "")
  if (names.length === 0) return yield* CommandFailure.usage(`There are no names: pipe ${what} into the command.`)
  return names
})

/** The names as all machines have them, each with its spelling here: a path is taken relative to the current folder. */
const keyed = (names: ReadonlyArray<string>, by: Question["by"]): ReadonlyMap<string, ReadonlyArray<string>> => {
  const keys = new Map<string, Array<string>>()
  for (const name of names) {
    const key = by === "file" ? relative(process.cwd(), name).replaceAll("\\", "/") || name : name
    const spelt = keys.get(key)
    if (spelt === undefined) keys.set(key, [name])
    else if (!spelt.includes(name)) spelt.push(name)
  }
  return keys
}

interface Asked {
  readonly index: Option.Option<number>
  readonly total: Option.Option<number>
  readonly runId: Option.Option<string>
  readonly job: Option.Option<string>
}

/** The run, the job and the place of this shard. */
const shardOf = Effect.fnUntraced(function* (
  given: Asked
): Effect.fn.Return<
  Pick<Question, "run_id" | "job_name" | "index" | "total">,
  CommandFailure.CommandFailure,
  FileSystem.FileSystem
> {
  const { index, total } = given
  if (Option.isNone(index) || Option.isNone(total)) {
    return yield* CommandFailure.usage("Give --index and --total, such as --index 2 --total 8.")
  }
  if (index.value > total.value) {
    return yield* CommandFailure.usage(
      `--index ${index.value} is above --total ${total.value}: shards are counted from 1 to the total.`
    )
  }
  const ci = yield* CiEnvironment.current
  const runId = Option.getOrElse(given.runId, () => ci?.runId ?? null)
  const job = Option.getOrElse(given.job, () => ci?.job ?? null)
  if (runId === null || job === null) {
    return yield* CommandFailure.usage(
      "Give --run-id and --job: the CI system does not say which run and job this shard belongs to."
    )
  }
  return { run_id: runId, job_name: job, index: index.value, total: total.value }
})

interface Known {
  readonly question: Question
  readonly file: ShardPlanFile.PlanFile | null
}

/** The share that the server says; with a plan file it must be the one of the file, which shards without a server use. */
const shareOf = Effect.fnUntraced(function* (
  given: Flags.Server,
  params: Repository.RepositoryRef,
  { file, question }: Known
) {
  const session = yield* Session.open(given, Session.patienceOfJob)
  const payload = file === null ? question : { ...question, seconds: ShardPlanFile.secondsOf(file, question.names) }
  const { value } = yield* session.call(Session.nameOf(params), (api) => api.planShard({ params, payload, ...both }))
  if (file !== null && ShardPlanFile.shareOf(file, question).names.join("\n") !== value.names.join("\n")) {
    return yield* CommandFailure.usage(
      `${plain(file.path)} is not the plan of the run ${plain(question.run_id)}: another shard fixed it without this file. ` +
        "Give every shard of a run the same --when-away."
    )
  }
  return value
})

/** The share without a server. */
const away = Effect.fnUntraced(function* (
  question: Question,
  { file, message }: { readonly file: ShardPlanFile.PlanFile | null; readonly message: string }
): Effect.fn.Return<Share> {
  const what =
    file === null ? `This shard runs all ${question.names.length} names.` : `The plan is that of ${plain(file.path)}.`
  yield* Console.error(`lazaret: ${message} ${what}`)
  return file === null ? ShardPlanFile.everything(question.names) : ShardPlanFile.shareOf(file, question)
})

/** A list or a number that the plan of the run does not have is a fault of the command. */
const orUsage = (error: CommandFailure.CommandFailure): CommandFailure.CommandFailure =>
  error.status === 409 || error.status === 422 ? CommandFailure.usage(error.message) : error

const printPlan = Effect.fnUntraced(function* (
  given: Flags.Server & Pick<Asked, "job"> & { readonly by: Question["by"] },
  params: Repository.RepositoryRef,
  names: ReadonlyMap<string, ReadonlyArray<string>>
) {
  const session = yield* Session.open(given, Session.patienceOfJob)
  const job = Option.match(given.job, { onNone: () => ({}), onSome: (job_name) => ({ job_name }) })
  const payload = { by: given.by, names: [...names.keys()], ...job }
  const { body } = yield* session.call(Session.nameOf(params), (api) =>
    api.askShardDurations({ params, payload, ...both })
  )
  yield* Console.log(JSON.stringify(body, null, 2))
})
