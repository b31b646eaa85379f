/** Values that several components look at, each in one place. */
import { useEffect, useState } from "preact/hooks"

export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** A store that holds `initial` until it is set. */
export const make = <A>(initial: A): Store<A> => {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}

/** The value of a store; the component is drawn again when it changes. */
export const useStore = <A>(store: Store<A>): A => {
  const [value, setValue] = useState(store.get)
  useEffect(() => {
    const update = () => setValue(store.get)
    // It may have changed between the first drawing and now.
    update()
    return store.subscribe(update)
  }, [store])
  return value
}
