/** The shared parts of the payloads of GitHub's webhooks. The schemas cover only the fields that are read. */
import { Instant, Repository, Text } from "@lazaret/domain"
import { Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"
import * as Excerpt from "../text/Excerpt.ts"
import * as Timestamp from "../text/Timestamp.ts"

/** A point in time as payloads write it, with or without a fraction, in any zone. */
export const Time = Schema.String.pipe(
  Schema.decodeTo(
    Instant.Instant,
    SchemaTransformation.transformEffect({
      decode: (text: string, options) => {
        const at = Timestamp.parse(text)
        return at === null ? Effect.fail(notATime(text, options)) : Effect.succeed(at)
      },
      encode: (at) => Effect.succeed(Instant.toIso(at))
    })
  )
)

const notATime = (text: string, options: ConstructorParameters<typeof SchemaIssue.InvalidValue>[2]) =>
  new SchemaIssue.InvalidValue({ message: "must be an ISO 8601 date-time" }, text, options)

/** A field that may be null, or be missing. */
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The name of a branch. */
export const Branch = Text.between(1, 255)

/** The name of a commit: 40 hexadecimal digits, or 64. */
export const Sha = Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u, { expected: "a commit" }))

/** The name that GitHub gives to an object, unique over all of GitHub. */
export const NodeId = Text.between(1, 128)

/** An account: a person, an organisation or a bot. */
export const Account = Schema.Struct({ login: Text.between(1, 100), type: maybe(Schema.String) })

/** Whether an account belongs to a program. */
export const isBot = ({ type }: typeof Account.Type): boolean => type === "Bot"

/** The repository of a payload. */
export const PayloadRepository = Schema.Struct({
  name: Repository.RepositoryName,
  owner: Schema.Struct({ login: Repository.Owner }),
  default_branch: Branch
})

/** The repository of a payload. */
export type PayloadRepository = typeof PayloadRepository.Type

/**
 * The full name of a repository that no path of the interface can name; none for every other payload.
 *
 * **Details**
 *
 * The platform has owners with an underscore (managed users of an enterprise), which interface 2.1 does not allow.
 */
export const unnameable = (payload: unknown): Option.Option<string> =>
  Option.map(
    Option.filter(
      repositoryIn(payload),
      ({ repository: { name, owner } }) => !isOwner(owner.login) || !isRepositoryName(name)
    ),
    ({ repository: { name, owner } }) => `${excerpt(owner.login, 100)}/${excerpt(name, 100)}`
  )

const repositoryIn = Schema.decodeUnknownOption(
  Schema.Struct({
    repository: Schema.Struct({ name: Schema.String, owner: Schema.Struct({ login: Schema.String }) })
  })
)

const isOwner = Schema.is(Repository.Owner)

const isRepositoryName = Schema.is(Repository.RepositoryName)

/** The repository as the interface names it. */
export const refOf = (repository: PayloadRepository): Repository.RepositoryRef => ({
  owner: repository.owner.login,
  repository: repository.name
})

/** A text for display: characters that cannot be stored are replaced, a long text is truncated. */
export const excerpt = (text: string | null | undefined, maximum: number): string =>
  Excerpt.ofCodePoints((text ?? "").replaceAll("\0", "\uFFFD").toWellFormed(), maximum)

const isAddress = Schema.is(Text.between(1, 2048).check(Schema.isPattern(/^https?:\/\//iu)))

/** An address that people may follow; null for everything else. */
export const address = (text: string | null | undefined): string | null => (isAddress(text) ? text : null)

/** The action of a payload, empty when it names none; one that is too long for any sentence is cut. */
export const actionOf = (payload: unknown): string =>
  Option.match(actionIn(payload), { onNone: () => "", onSome: ({ action }) => excerpt(action, 100) })

const actionIn = Schema.decodeUnknownOption(Schema.Struct({ action: Schema.String }))
