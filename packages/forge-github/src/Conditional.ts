/**
 * Conditional reads: GitHub answers what did not change with 304, which counts for no limit.
 *
 * **Details**
 *
 * An answer is remembered with its ETag. GitHub decides each time whether it is still the same, so that nothing old is used.
 */
import type { Octokit } from "@octokit/core"
import { RequestError } from "@octokit/request-error"
import { LRUCache } from "lru-cache"

/** An answer that may be asked for again: octokit's own, which callers do not change. */
interface Known {
  readonly etag: string
  readonly response: Response
}

type Response = Awaited<ReturnType<Octokit["request"]>>

/** The remembered answers. */
export type Answers = LRUCache<string, Known>

/** The bytes of all remembered answers, and the most of one. */
const most = { bytes: 32_000_000, each: 1_000_000 }

/** A memory without answers. */
export const make = (): Answers => new LRUCache({ maxSize: most.bytes, maxEntrySize: most.each })

/** Makes the reads of a client conditional; `id` distinguishes the answers of clients. */
export const install = (octokit: Octokit, answers: Answers, id: string): void => {
  octokit.hook.wrap("request", async (send, options) => {
    const { headers, method, url } = octokit.request.endpoint(options)
    if (method !== "GET") return send(options)
    const key = `${id} ${headers.accept ?? ""} ${url}`
    const known = answers.get(key)
    // Inner hooks read these options, not the ones that a hook passes on.
    if (known !== undefined) options.headers["if-none-match"] = known.etag
    try {
      const response: Response = await send(options)
      const { etag } = response.headers
      if (etag !== undefined) answers.set(key, { etag, response }, { size: sizeOf(response) })
      return response
    } catch (error) {
      if (known !== undefined && error instanceof RequestError && error.status === 304) return known.response
      throw error
    }
  })
}

/** The size of an answer in its JSON; that of a text as it is. */
const sizeOf = ({ data }: Response): number => Math.max(1, JSON.stringify(data ?? null).length)
