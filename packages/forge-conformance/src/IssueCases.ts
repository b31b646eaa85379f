/** Cases of the port of issue trackers: which issues are ours, how they change, and what fails. */
import type { Repository } from "@lazaret/domain"
import type { Fault } from "@lazaret/forge-simulated"
import { type ForgeError, type IssueDraft, IssueTracker } from "@lazaret/services"
import { Context, Effect, Option, Result } from "effect"
import { equal, type Need } from "./Case.ts"

/** An issue as people see it. */
export interface ShownIssue {
  readonly title: string
  readonly body: string
  readonly isOpen: boolean
  readonly labels: ReadonlyArray<string>
  readonly assignees: ReadonlyArray<string>
}

/**
 * The tracker behind an adapter, as people act on it.
 *
 * **Details**
 *
 * - `assignable`: an account that issues can be assigned to. `shown`: every issue, oldest first.
 * - `writtenByOthers`: another account writes an issue. `close`, `reopen`, `remove`: a person does so with an issue.
 * - `disable`: the repository has no issues from now on. `fail`: the next request that creates an issue meets a fault.
 */
export class IssuePlatform extends Context.Service<
  IssuePlatform,
  {
    readonly ref: Repository.RepositoryRef
    readonly assignable: string
    readonly shown: Effect.Effect<ReadonlyArray<ShownIssue>>
    readonly writtenByOthers: (body: string) => Effect.Effect<void>
    readonly close: (id: string, account: string) => Effect.Effect<void>
    readonly reopen: (id: string) => Effect.Effect<void>
    readonly remove: (id: string) => Effect.Effect<void>
    readonly disable: Effect.Effect<void>
    readonly fail: (fault: Fault.Fault) => Effect.Effect<void>
  }
>()("@lazaret/forge-conformance/IssuePlatform") {}

/** One sentence of the law of issue trackers, and its proof. */
export interface IssueCase {
  readonly name: string
  readonly needs: ReadonlyArray<Need>
  readonly run: Effect.Effect<void, unknown, IssueTracker | IssuePlatform>
}

const make = (
  name: string,
  run: (tracker: IssueTracker["Service"], platform: IssuePlatform["Service"]) => Effect.Effect<void, unknown>,
  needs: ReadonlyArray<Need> = []
): IssueCase => ({
  name,
  needs,
  run: Effect.flatMap(Effect.all([IssueTracker, IssuePlatform]), ([tracker, platform]) => run(tracker, platform))
})

const marker = "<!-- conformance "

const draft = (parts: Partial<IssueDraft> = {}): IssueDraft => ({
  title: "Unhealthy test: cart",
  body: `${marker}1 -->\n\n\`cart\` is **flaky**`,
  labels: ["flaky test", "ci"],
  assignees: [],
  ...parts
})

/** The ids of the issues of the list, and whether each is open. */
const listed = (tracker: IssueTracker["Service"], { ref }: IssuePlatform["Service"]) =>
  Effect.map(tracker.list(ref, marker), ({ issues }) => issues.map(({ id, isOpen }) => `${id} ${isOpen}`))

/** The error of an effect that must fail. */
const failure = <A>(effect: Effect.Effect<A, ForgeError>) =>
  Effect.flatMap(Effect.result(effect), (result) =>
    Result.isFailure(result) ? Effect.succeed(result.failure) : Effect.die(new Error("it succeeded"))
  )

