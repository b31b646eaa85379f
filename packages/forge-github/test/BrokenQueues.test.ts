import { assert, describe, it } from "@effect/vitest"
import { QueueConformance, QueuePlatform } from "@lazaret/forge-conformance"
import type { Hub } from "@lazaret/forge-simulated"
import { type ForgeError, QueueForge } from "@lazaret/services"
import { Effect, Exit, Layer, Option } from "effect"
import { asApp, layer, started } from "./connection.ts"
import { needed, platform } from "./platform.ts"

type Port = QueueForge["Service"]

/** Remembers the first answer to each question. */
const cached = <Arguments extends ReadonlyArray<unknown>, A, E>(read: (...asked: Arguments) => Effect.Effect<A, E>) => {
  const known = new Map<string, A>()
  return (...asked: Arguments): Effect.Effect<A, E> => {
    const key = JSON.stringify(asked)
    const answer = known.get(key)
    return answer === undefined
      ? Effect.tap(read(...asked), (first) => Effect.sync(() => known.set(key, first)))
      : Effect.succeed(answer)
  }
}

const silent = (effect: Effect.Effect<void, ForgeError>) => Effect.ignore(effect)

interface Breakage {
  (forge: Port, repository: Hub.Repository): Partial<Port>
}

/** Adapters that are broken in one way each, and cases that find it. */
const broken: Readonly<Record<string, readonly [Breakage, ReadonlyArray<string>]>> = {
  "reads the first page of a queue": [
    (forge) => ({
      queue: (ref, branch) =>
        Effect.map(
          forge.queue(ref, branch),
          Option.map((entries) => entries.slice(0, 100))
        )
    }),
    ["a queue longer than a page of the platform is read whole, in its order"]
  ],
  "reads the first page of checks and rules": [
    (forge) => ({
      checks: (ref, sha) => Effect.map(forge.checks(ref, sha), (checks) => checks.slice(-1)),
      rules: (ref, branch) => Effect.map(forge.rules(ref, branch), (rules) => rules.slice(0, 100))
    }),
    ["more statuses than a page of the platform are all read", "more rules than a page of the platform are all read"]
  ],
  "remembers its first answers": [
    (forge) => ({
      pull: cached(forge.pull),
      openPulls: cached(forge.openPulls),
      queue: cached(forge.queue),
      checks: cached(forge.checks),
      rules: cached(forge.rules)
    }),
    [
      "when a person takes a pull request out, those behind it get other groups",
      "when the head of the queue has merged, the group behind stands on what was tested, and keeps its commit",
      "a repository that was renamed is found by its earlier name",
      "the checks that rulesets and the older protection require are all rules, each once",
      "the newest status of a name counts, and the same name in another commit does not"
    ]
  ],
  "does not follow a repository to another account": [
    (forge, repository) => ({
      queue: (ref, branch) =>
        ref.owner === repository.owner.toLowerCase() ? forge.queue(ref, branch) : Effect.succeed(Option.none())
    }),
    ["a repository that was transferred to another account with the app is found by its earlier name"]
  ],
  "cancels every run of a commit": [
    (forge) => ({ cancelChecks: (ref, sha) => Effect.as(forge.cancel(ref, sha), true) }),
    ["the runs of some checks are cancelled, and no other run of the commit"]
  ],
  "does nothing at all": [
    () => ({
      enqueue: () => Effect.void,
      dequeue: () => Effect.void,
      setCheck: () => Effect.void,
      rerun: () => Effect.succeed("none" as const)
    }),
    [
      "a pull request that was closed and opened again enters the queue",
      "a pull request that leaves and enters again is the last",
      "the check of the queue on one commit says nothing about another",
      "a long title of the check of the queue, in any script, is accepted",
      "a check of the queue whose answer was lost is set again, and shown once as it was set last",
      "a check of the queue that is set after a read that lags is shown as it was set last",
      "a pull request whose entry was answered by a closed connection is in the queue once"
    ]
  ],
  "takes refusals and limits for success": [
    (forge) => ({ enqueue: (ref, member) => silent(forge.enqueue(ref, member)) }),
    [
      "a push takes a pull request out of the queue, and only its new head enters again",
      "a draft does not enter the queue",
      "a merged pull request does not enter the queue again, and to take it out changes nothing",
      "a used-up limit says when it ends, and what was asked for has no effect"
    ]
  ],
  "knows neither drafts nor closed pull requests": [
    (forge) => ({
      pull: (ref, number) =>
        Effect.map(
          forge.pull(ref, number),
          Option.map((pull) => ({ ...pull, draft: false, state: "closed" as const }))
        )
    }),
    [
      "a draft is one, by itself and among the open pull requests",
      "a pull request that was closed and opened again is open, and has not landed"
    ]
  ],
  "shows a pull request at its first head": [
    (forge) => ({
      pull: (ref, number) =>
        Effect.map(
          forge.pull(ref, number),
          Option.map((pull) => ({ ...pull, head: "first" }))
        )
    }),
    ["the head of a pull request is that of the last push"]
  ],
  "gives each group another name with each read": [
    (forge) => {
      let reads = 0
      return {
        queue: (ref, branch) =>
          Effect.map(
            forge.queue(ref, branch),
            Option.map((entries) =>
              entries.map((entry) => ({
                ...entry,
                group: entry.group === null ? null : { ...entry.group, id: `${entry.group.id}${(reads += 1)}` }
              }))
            )
          )
      }
    },
    ["a group keeps its commit, tree and base while nothing changes"]
  ],
  "has a queue on every branch, and pull requests of any base": [
    (forge) => ({
      queue: (ref, branch) => Effect.map(forge.queue(ref, branch), (found) => Option.orElseSome(found, () => [])),
      rules: (ref, branch) =>
        Effect.map(forge.rules(ref, branch), (rules) => [
          ...rules.filter(({ kind }) => kind !== "merge_queue"),
          { kind: "merge_queue", timeout: 1 }
        ])
    }),
    [
      "a branch that does not exist has no queue and no pull requests, whatever its name",
      "a merge queue is among the rules with its timeout, also where no ruleset turns it on"
    ]
  ],
  "knows no pull request, and fails where there is no run": [
    () => ({ pull: () => Effect.succeed(Option.none()), rerun: () => Effect.die("no run") }),
    [
      "a read that the platform answers with its own failure is asked again",
      "nothing runs again where no run of CI stands behind a check, and the outcome says so"
    ]
  ],
  "runs every job again": [
    (_, { runs }) => ({
      rerun: (__, { sha }) =>
        Effect.sync(() => {
          for (const run of runs) if (run.headSha === sha) run.attempt += 1
          return "started" as const
        })
    }),
    [
      "a run that goes on, or that passed, is not run again",
      "a rerun whose answer was lost is not a second rerun when it is asked for again"
    ]
  ],
  "says that jobs run again whatever became of them": [
    (forge) => ({
      rerun: (ref, asked) =>
        forge.rerun(ref, asked).pipe(
          Effect.as("started" as const),
          Effect.catch(() => Effect.succeed("started" as const))
        )
    }),
    [
      "failed jobs do not run again while another job of their run goes on, and do when it has ended",
      "nothing runs again where no run of CI stands behind a check, and the outcome says so",
      "a run that is too old to run again is a refusal, and not a rerun"
    ]
  ],
  "runs only again what ended as a failure": [
    (forge, { runs }) => ({
      rerun: (ref, asked) =>
        runs.some(({ conclusion, headSha }) => headSha === asked.sha && conclusion !== "failure")
          ? Effect.succeed("none" as const)
          : forge.rerun(ref, asked)
    }),
    ["jobs that were cancelled or ran out of time run again as failed ones do"]
  ],
  "takes every run for ended": [
    () => ({ runsInProgress: () => Effect.succeed(false) }),
    ["a job that waits for others has no check yet, and its run is in progress until it has ended"]
  ],
  "shows the first hundred checks of a head": [
    (forge) => ({
      openPulls: (ref, branch) =>
        Effect.map(forge.openPulls(ref, branch), (open) =>
          open.map((pull) => ({ ...pull, checks: pull.checks.slice(0, 100) }))
        )
    }),
    ["more checks than a page of the platform are all read"]
  ],
  "never takes a branch for rewritten": [
    (forge) => ({
      tip: (ref, branch, tip) =>
        Effect.map(
          forge.tip(ref, branch, tip),
          Option.map((found) => ({ ...found, isRewritten: false }))
        )
    }),
    ["the tip of a branch says whether the branch was rewritten since another tip"]
  ],
  "knows no reason for a removal": [
    (forge) => ({
      pull: (ref, number) =>
        Effect.map(
          forge.pull(ref, number),
          Option.map((pull) => ({ ...pull, removal: null }))
        )
    }),
    ["the platform says why a pull request left the queue, and when"]
  ],
  "takes every required check for one that anybody may set": [
    (forge) => ({
      rules: (ref, branch) =>
        Effect.map(forge.rules(ref, branch), (rules) =>
          rules.map((rule) => (rule.kind === "required_check" ? { ...rule, isOurs: false } : rule))
        )
    }),
    ["a required check is bound to this app when one of its rules binds it"]
  ],
  "takes a refused write for one that was done": [
    (forge) => ({
      setCheck: (ref, report) => silent(forge.setCheck(ref, report)),
      enqueue: (ref, member) => silent(forge.enqueue(ref, member))
    }),
    [
      "a write for which the app lost its permission is refused, and has its effect when it is granted again",
      "an archived repository refuses each write and shows what it has, and takes the writes when it is unarchived",
      "a suspended app is not installed, and reads and writes again when it is back",
      "after a transfer to an account without the app nothing is written, until that account installs it",
      "a write beyond a limit says when to ask again, and has no effect before"
    ]
  ],
  "is particular about the case of names": [
    (forge) => ({
      pull: (ref, number) =>
        ref.owner === ref.owner.toLowerCase() ? forge.pull(ref, number) : Effect.succeed(Option.none())
    }),
    ["a repository is found by its names in any case"]
  ],
  "cuts names, and takes what did not fail for passed": [
    (forge) => ({
      checks: (ref, sha) =>
        Effect.map(forge.checks(ref, sha), (checks) =>
          checks.map((check) => ({
            ...check,
            name: check.name.slice(0, 100),
            state:
              check.state === "failure" && check.name === "unit"
                ? "success"
                : check.state === "skipped"
                  ? "success"
                  : check.state
          }))
        )
    }),
    [
      "long names, and names in any script, are kept as they are",
      "of a status and a check with one name the worse counts",
      "a check that ended without success has the word of the platform for it"
    ]
  ]
}

describe("the cases of merge queues", () => {
  for (const [name, [breakage, found]] of Object.entries(broken)) {
    it.effect(`an adapter that ${name} is found`, () =>
      Effect.forEach(
        found,
        (title) =>
          Effect.gen(function* () {
            const all = yield* started
            all.repository.queue = []
            all.github.grant({ contents: "write" })
            all.repository.branchRules?.push(needed)
            const real = layer(all.github, asApp(all.github))
            const adapter = Layer.effect(
              QueueForge,
              Effect.map(QueueForge, (forge) => QueueForge.of({ ...forge, ...breakage(forge, all.repository) }))
            ).pipe(Layer.provide(real))
            const proof = QueueConformance.cases.find((each) => each.name === title)
            assert.isDefined(proof, title)
            if (proof === undefined) return
            const ports = Layer.merge(adapter, Layer.succeed(QueuePlatform, platform(all)))
            const exit = yield* Effect.exit(Effect.provide(proof.run, ports))
            assert.isTrue(Exit.isFailure(exit), title)
          }),
        { discard: true }
      )
    )
  }
})
