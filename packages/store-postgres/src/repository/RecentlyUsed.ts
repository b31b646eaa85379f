/** A cache of the most recently used values. */

/**
 * A cache of values up to a total weight. Evicts the least recently used values first, never the one in use.
 *
 * **Gotchas**
 *
 * The weight of a value may grow while it is in use: every call reads the weights again.
 */
export class RecentlyUsed<K, V> {
  private readonly values = new Map<K, V>()
  private readonly capacity: number
  private readonly weigh: (value: V) => number

  constructor(capacity: number, weigh: (value: V) => number) {
    this.capacity = capacity
    this.weigh = weigh
  }

  /** The value of a key; created when the key has no value. */
  get(key: K, make: () => V): V {
    const value = this.values.get(key) ?? make()
    this.values.delete(key)
    this.values.set(key, value)
    this.shrink(key)
    return value
  }

  /** Removes all values. */
  clear(): void {
    this.values.clear()
  }

  private shrink(inUse: K): void {
    let total = 0
    for (const value of this.values.values()) total += this.weigh(value)
    for (const [key, value] of this.values) {
      if (total <= this.capacity || key === inUse) return
      this.values.delete(key)
      total -= this.weigh(value)
    }
  }
}