/** The cases. */
export const cases: ReadonlyArray<IssueCase> = [
  make("an issue has the title, the text and the labels that it was written with, and is listed", (tracker, platform) =>
    Effect.gen(function* () {
      const { id, isOpen, url } = yield* tracker.create(platform.ref, draft())
      yield* equal([isOpen, /^https?:\/\/\S+$/u.test(url)], [true, true], "the answer")
      const { assignees, labels, title } = draft()
      yield* equal(yield* platform.shown, [{ title, body: draft().body, isOpen: true, labels, assignees }], "the issue")
      const { issues, isWhole } = yield* tracker.list(platform.ref, marker)
      yield* equal(isWhole, true, "whether the list is complete")
      yield* equal(
        issues.map((each) => [each.id, each.url, each.body, each.closedAt]),
        [[id, url, draft().body, null]],
        "the list"
      )
    })
  ),

  make(
    "issues of others are not listed, and ours are found behind many others",
    (tracker, platform) =>
      Effect.gen(function* () {
        yield* tracker.create(platform.ref, draft({ body: "without the marker" }))
        const { id } = yield* tracker.create(platform.ref, draft())
        yield* Effect.forEach(
          Array.from({ length: 120 }),
          () => tracker.create(platform.ref, draft({ body: "more" })),
          {
            discard: true
          }
        )
        yield* platform.writtenByOthers(draft().body)
        yield* equal(yield* listed(tracker, platform), [`${id} true`], "the list")
      }),
    ["others"]
  ),

  make("an account that can be assigned is, and another one keeps no issue from being written", (tracker, platform) =>
    Effect.gen(function* () {
      const assignees = [platform.assignable, "nobody-of-this-name"]
      yield* tracker.create(platform.ref, draft({ assignees }))
      const [shown] = yield* platform.shown
      yield* equal(shown?.assignees, [platform.assignable], "the assignees")
    })
  ),

  make("an edit changes what it names, closes and reopens", (tracker, platform) =>
    Effect.gen(function* () {
      const { id } = yield* tracker.create(platform.ref, draft())
      yield* equal(yield* tracker.edit(platform.ref, id, { body: `${marker}1 --> healthy` }), true, "the first edit")
      yield* tracker.edit(platform.ref, id, { state: "closed", reason: "not_planned" })
      const [closed] = yield* platform.shown
      yield* equal(
        [closed?.title, closed?.body, closed?.isOpen],
        [draft().title, `${marker}1 --> healthy`, false],
        "the issue"
      )
      const found = Option.getOrNull(yield* tracker.get(platform.ref, id))
      yield* equal([found?.isOpen, found?.closedBy?.isOurs, found?.closedAt === null], [false, true, false], "closed")
      yield* tracker.edit(platform.ref, id, { state: "open", title: "again" })
      const [open] = yield* platform.shown
      yield* equal([open?.isOpen, open?.title], [true, "again"], "reopened")
    })
  ),

  make(
    "who closed an issue is known, and its reopening is seen",
    (tracker, platform) =>
      Effect.gen(function* () {
        const { id } = yield* tracker.create(platform.ref, draft())
        yield* platform.close(id, "ada")
        yield* equal(yield* listed(tracker, platform), [`${id} false`], "the list")
        const closed = Option.getOrNull(yield* tracker.get(platform.ref, id))
        yield* equal(closed?.closedBy, { name: "ada", isOurs: false }, "the account")
        yield* platform.reopen(id)
        yield* equal(yield* listed(tracker, platform), [`${id} true`], "the list after the reopening")
      }),
    ["others"]
  ),

  make(
    "an issue that was removed does not exist, and an edit of it changes nothing",
    (tracker, platform) =>
      Effect.gen(function* () {
        const { id } = yield* tracker.create(platform.ref, draft())
        yield* platform.remove(id)
        yield* equal(yield* tracker.get(platform.ref, id), Option.none(), "the issue")
        yield* equal(yield* tracker.edit(platform.ref, id, { state: "closed" }), false, "the edit")
        yield* equal(yield* listed(tracker, platform), [], "the list")
        yield* equal(yield* tracker.get(platform.ref, "4711"), Option.none(), "an issue that never was")
      }),
    ["others"]
  ),

  make(
    "a creation that fails after its effect is not sent again, and the issue is listed",
    (tracker, platform) =>
      Effect.gen(function* () {
        yield* platform.fail({ kind: "Status", status: 502, when: "after" })
        const { reason } = yield* failure(tracker.create(platform.ref, draft()))
        yield* equal(reason, "unavailable", "the reason")
        yield* equal((yield* platform.shown).length, 1, "issues")
        yield* equal((yield* listed(tracker, platform)).length, 1, "listed issues")
      }),
    ["faults"]
  ),

  make(
    "a repository without issues refuses them",
    (tracker, platform) =>
      Effect.gen(function* () {
        yield* platform.disable
        for (const effect of [
          Effect.asVoid(tracker.list(platform.ref, marker)),
          Effect.asVoid(tracker.create(platform.ref, draft()))
        ]) {
          yield* equal((yield* failure(effect)).reason, "refused", "the reason")
        }
      }),
    ["others"]
  )
]
