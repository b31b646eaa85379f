/** The owners of the files of a repository, from its CODEOWNERS at the hosting platform. */
import { CodeOwners, Repository } from "@lazaret/domain"
import { Cache, Context, Effect, Layer, Option } from "effect"
import { HostingPlatform } from "./HostingPlatform.ts"

/** The owners of files; a file without owners is absent. */
export type OwnersByFile = ReadonlyMap<string, ReadonlyArray<string>>

/** The dialect of the connected platform. */
export const OwnersDialect: Context.Reference<CodeOwners.Dialect> = Context.Reference<CodeOwners.Dialect>(
  "@lazaret/services/OwnersDialect",
  { defaultValue: () => "github" }
)

/**
 * Finds owners.
 *
 * **Details**
 *
 * The file on the default branch counts. It is read when an answer needs it, kept for five minutes, and waited for at most three
 * seconds: without it, no file has owners.
 */
export class Owners extends Context.Service<
  Owners,
  {
    readonly ofFiles: (
      ref: Repository.RepositoryRef,
      files: ReadonlyArray<string | null>
    ) => Effect.Effect<OwnersByFile>
  }
>()("@lazaret/services/Owners") {
  /** The owners over the hosting platform. */
  static readonly layer = Layer.effect(
    Owners,
    Effect.gen(function* () {
      const platform = yield* HostingPlatform
      const dialect = yield* OwnersDialect

      const read = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        for (const path of CodeOwners.paths[dialect]) {
          const text = yield* platform.file(ref, path)
          if (Option.isSome(text)) return CodeOwners.parse(text.value, dialect)
        }
        return CodeOwners.none
      })

      const kept = yield* Cache.make({
        capacity: 200,
        timeToLive: "5 minutes",
        lookup: (key: string) => {
          const [owner = "", repository = ""] = key.split("/")
          return Effect.timeoutOrElse(read({ owner, repository }), {
            duration: "3 seconds",
            orElse: () => Effect.succeed(CodeOwners.none)
          })
        }
      })

      const ofFiles = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, files: ReadonlyArray<string | null>) {
        const named = [...new Set(files.filter((file) => file !== null))]
        if (named.length === 0) return new Map<string, ReadonlyArray<string>>()
        const rules = yield* Cache.get(kept, Repository.key(ref))
        const found = named.map((file) => [file, CodeOwners.ownersOf(rules, file)] as const)
        return new Map(found.filter(([, owners]) => owners.length > 0))
      })

      return Owners.of({ ofFiles })
    })
  )
}
