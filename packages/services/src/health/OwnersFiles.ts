/** The use cases of uploaded CODEOWNERS: of repositories without a hosting platform that shows theirs. */
import type { Repository } from "@lazaret/domain"
import { type OwnersFile, OwnersStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { note } from "../answer/AuditNote.ts"
import * as Lookup from "../answer/Lookup.ts"
import { Owners, OwnersDialect, type OwnersSource } from "./Owners.ts"
import { OwnersFileNotFound, type RepositoryNotFound } from "../answer/ServiceError.ts"

/** A new file; without a dialect, that of the connected platform. */
export interface NewOwnersFile extends Pick<OwnersFile, "text"> {
  readonly dialect: OwnersFile["dialect"] | null
  readonly by: string
}

/** The CODEOWNERS that counts, the number of its rules, and the uploaded file, whether it counts or not. */
export interface OwnersState {
  readonly source: OwnersSource | null
  readonly rules: number
  readonly uploaded: OwnersFile | null
}

/** Keeps the uploaded CODEOWNERS of repositories. */
export class OwnersFiles extends Context.Service<
  OwnersFiles,
  {
    /** The CODEOWNERS that counts. */
    readonly state: (ref: Repository.RepositoryRef) => Effect.Effect<OwnersState, RepositoryNotFound | StoreError>
    /** Replaces the uploaded file. Other server processes read it within five minutes. */
    readonly upload: (ref: Repository.RepositoryRef, file: NewOwnersFile) => Effect.Effect<OwnersState, StoreError>
    /** Removes the uploaded file. */
    readonly remove: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<void, OwnersFileNotFound | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/OwnersFiles") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    OwnersFiles,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const store = yield* OwnersStore
      const owners = yield* Owners
      const usual = yield* OwnersDialect

      const stateOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const { rules, source } = yield* owners.rulesOf(ref)
        return { source, rules, uploaded: Option.getOrNull(yield* store.get(ref)) }
      })

      const state = Effect.fn("OwnersFiles.state")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        return yield* stateOf(ref)
      })

      const upload = Effect.fn("OwnersFiles.upload")(function* (
        ref: Repository.RepositoryRef,
        { by, dialect, text }: NewOwnersFile
      ) {
        const uploadedAt = yield* Clock.currentTimeMillis
        const file: OwnersFile = { text, dialect: dialect ?? usual, uploadedAt, uploadedBy: by }
        yield* store.put(ref, file)
        yield* note({ after: { dialect: file.dialect, characters: text.length } })
        yield* owners.forget(ref)
        return yield* stateOf(ref)
      })

      const remove = Effect.fn("OwnersFiles.remove")(function* (ref: Repository.RepositoryRef) {
        const { owner, repository: name } = yield* repository(ref)
        if (!(yield* store.remove(ref))) return yield* new OwnersFileNotFound({ owner, repository: name })
        yield* owners.forget(ref)
      })

      return OwnersFiles.of({ state, upload, remove })
    })
  )
}
