/** A moment as "3 hours ago", with the exact one on hover and for machines. */
import * as Format from "../Format.ts"
import * as Store from "../Store.ts"

const now = Store.make(Date.now())

setInterval(() => now.set(Date.now()), 60_000)

/** The current minute; what shows it is drawn again when it is over. */
export const useNow = (): number => Store.useStore(now)

/** "since 15 Nov", with the exact moment on hover. */
export const Since = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={Format.at(Date.parse(at))}>
    since {Format.day(Date.parse(at))}
  </time>
)

export const Time = ({ at }: { readonly at: string | number }) => {
  const instant = typeof at === "number" ? at : Date.parse(at)
  return (
    <time dateTime={new Date(instant).toISOString()} title={Format.at(instant)}>
      {Format.ago(instant, useNow())}
    </time>
  )
}
