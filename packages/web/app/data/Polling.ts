/** Answers that are asked for again every few seconds, while somebody looks and wants it. */
import { useEffect, useState } from "preact/hooks"
import type { Failure } from "./Fetch.ts"
import { refresh } from "./Resource.ts"

export interface Polling {
  /** When the answers that are shown were asked for. */
  readonly updatedAt: number
  /** Why the last attempt failed, null when it did not: the answers of before stay. */
  readonly failure: Failure | null
  readonly isOn: boolean
  readonly setOn: (isOn: boolean) => void
  readonly now: () => Promise<void>
}

/** Keeps every answer whose path holds `part` fresh; a page that is hidden asks for nothing, and catches up when shown. */
export const usePolling = (part: string, seconds: number): Polling => {
  const [updatedAt, setUpdatedAt] = useState(Date.now())
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isOn, setOn] = useState(true)
  const now = async () => {
    const failed = await refresh(part, { keeps: true })
    setFailure(failed)
    if (failed === null) setUpdatedAt(Date.now())
  }
  useEffect(() => {
    if (!isOn) return undefined
    const poll = () => {
      if (document.visibilityState === "visible") void now()
    }
    const timer = setInterval(poll, seconds * 1000)
    document.addEventListener("visibilitychange", poll)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", poll)
    }
  }, [part, seconds, isOn])
  return { updatedAt, failure, isOn, setOn, now }
}
