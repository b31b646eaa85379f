/** Whether a test that somebody wants to quarantine exists. */
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import { both } from "../connection/Request.ts"
import type * as Session from "../connection/Session.ts"
import * as TestName from "../connection/TestName.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { plain } from "../terminal/Terminal.ts"

/**
 * Fails for a name that has not run on the default branch, and names the tests that its author may have meant.
 *
 * A quarantine may precede the first run of its test, but more often its name has a typing error.
 */
export const check = Effect.fnUntraced(function* (
  session: Session.Session,
  params: Repository.RepositoryRef,
  name: string
) {
  if (yield* hasRun(session, params, name)) return
  const found = yield* similar(session, params, name)
  const hint = found.length === 0 ? "" : ` Did you mean ${found.map((each) => `"${plain(each)}"`).join(" or ")}?`
  return yield* CommandFailure.usage(
    `"${plain(name)}" has not run on the default branch.${hint} Check the name, or give --force.`
  )
})

const hasRun = Effect.fnUntraced(function* (session: Session.Session, params: Repository.RepositoryRef, name: string) {
  const one = { ...params, test_id: yield* TestName.idOf(name) }
  return yield* session
    .call(null, (api) => api.getTest({ params: one, ...both }))
    .pipe(
      Effect.as(true),
      Effect.catch(({ status }) => Effect.succeed(status !== 404))
    )
})

/** The tests whose name holds the name, else its last part, in any case. */
const similar = Effect.fnUntraced(function* (session: Session.Session, params: Repository.RepositoryRef, name: string) {
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
