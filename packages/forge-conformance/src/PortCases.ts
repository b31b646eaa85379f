/** Cases of the port itself: reports, notes, pull requests, failures. */
import type { Fault } from "@lazaret/forge-simulated"
import { type CommitReport, Forge, type ForgeError } from "@lazaret/services"
import { Effect, Result } from "effect"
import { type Case, equal, Platform, type Shown } from "./Case.ts"

const report = (commit: string, parts: Partial<CommitReport> = {}): CommitReport => ({
  name: "Lazaret",
  commit,
  conclusion: "failure",
  title: "1 failure: 1 new.",
  summary: "| Test |",
  annotations: [{ path: "src/cart.ts", line: 3, level: "failure", title: "new", message: "expected 1 to be 2" }],
  actions: [],
  url: "https://tests.example.com/acme/widgets",
  ...parts
})

const marker = "<!-- conformance -->"

const conclusions = [null, "success", "neutral", "failure"] as const

const shownAs = (conclusion: CommitReport["conclusion"]) => (conclusion === "neutral" ? "success" : conclusion)

/** The report that people must see after these conclusions, in their order. */
const expected = (list: ReadonlyArray<CommitReport["conclusion"]>, showsProgress: boolean): Shown | null => {
  const shown = showsProgress ? list : list.filter((each) => each !== null)
  const last = shown.at(-1)
  return last === undefined ? null : { conclusion: shownAs(last), title: titleOf(list.lastIndexOf(last)) }
}

const titleOf = (index: number): string => `report ${index}`

/** The error of an effect that must fail. */
const failure = <A, R>(effect: Effect.Effect<A, ForgeError, R>) =>
  Effect.flatMap(Effect.result(effect), (result) =>
    Result.isFailure(result) ? Effect.succeed(result.failure) : Effect.die(new Error("it succeeded"))
  )

type Ports = readonly [forge: Forge["Service"], platform: Platform["Service"]]

const make = (
  name: string,
  run: (...ports: Ports) => Effect.Effect<void, unknown>,
  needs: Case["needs"] = []
): Case => ({
  name,
  needs,
  run: Effect.flatMap(Effect.all([Forge, Platform]), (ports) => run(...ports))
})

const limit: Fault.Fault = { kind: "Secondary", retryAfter: 90 }

