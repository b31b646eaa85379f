import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GitLabClient from "../src/GitLabClient.ts"

it.live("a request to GitLab within a span does not show the trace to GitLab", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const started = createServer((request, response) => {
          seen.push(...Object.keys(request.headers))
          response.end("{}")
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(started)))
      }),
      (started) => Effect.sync(() => started.close())
    )
    const { port } = server.address() as AddressInfo
    const client = yield* GitLabClient.http
    yield* client.get(`http://127.0.0.1:${port}/`).pipe(Effect.withSpan("outer"))
    assert.include(seen, "host")
    assert.notInclude(seen, "traceparent")
    assert.notInclude(seen, "b3")
  })
)
