/** A moment as "3 hours ago", with the exact one on hover and for machines. */
import { useEffect } from "preact/hooks"
import * as Format from "../Format.ts"
import * as Store from "../Store.ts"

const now = Store.make(Date.now())

/** The current minute; what shows it is drawn again when it is over. */
export const useNow = (): number => {
  useEffect(() => {
    const timer = setInterval(() => now.set(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return Store.useStore(now)
}

export const Time = ({ at }: { readonly at: string | number }) => {
  const instant = typeof at === "number" ? at : Date.parse(at)
  return (
    <time dateTime={new Date(instant).toISOString()} title={Format.at(instant)}>
      {Format.ago(instant, useNow())}
    </time>
  )
}