/** The cases. */
export const cases: ReadonlyArray<Case> = [
  make("the same report again sends nothing that writes", (forge, platform) =>
    Effect.gen(function* () {
      const commit = yield* platform.commit
      yield* forge.publish(platform.ref, report(commit))
      const writes = yield* platform.writes
      yield* forge.publish(platform.ref, report(commit))
      yield* equal(yield* platform.writes, writes, "requests that write")
      yield* equal(yield* platform.shown(commit), { conclusion: "failure", title: "1 failure: 1 new." }, "the report")
    })
  ),

  make("the last report with its name on a commit is the one that people see", (forge, platform) =>
    Effect.forEach(
      conclusions.flatMap((first) => conclusions.map((second) => [first, second] as const)),
      (list) =>
        Effect.gen(function* () {
          const commit = yield* platform.commit
          for (const [index, conclusion] of list.entries()) {
            yield* forge.publish(platform.ref, report(commit, { conclusion, title: titleOf(index) }))
          }
          const shown = expected(list, platform.showsProgress)
          yield* equal(yield* platform.shown(commit), shown, `after ${list.join(", ")}`)
        }),
      { discard: true }
    )
  ),

  make("a long title, a long address and many annotations are accepted", (forge, platform) =>
    Effect.gen(function* () {
      const commit = yield* platform.commit
      const [annotation] = report(commit).annotations
      const annotations = Array.from({ length: 60 }, (_, index) => ({
        path: "a.ts",
        level: "failure" as const,
        title: "t",
        message: "m",
        ...annotation,
        line: index + 1
      }))
      const long = report(commit, { title: "é🎉".repeat(300), url: `https://x.test/${"a".repeat(1000)}`, annotations })
      yield* forge.publish(platform.ref, long)
      yield* equal((yield* platform.shown(commit))?.conclusion, "failure", "the conclusion")
      const writes = yield* platform.writes
      yield* forge.publish(platform.ref, long)
      yield* equal(yield* platform.writes, writes, "requests that write, the second time")
    })
  ),

  make(
    "our notes come oldest first with the text that was written, and those of others are left out",
    (forge, platform) =>
      Effect.gen(function* () {
        const pull = yield* Effect.flatMap(platform.commit, platform.openPull)
        const bodies = [`${marker} one\n\n| a | b |\n<details>x</details>`, `${marker} ${"é".repeat(20_000)}`]
        yield* platform.noteOfOthers(pull, `${marker} forged`)
        for (const body of bodies) yield* forge.createNote(platform.ref, pull, body)
        yield* forge.createNote(platform.ref, pull, "without the marker")
        const ours = yield* forge.notes(platform.ref, pull, marker)
        yield* equal(
          ours.map(({ body }) => body),
          bodies,
          "our notes"
        )
      }),
    ["others"]
  ),

  make(
    "notes are found behind many others",
    (forge, platform) =>
      Effect.gen(function* () {
        const pull = yield* Effect.flatMap(platform.commit, platform.openPull)
        yield* Effect.forEach(Array.from({ length: 230 }), () => platform.noteOfOthers(pull, "+1"), { discard: true })
        yield* forge.createNote(platform.ref, pull, marker)
        yield* equal((yield* forge.notes(platform.ref, pull, marker)).length, 1, "our notes")
      }),
    ["others", "bulk"]
  ),

  make("a note is edited in place and removed, and one that is gone needs no change", (forge, platform) =>
    Effect.gen(function* () {
      const pull = yield* Effect.flatMap(platform.commit, platform.openPull)
      yield* forge.createNote(platform.ref, pull, `${marker} one`)
      const [note] = yield* forge.notes(platform.ref, pull, marker)
      const id = note?.id ?? 0
      yield* forge.editNote(platform.ref, pull, { id, body: `${marker} two` })
      yield* equal(yield* forge.notes(platform.ref, pull, marker), [{ id, body: `${marker} two` }], "our notes")
      yield* forge.removeNote(platform.ref, pull, id)
      yield* forge.removeNote(platform.ref, pull, id)
      yield* forge.editNote(platform.ref, pull, { id, body: marker })
      yield* equal(yield* platform.notes(pull), [], "all notes")
    })
  ),

  make("a commit belongs to the open pull request whose head it is, until the head moves", (forge, platform) =>
    Effect.gen(function* () {
      const [first, second] = [yield* platform.commit, yield* platform.commit]
      const pull = yield* platform.openPull(first)
      const base = platform.defaultBranch
      const source = { owner: platform.ref.owner.toLowerCase(), isFork: false }
      const pullsAt = (commit: string) =>
        Effect.map(forge.pullsAt(platform.ref, commit), (pulls) =>
          pulls.map((each) => ({
            ...each,
            source: each.source === null ? null : { ...each.source, owner: each.source.owner.toLowerCase() }
          }))
        )
      yield* equal(yield* pullsAt(first), [{ number: pull, head: first, base, source }], "before")
      yield* platform.push(pull, second)
      yield* equal(yield* pullsAt(first), [], "the earlier head")
      yield* equal(yield* pullsAt(second), [{ number: pull, head: second, base, source }], "the head")
    })
  ),

  make("the open pull requests come with their heads", (forge, platform) =>
    Effect.gen(function* () {
      const [first, second, third] = [yield* platform.commit, yield* platform.commit, yield* platform.commit]
      const pulls = [yield* platform.openPull(first), yield* platform.openPull(second)]
      yield* platform.push(pulls[0] ?? 0, third)
      const open = yield* forge.openPulls(platform.ref)
      const heads = new Map(open.map(({ head, number }) => [number, head]))
      yield* equal(
        pulls.map((pull) => heads.get(pull)),
        [third, second],
        "the heads"
      )
    })
  ),

  make("the default branch is that of the platform", (forge, platform) =>
    Effect.flatMap(forge.repository(platform.ref), (found) =>
      equal(found, { defaultBranch: platform.defaultBranch }, "the repository")
    )
  ),

  make(
    "the failed run of a commit starts again, once",
    (forge, platform) =>
      Effect.gen(function* () {
        const commit = yield* platform.commit
        yield* platform.failRun(commit)
        yield* equal(yield* forge.rerunFailedJobs(platform.ref, commit), 1, "the first time")
        yield* equal(yield* forge.rerunFailedJobs(platform.ref, commit), 0, "the second time")
      }),
    ["runs"]
  ),

  make(
    "a repository that the adapter cannot see is not installed: the platform has not failed",
    (forge, platform) =>
      Effect.gen(function* () {
        const commit = yield* platform.commit
        for (const effect of [
          Effect.asVoid(forge.repository(platform.unknown)),
          forge.publish(platform.unknown, report(commit))
        ]) {
          yield* equal((yield* failure(effect)).reason, "not_installed", "the reason")
        }
      }),
    ["app"]
  ),

  make(
    "a write that fails after its effect is not sent again",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const fault of [
          { kind: "Status", status: 502, when: "after" },
          { kind: "Reset", when: "after" }
        ] as const) {
          const pull = yield* Effect.flatMap(platform.commit, platform.openPull)
          yield* platform.fail("createNote", fault)
          const error = yield* failure(forge.createNote(platform.ref, pull, marker))
          yield* equal(error.reason, "unavailable", "the reason")
          yield* equal((yield* platform.notes(pull)).length, 1, "notes")
        }
      }),
    ["faults"]
  ),

  make(
    "a limit says until when it holds",
    (forge, platform) =>
      Effect.gen(function* () {
        const commit = yield* platform.commit
        yield* platform.fail("readReport", limit)
        const { reason, retryAt } = yield* failure(forge.publish(platform.ref, report(commit)))
        yield* equal([reason, retryAt === null], ["rate_limited", false], "the reason")
      }),
    ["faults"]
  ),

  make(
    "no error holds a credential, or a part of the request",
    (forge, platform) =>
      Effect.gen(function* () {
        const pull = yield* Effect.flatMap(platform.commit, platform.openPull)
        const faults: ReadonlyArray<Fault.Fault> = [{ kind: "Status", status: 500, when: "before" }, limit]
        for (const fault of faults) {
          yield* platform.fail("createNote", fault)
          const error = JSON.stringify(yield* failure(forge.createNote(platform.ref, pull, "hidden-text")))
          const held = [...platform.secrets, "hidden-text"].filter((secret) => error.includes(secret))
          yield* equal(held, [], "secrets")
        }
      }),
    ["faults"]
  )
]
