/** Values in memory that were used last. */

/**
 * A cache of values up to a total weight. The values that were used least recently go first; the one in use stays.
 *
 * **Gotchas**
 *
 * A value may grow while it is in use: weights are read again with every call.
 */
export class RecentlyUsed<K, V> {
  private readonly values = new Map<K, V>()
  private readonly capacity: number
  private readonly weigh: (value: V) => number

  constructor(capacity: number, weigh: (value: V) => number) {
    this.capacity = capacity
    this.weigh = weigh
  }

  /** The value of a key; made when there is none. */
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
