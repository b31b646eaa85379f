/** Packages that are loaded when they are needed, and may not be installed. */
import { Effect, Schema } from "effect"

/**
 * A package that a command needs cannot be found; `cause` is the error of the import, which names it.
 *
 * **To do:** Install the package that `cause` names, next to the command.
 */
export class MissingPackage extends Schema.TaggedError<MissingPackage>()("MissingPackage", {
  cause: Schema.Defect()
}) {
  /** A sentence that says what to do, for the person who typed the command. */
  override get message(): string {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `A package that lazaret needs is missing (${reason}). Run npm ci in a clone; elsewhere install lazaret again.`
  }
}

/**
 * The result of a dynamic import.
 *
 * **Details**
 *
 * After an update of a clone its packages may be the old ones, so a module that is not found is an expected failure. Every
 * other error of the import is a defect.
 */
export const load = <A>(importModule: () => Promise<A>): Effect.Effect<A, MissingPackage> =>
  Effect.tryPromise({ try: importModule, catch: (cause) => new MissingPackage({ cause }) }).pipe(
    Effect.catch((missing) => (isNotFound(missing.cause) ? Effect.fail(missing) : Effect.die(missing.cause)))
  )

const isNotFound = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
