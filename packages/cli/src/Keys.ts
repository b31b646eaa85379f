/** What `lazaret keys` does. */
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as Session from "./Session.ts"
import * as Table from "./Table.ts"

const keyFields = {
  id: Schema.String,
  name: Schema.String,
  scope: Schema.String,
  owner: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String)
}

const Key = open(keyFields)

type Key = typeof Key.Type

const Issued = open({ ...keyFields, secret: Schema.String })

const Page = Schema.Struct({ application_keys: Schema.Array(Key) })

const path = "/v1/application-keys"

/** Makes a key and shows its secret. */
export const create = Effect.fn("lazaret.keys.create")(function* (
  given: Session.Given & {
    readonly name: string
    readonly scope: string
    readonly owner: Option.Option<string>
    readonly allOwners: boolean
  }
) {
  if (Option.isSome(given.owner) === given.allOwners) {
    return yield* CommandFailure.usage(
      "Give --owner, or --all-owners for a key that reaches everything: one of the two."
    )
  }
  const session = yield* Session.open(given)
  const body = { name: given.name, scope: given.scope, owner: Option.getOrNull(given.owner) }
  const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(path), body)
  // A repetition would make a second key, and nobody would know the secret of the first.
  const issued = yield* session.call({ request, answer: Issued, subject: null, repeat: "never" })
  yield* Session.print(given, issued, () =>
    [`${issued.scope} key ${issued.id} for ${reach(issued)}, shown only this once:`, "", `  ${issued.secret}`].join(
      "\n"
    )
  )
})

/** Lists keys. */
export const list = Effect.fn("lazaret.keys.list")(function* (given: Session.Given & { readonly all: boolean }) {
  const session = yield* Session.open(given)
  const { rows } = yield* session.list({
    request: HttpClientRequest.get(path),
    answer: Page,
    subject: null,
    rows: ({ application_keys }) => application_keys,
    most: Number.POSITIVE_INFINITY
  })
  const keys = given.all ? rows : rows.filter((key) => key.revoked_at === null)
  const answer = { size: keys.length, per_page: null, application_keys: keys, total: keys.length }
  yield* Session.print(given, answer, (terminal) => Table.make(terminal, columns, keys))
})

/** Revokes a key; the one in use only when that is meant. */
export const revoke = Effect.fn("lazaret.keys.revoke")(function* (
  given: Session.Given & { readonly id: string; readonly own: boolean }
) {
  if (!/^[0-9a-f-]{36}$/i.test(given.id)) {
    return yield* CommandFailure.usage(`"${given.id}" is no id of a key: keys list shows them.`)
  }
  const session = yield* Session.open(given)
  const application = yield* session.call({
    request: HttpClientRequest.get("/v1/application"),
    answer: Schema.Struct({ id: Schema.String }),
    subject: null
  })
  if (application.id === given.id.toLowerCase() && !given.own) {
    return yield* CommandFailure.usage(
      "This is the key that the command itself uses: give --own to revoke it all the same."
    )
  }
  const request = HttpClientRequest.delete(`${path}/${given.id}`)
  yield* session.call({ request, answer: Schema.Null, subject: null, repeat: "removal" })
  yield* Session.print(given, { id: given.id }, () => `revoked: ${given.id}`)
})

const reach = ({ owner }: Key): string => owner ?? "all owners"

const columns: ReadonlyArray<Table.Column<Key>> = [
  { heading: "id", cell: ({ id }) => id },
  { heading: "name", cell: ({ name }) => name, canShrink: true },
  { heading: "scope", cell: ({ scope }) => scope },
  { heading: "owner", cell: reach },
  { heading: "created", cell: ({ created_at }) => created_at.slice(0, 10) },
  {
    heading: "revoked",
    cell: ({ revoked_at }) => (revoked_at === null ? "" : revoked_at.slice(0, 10)),
    colour: () => "red"
  }
]
