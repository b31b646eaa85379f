/** Pull requests as the interface shows them (interface 2.2). */
import { Schema } from "effect"
import * as Text from "../text/Text.ts"

const message = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`

/** Schema of an id or a number at the hosting platform: a whole number from 0 that is safe. */
export const Id = Schema.Number.check(
  Schema.isInt({ message }),
  Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, { message })
)

/** A pull request: all fields or no pull request at all (interface 2.2). */
export const PullRef = Schema.Struct({
  id: Id,
  number: Id,
  title: Text.between(0, 10_000),
  user: Schema.Struct({ id: Id, login: Text.between(1, 255) })
})

/** A pull request (interface 2.2). */
export type PullRef = typeof PullRef.Type
