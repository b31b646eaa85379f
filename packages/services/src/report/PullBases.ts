/** The base branch of a run that names none: that of the open pull request of its commit, as the hosting platform knows it. */
import { Report, Repository } from "@lazaret/domain"
import { RepositoryStore, type StoreError } from "@lazaret/store"
import { Cache, Context, Effect, Layer, Option } from "effect"
import { Forge } from "../ports/Forge.ts"

/**
 * Asks for the base branch of a run that names none; null leaves the run as it is.
 *
 * **Laws**
 *
 * - It yields another branch than the default one: a push is compared with that one already, and its reruns say more than
 *   those of a pull request (`docs/decisions/0021-hosting-platforms.md`).
 * - A run of a branch that open pull requests have as their base stays a push, so that it speaks for that branch.
 * - It returns soon, and a platform that fails is one that knows no pull request.
 */
export interface PullBase {
  (ref: Repository.RepositoryRef, run: Report.RunContext): Effect.Effect<string | null, StoreError>
}

/** The base branches of pull requests; without a platform none is known. */
export const PullBases: Context.Reference<PullBase> = Context.Reference<PullBase>("@lazaret/services/PullBases", {
  defaultValue: () => () => Effect.succeed(null)
})

/** Asks the platform once per minute and commit, and for two seconds at most. */
export const pullBases: Layer.Layer<never, never, Forge | RepositoryStore> = Layer.effect(
  PullBases,
  Effect.gen(function* () {
    const repositories = yield* RepositoryStore
    const forge = yield* Forge

    const ask = Effect.fnUntraced(function* ({ branch, commit, defaultBranch, owner, repository }: Question) {
      const ref = { owner, repository }
      const bases = new Set((yield* forge.pullsAt(ref, commit)).map(({ base }) => base))
      const [base] = bases
      if (base === undefined || bases.size > 1 || base === branch || base === defaultBranch) return null
      const open = yield* forge.openPulls(ref)
      return open.some((pull) => pull.base === branch) ? null : base
    })

    const answers = yield* Cache.make({
      lookup: (question: Question) =>
        ask(question).pipe(
          Effect.timeout("2 seconds"),
          Effect.catch((error) => Effect.as(Effect.logDebug("The base branch of a run is not known", error), null))
        ),
      capacity: 4096,
      timeToLive: "1 minute"
    })

    return Effect.fn("PullBases.of")(function* (ref: Repository.RepositoryRef, run: Report.RunContext) {
      const { branch, commit } = run
      if (run.baseBranch !== null || branch === null || !isCommitId(commit)) return null
      if (Repository.isMergeQueueBranch(branch)) return null
      const known = yield* repositories.get(ref)
      const defaultBranch = Option.isSome(known) ? known.value.settings.defaultBranch : null
      if (defaultBranch === null || branch === defaultBranch) return null
      const { owner, repository } = ref
      return yield* Cache.get(answers, { owner, repository, branch, commit, defaultBranch })
    })
  })
)

interface Question extends Repository.RepositoryRef {
  readonly branch: string
  readonly commit: string
  readonly defaultBranch: string
}

/** Whether a text is the whole id of a commit. Without a commit the id of the run stands for one. */
export const isCommitId = (text: string): boolean => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(text)
