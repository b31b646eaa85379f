/** The last answer to each read, for replicas that are behind. */
import type { IncomingMessage } from "node:http"
import type { Reply } from "./operations/Operation.ts"

/** Answers of reads by address. */
export interface Memory {
  /** The last answer to a read when it is to be stale and there is one, else a new answer. */
  readonly recall: (request: IncomingMessage, isStale: boolean, run: () => Reply) => Reply
}

/** A memory without answers. */
export const make = (): Memory => {
  const answers = new Map<string, Reply>()
  return {
    recall: ({ method, url = "" }, isStale, run) => {
      const known = isStale && method === "GET" ? answers.get(url) : undefined
      if (known !== undefined) return known
      const reply = run()
      if (method === "GET") answers.set(url, reply)
      return reply
    }
  }
}
