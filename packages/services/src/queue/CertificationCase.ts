/** Cases of a certification: sentences about a platform that a driven queue depends on, each with its proof. */
import type { Repository } from "@lazaret/domain"
import type { CommitMessage } from "@lazaret/queue"
import { Effect, Option } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import type { Build, Built, DriveForge } from "./DriveForge.ts"
import type { QueueForge } from "./QueueForge.ts"
import type { ScratchForge } from "./ScratchForge.ts"

/** The platform, as a certification acts on it. */
export interface Platform {
  readonly drive: DriveForge["Service"]
  readonly queue: QueueForge["Service"]
  readonly scratch: ScratchForge["Service"]
}

/**
 * The place of one case: `base` is a branch of its own at the commit `first`, and `name` begins the names of its branches.
 */
export interface Place {
  readonly ref: Repository.RepositoryRef
  readonly name: string
  readonly base: string
  readonly first: string
}

/** A case: its sentence, and what is wrong, in a sentence; null: it holds. */
export interface Case {
  readonly name: string
  readonly run: (platform: Platform, place: Place) => Effect.Effect<string | null, ForgeError>
}

const message = (title: string): CommitMessage.Message => ({ title, body: "", author: null })

/** A commit on a branch of its own, which changes one file. */
const change = Effect.fnUntraced(function* (platform: Platform, place: Place, file: string, content = file) {
  const { drive, scratch } = platform
  const { first: parent, name, ref } = place
  const head = yield* scratch.commit(ref, { parent, files: { [file]: content }, message: `change ${file}` })
  const branch = `${name}/${file}-${content}`
  yield* drive.publish(ref, { name: branch, sha: head })
  return { branch, head }
})

const buildOf = (
  { drive }: Platform,
  place: Place,
  heads: ReadonlyArray<string>,
  more: Partial<Pick<Build, "inPlace" | "onto" | "squash">> = {}
) =>
  drive.build(place.ref, {
    scratch: `${place.name}/scratch`,
    onto: place.first,
    squash: false,
    inPlace: false,
    members: heads.map((head, index) => ({ number: index + 1, head, message: message(`change ${index + 1}`) })),
    ...more
  })

/** The batch that was built; a commit that is not known is a fault of the case. */
const built = (
  platform: Platform,
  place: Place,
  heads: ReadonlyArray<string>,
  more: Parameters<typeof buildOf>[3] = {}
) =>
  Effect.map(buildOf(platform, place, heads, more), (found): Built =>
    Option.getOrElse(found, () => ({ steps: [], conflicts: [], contained: [] }))
  )

/** The sentence of a difference; null for equal values. */
const differs = (what: string, found: unknown, expected: unknown): string | null =>
  JSON.stringify(found) === JSON.stringify(expected)
    ? null
    : `${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}.`

const firstOf = (faults: ReadonlyArray<string | null>): string | null => faults.find((fault) => fault !== null) ?? null

const tipOf = ({ queue }: Platform, { ref }: Place, branch: string) =>
  Effect.map(queue.tip(ref, branch, null), (tip) => Option.getOrNull(tip)?.sha ?? null)

const treesOf = ({ steps }: Built): ReadonlyArray<string> => steps.map(({ tree }) => tree)

const lastOf = ({ steps }: Built): string => steps.at(-1)?.commit ?? ""

/** A pull request with one commit. */
const opened = Effect.fnUntraced(function* (platform: Platform, place: Place, file: string) {
  const { branch, head } = yield* change(platform, place, file)
  const number = yield* platform.scratch.openPull(place.ref, { from: branch, onto: place.base, title: `Add ${file}` })
  return { number, head }
})

