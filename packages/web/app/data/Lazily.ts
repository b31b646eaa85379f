/** Answers that are asked for when a row comes into sight, a few at a time. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Reading } from "./Fetch.ts"
import { useResource } from "./Resource.ts"
import type { Path } from "./Routes.ts"

/** How many such requests run at once: the others of the page must not wait for them. */
const mostAtOnce = 4

let running = 0

const waiting: Array<() => void> = []

const next = (): void => {
  while (running < mostAtOnce && waiting.length > 0) {
    running += 1
    waiting.shift()?.()
  }
}

const release = (): void => {
  running = Math.max(0, running - 1)
  next()
}

/** The answer of a path, once the element is in sight and its turn has come. */
export const useLazyResource = <Op extends Reading>(path: Path<Op>) => {
  const element = useRef<HTMLElement>(null)
  const holdsTurn = useRef(false)
  const [turn, setTurn] = useState<string | null>(null)
  const resource = useResource(turn === path ? path : null)
  const isDone = turn === path && resource.status !== "loading"

  const giveBack = () => {
    if (!holdsTurn.current) return
    holdsTurn.current = false
    release()
  }

  useEffect(() => {
    const target = element.current
    if (target === null) return undefined
    let isWanted = true
    const start = () => {
      if (!isWanted) return release()
      holdsTurn.current = true
      setTurn(path)
    }
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      observer.disconnect()
      waiting.push(start)
      next()
    })
    observer.observe(target)
    return () => {
      isWanted = false
      observer.disconnect()
      // A row that unmounts before its answer must not delay the others.
      giveBack()
    }
  }, [path])

  useEffect(() => {
    if (isDone) giveBack()
  }, [isDone])

  return { element, resource }
}
