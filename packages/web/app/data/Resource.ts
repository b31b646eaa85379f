/** The cache of answers: a known answer is shown at once, and fetched again when it is old. */
import { useEffect, useReducer, useRef } from "preact/hooks"
import type { Operations } from "@lazaret/api"
import * as Fetch from "./Fetch.ts"
import type { Path } from "./Routes.ts"

export type Resource<A> =
  | { readonly status: "loading" }
  | { readonly status: "failed"; readonly failure: Fetch.Failure; readonly retry: () => void }
  /** `isStale`: what is shown belongs to the question before, or is being asked for again. */
  | { readonly status: "ready"; readonly answer: Fetch.Answer<A>; readonly isStale: boolean }

/** Whether an answer is still to come: a page that waits for all of them does not move while they arrive. */
export const isLoading = (found: ReadonlyArray<Resource<unknown>>): boolean =>
  found.some(({ status }) => status === "loading")

interface Entry {
  answer: Fetch.Answer<unknown> | Fetch.Failure | null
  at: number
  /** The running request: it yields the reason why the answer is missing, null for a good one. */
  pending: Promise<Fetch.Failure | null> | null
  readonly listeners: Set<() => void>
}

/** An answer that is younger is not asked for again when somebody comes back to a page. */
const freshFor = 10_000

const mostEntries = 300

const entries = new Map<Path<Fetch.Reading>, Entry>()

const entryOf = (path: Path<Fetch.Reading>): Entry => {
  const found = entries.get(path)
  if (found !== undefined) return found
  for (const [key, { listeners }] of entries) {
    if (entries.size < mostEntries) break
    if (listeners.size === 0) entries.delete(key)
  }
  const entry: Entry = { answer: null, at: 0, pending: null, listeners: new Set() }
  entries.set(path, entry)
  return entry
}

/** A failure that may be gone at the next attempt: of the connection, of a limit, or of the server. */
const isPassing = (answer: Fetch.Answer<unknown> | Fetch.Failure): answer is Fetch.Failure =>
  Fetch.isFailure(answer) && (answer.status === 0 || answer.status === 429 || answer.status >= 500)

const isGood = ({ answer }: Entry): boolean => answer !== null && !Fetch.isFailure(answer)

const load = (path: Path<Fetch.Reading>, entry: Entry, keeps = false): Promise<Fetch.Failure | null> => {
  entry.pending ??= Fetch.get(path).then((answer) => {
    entry.pending = null
    if (keeps && isPassing(answer) && isGood(entry)) return answer
    entry.answer = answer
    entry.at = performance.now()
    for (const listener of entry.listeners) listener()
    return isPassing(answer) ? answer : null
  })
  return entry.pending
}

/** Clears the cache, because another key may have other permissions. */
export const forget = (): void => {
  for (const entry of entries.values()) Object.assign(entry, { answer: null, at: 0 })
}

/**
 * Fetches every answer on the page again whose path holds `part`, after something of it was changed. Yields a failure that
 * may be gone at the next attempt, or null. With `keeps` the known answers stay after such a failure.
 */
export const refresh = async (part: string, { keeps = false } = {}): Promise<Fetch.Failure | null> => {
  const concerned = [...entries].filter(([path]) => path.includes(part))
  for (const [, entry] of concerned) entry.at = 0
  const failures = await Promise.all(
    concerned.filter(([, { listeners }]) => listeners.size > 0).map(([path, entry]) => load(path, entry, keeps))
  )
  return failures.find((failure) => failure !== null) ?? null
}

/**
 * The answer of a route, null for none yet. While another path is loaded, the answer of the one before stays, marked as
 * stale, so that a page does not jump.
 */
export const useResource = <Op extends Fetch.Reading>(path: Path<Op> | null): Resource<Operations[Op]["response"]> => {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const last = useRef<Fetch.Answer<unknown> | null>(null)
  useEffect(() => {
    if (path === null) return undefined
    const entry = entryOf(path)
    const listener = () => redraw(undefined)
    entry.listeners.add(listener)
    if (entry.answer === null || Fetch.isFailure(entry.answer) || performance.now() - entry.at > freshFor) {
      void load(path, entry)
    }
    return () => entry.listeners.delete(listener)
  }, [path])
  const entry = path === null ? undefined : entries.get(path)
  const answer = entry?.answer ?? null
  if (path !== null && answer !== null && Fetch.isFailure(answer)) {
    const retry = () => {
      const failed = entryOf(path)
      failed.answer = null
      redraw(undefined)
      void load(path, failed)
    }
    return { status: "failed", failure: answer, retry }
  }
  if (answer !== null && !Fetch.isFailure(answer)) last.current = answer
  // The entry of a path holds the response of its operation.
  const shown = last.current as Fetch.Answer<Operations[Op]["response"]> | null
  return shown === null ? { status: "loading" } : { status: "ready", answer: shown, isStale: answer === null }
}
