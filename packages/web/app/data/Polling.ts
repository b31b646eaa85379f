/** Answers that are asked for again every few seconds, while somebody looks and wants it. */
import { useEffect, useState } from "preact/hooks"
import { refresh } from "./Resource.ts"

export interface Polling {
  /** When the answers were asked for last. */
  readonly updatedAt: number
  readonly isOn: boolean
  readonly setOn: (isOn: boolean) => void
  readonly now: () => Promise<void>
}

/** Keeps every answer whose path holds `part` fresh; a page that is hidden asks for nothing, and catches up when shown. */
export const usePolling = (part: string, seconds: number): Polling => {
  const [updatedAt, setUpdatedAt] = useState(Date.now())
  const [isOn, setOn] = useState(true)
  const now = async () => {
    await refresh(part)
    setUpdatedAt(Date.now())
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
  return { updatedAt, isOn, setOn, now }
}
