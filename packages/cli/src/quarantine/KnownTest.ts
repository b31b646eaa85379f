/** Whether a test that somebody wants to quarantine exists, and is not broken. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import { both } from "../connection/Request.ts"
import { minuteOf, type Session } from "../connection/Session.ts"
import * as TestName from "../connection/TestName.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { plain } from "../terminal/Terminal.ts"

/**
 * Fails for a name that has not run on the default branch, and names the tests that its author may have meant. Fails for a
 * broken test, too.
 *
 * **Details**
 *
 * A quarantine may precede the first run of its test, but more often its name has a typing error. A quarantine of a broken
 * test hides a failure that reruns do not pass.
 */
export const check = Effect.fnUntraced(function* (session: Session, params: Repository.RepositoryRef, name: string) {
  const found = yield* find(session, params, name)
  if (found === "unknown") return
  if (found !== null) return yield* found.health_status === "broken" ? refuseBroken(name, found) : Effect.void
  const names = yield* similar(session, params, name)
  const hint = names.length === 0 ? "" : ` Did you mean ${names.map((each) => `"${plain(each)}"`).join(" or ")}?`
  return yield* CommandFailure.usage(
    `"${plain(name)}" has not run on the default branch.${hint} Check the name, or give --force.`
  )
})

const refuseBroken = (name: string, { first_failure_at: first }: typeof Schemas.TestDetails.Type) => {
  const since = first === null ? "" : ` (fails since ${minuteOf(first)})`
  return CommandFailure.usage(
    `"${plain(name)}" is broken, not flaky${since}: a quarantine hides that the default branch fails, and every later ` +
      "failure of this test. Revert the change that broke it, or give --force, an end and an owner."
  )
}

/** The test; null when it has not run on the default branch, "unknown" when the request fails. */
const find = Effect.fnUntraced(function* (session: Session, params: Repository.RepositoryRef, name: string) {
  const one = { ...params, test_id: yield* TestName.idOf(name) }
  return yield* session
    .call(null, (api) => api.getTest({ params: one, ...both }))
    .pipe(
      Effect.map(({ value }) => value),
      Effect.catch(({ status }) => Effect.succeed(status === 404 ? null : ("unknown" as const)))
    )
})

/** The tests whose name holds the name, else its last part, in any case. */
const similar = Effect.fnUntraced(function* (session: Session, params: Repository.RepositoryRef, name: string) {
  const last = name.split(/ [>›] |::|[.#/]/).at(-1) ?? name
  for (const search of new Set([name, last].filter((part) => part.trim() !== "" && part.length <= 255))) {
    const found = yield* session
      .call(null, (api) => api.listTests({ params, query: { search, per_page: 3 }, ...both }))
      .pipe(
        Effect.map(({ value }) => [...new Set(value.body.tests.map(({ test_name }) => test_name))]),
        Effect.orElseSucceed(() => [])
      )
    if (found.length > 0) return found
  }
  return []
})