/** The cases, in the order in which they are run. */
export const cases: ReadonlyArray<Case> = [
  {
    name: "a branch is created once, and never moved by a second publication",
    run: Effect.fnUntraced(function* (platform, place) {
      const { branch, head } = yield* change(platform, place, "a")
      const again = yield* platform.drive.publish(place.ref, { name: branch, sha: head })
      const elsewhere = yield* platform.drive.publish(place.ref, { name: branch, sha: place.first })
      const tip = yield* tipOf(platform, place, branch)
      return firstOf([differs("The outcome", [again, elsewhere], [true, false]), differs("The branch", tip, head)])
    })
  },
  {
    name: "a batch is built member by member, and leaves no branch behind",
    run: Effect.fnUntraced(function* (platform, place) {
      const [a, b] = [yield* change(platform, place, "a"), yield* change(platform, place, "b")]
      const both = yield* built(platform, place, [a.head, b.head])
      const alone = yield* built(platform, place, [b.head], { onto: both.steps[0]?.commit ?? "" })
      const left = yield* platform.drive.branches(place.ref, `${place.name}/scratch`)
      const whole = yield* change(platform, { ...place, name: `${place.name}/whole`, first: a.head }, "b")
      const expected = Option.getOrNull(yield* platform.queue.tip(place.ref, whole.branch, null))
      return firstOf([
        differs("The number of steps", both.steps.length, 2),
        differs("The tree of both members", both.steps[1]?.tree, expected?.tree),
        differs("The tree of the second member", alone.steps[0]?.tree, both.steps[1]?.tree),
        differs("What is left", left, [])
      ])
    })
  },
  {
    name: "a member that conflicts is left out, and the others are built",
    run: Effect.fnUntraced(function* (platform, place) {
      const [one, two] = [yield* change(platform, place, "a", "1"), yield* change(platform, place, "a", "2")]
      const other = yield* change(platform, place, "b")
      const found = yield* built(platform, place, [one.head, two.head, other.head])
      return firstOf([
        differs("The conflicts", found.conflicts, [2]),
        differs(
          "The steps",
          found.steps.map(({ number }) => number),
          [1, 3]
        )
      ])
    })
  },
  {
    name: "a member that is contained changes no tree",
    run: Effect.fnUntraced(function* (platform, place) {
      const { head } = yield* change(platform, place, "a")
      const found = yield* built(platform, place, [head, head])
      const [first, second] = treesOf(found)
      return firstOf([differs("What is contained", found.contained, [2]), differs("The tree", second, first)])
    })
  },
  {
    name: "squashed members have the trees of merged ones",
    run: Effect.fnUntraced(function* (platform, place) {
      const heads = [(yield* change(platform, place, "a")).head, (yield* change(platform, place, "b")).head]
      const merged = yield* built(platform, place, heads)
      const squashed = yield* built(platform, place, heads, { squash: true })
      return firstOf([
        differs("The number of steps", squashed.steps.length, 2),
        differs("The trees", treesOf(squashed), treesOf(merged))
      ])
    })
  },
  {
    name: "a head on the tip of its base is tested in place, any other is not",
    run: Effect.fnUntraced(function* (platform, place) {
      const { head } = yield* change(platform, place, "a")
      const fresh = yield* built(platform, place, [head], { inPlace: true })
      const onto = yield* platform.scratch.commit(place.ref, { parent: place.first, files: { b: "b" }, message: "b" })
      const stale = yield* built(platform, place, [head], { inPlace: true, onto })
      return firstOf([
        differs("The step", lastOf(fresh), head),
        lastOf(stale) === head ? "A head that lacks commits of its base was taken for up to date." : null
      ])
    })
  },
  {
    name: "a commit that does not exist is not built on",
    run: Effect.fnUntraced(function* (platform, place) {
      const { head } = yield* change(platform, place, "a")
      const found = yield* buildOf(platform, place, [head], { onto: "f".repeat(40) })
      return Option.isNone(found) ? null : "A batch was built on a commit that does not exist."
    })
  },
  {
    name: "landing moves the base branch once, from the commit that was tested under it",
    run: Effect.fnUntraced(function* (platform, place) {
      const { drive } = platform
      const { head } = yield* change(platform, place, "a")
      const step = (yield* built(platform, place, [head])).steps[0]
      const move = { branch: place.base, from: place.first, to: step?.commit ?? "" }
      const once = yield* drive.land(place.ref, move)
      const again = yield* drive.land(place.ref, move)
      const expected = { kind: "landed", sha: step?.commit, tree: step?.tree }
      const tip = yield* tipOf(platform, place, place.base)
      return firstOf([
        differs("The outcome", once, expected),
        differs("The second outcome", again, expected),
        differs("The base branch", tip, step?.commit)
      ])
    })
  },
  {
    name: "a landing after somebody else's push changes nothing",
    run: Effect.fnUntraced(function* (platform, place) {
      const { drive, scratch } = platform
      const { head } = yield* change(platform, place, "a")
      const to = lastOf(yield* built(platform, place, [head]))
      const pushed = yield* scratch.commit(place.ref, { parent: place.first, files: { b: "b" }, message: "b" })
      yield* drive.land(place.ref, { branch: place.base, from: place.first, to: pushed })
      const outcome = yield* drive.land(place.ref, { branch: place.base, from: place.first, to })
      const tip = yield* tipOf(platform, place, place.base)
      return firstOf([
        differs("The outcome", outcome, { kind: "moved", what: "base" }),
        differs("The base branch", tip, pushed)
      ])
    })
  },
  {
    name: "a landing never drops a commit",
    run: Effect.fnUntraced(function* (platform, place) {
      const { drive, scratch } = platform
      const pushed = yield* scratch.commit(place.ref, { parent: place.first, files: { b: "b" }, message: "b" })
      const other = yield* scratch.commit(place.ref, { parent: place.first, files: { c: "c" }, message: "c" })
      yield* drive.land(place.ref, { branch: place.base, from: place.first, to: pushed })
      const outcome = yield* drive.land(place.ref, { branch: place.base, from: pushed, to: other })
      const tip = yield* tipOf(platform, place, place.base)
      return firstOf([differs("The outcome", outcome.kind, "refused"), differs("The base branch", tip, pushed)])
    })
  },
  {
    name: "a pull request whose head lands is merged, without anybody merging it",
    run: Effect.fnUntraced(function* (platform, place) {
      const { head, number } = yield* opened(platform, place, "a")
      const to = lastOf(yield* built(platform, place, [head]))
      yield* platform.drive.land(place.ref, { branch: place.base, from: place.first, to })
      const pull = Option.getOrNull(yield* platform.queue.pull(place.ref, number))
      return differs("The state", pull?.state, "merged")
    })
  },
  {
    name: "a pull request is merged at its head alone, as the tree that was tested, and once",
    run: Effect.fnUntraced(function* (platform, place) {
      const { drive } = platform
      const { head, number } = yield* opened(platform, place, "a")
      const tree = (yield* built(platform, place, [head])).steps[0]?.tree
      const asked = { number, head, method: "squash", message: message("one") } as const
      const wrong = yield* drive.merge(place.ref, { ...asked, head: place.first })
      const once = yield* drive.merge(place.ref, asked)
      const again = yield* drive.merge(place.ref, asked)
      return firstOf([
        differs("The outcome at another head", wrong, { kind: "moved", what: "head" }),
        differs("The tree", once.kind === "landed" ? once.tree : once.kind, tree),
        differs("The second outcome", again, once)
      ])
    })
  },
  {
    name: "a pull request that was landed by another commit is closed",
    run: Effect.fnUntraced(function* (platform, place) {
      const { number } = yield* opened(platform, place, "a")
      yield* platform.drive.close(place.ref, number)
      yield* platform.drive.close(place.ref, number)
      const pull = Option.getOrNull(yield* platform.queue.pull(place.ref, number))
      return differs("The state", pull?.state, "closed")
    })
  },
  {
    name: "the message of a commit is made of its pull request",
    run: Effect.fnUntraced(function* (platform, place) {
      const { number } = yield* opened(platform, place, "a")
      const facts = Option.getOrNull(yield* platform.drive.describe(place.ref, number))
      const none = yield* platform.drive.describe(place.ref, 1_000_000)
      return firstOf([
        differs("The title", facts?.title, "Add a"),
        differs("The number of authors", facts?.authors.length, 1),
        Option.isNone(none) ? null : "A pull request that does not exist was described."
      ])
    })
  },
  {
    name: "a branch that is discarded twice is gone",
    run: Effect.fnUntraced(function* (platform, place) {
      const { branch } = yield* change(platform, place, "a")
      yield* platform.drive.discard(place.ref, branch)
      yield* platform.drive.discard(place.ref, branch)
      return differs("What is left", yield* platform.drive.branches(place.ref, branch), [])
    })
  }
]
