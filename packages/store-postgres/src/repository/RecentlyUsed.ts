/** A cache of the most recently used values. */

interface Entry<V> {
  readonly value: V
  weight: number
}

/**
 * A cache of values up to a total weight. Evicts the least recently used values first, never the one in use.
 *
 * **Gotchas**
 *
 * The weight of a value may grow while it is in use. It is read again whenever the value is used and when the next one is, and
 * after as many uses as there are values that of every value: a use costs the same however many values there are.
 */
export class RecentlyUsed<K, V> {
  private readonly entries = new Map<K, Entry<V>>()
  private readonly capacity: number
  private readonly weigh: (value: V) => number
  private latest: Entry<V> | null = null
  private total = 0
  private uses = 0

  constructor(capacity: number, weigh: (value: V) => number) {
    this.capacity = capacity
    this.weigh = weigh
  }

  /** The value of a key; created when the key has no value. */
  get(key: K, make: () => V): V {
    const entry = this.entries.get(key) ?? { value: make(), weight: 0 }
    this.entries.delete(key)
    this.entries.set(key, entry)
    this.weighAgain(entry)
    this.shrink(entry)
    this.latest = entry
    return entry.value
  }

  /** Removes all values. */
  clear(): void {
    this.entries.clear()
    this.latest = null
    this.total = 0
    this.uses = 0
  }

  private weighAgain(inUse: Entry<V>): void {
    this.uses += 1
    if (this.uses >= this.entries.size) {
      this.uses = 0
      for (const entry of this.entries.values()) this.update(entry)
    } else {
      if (this.latest !== null) this.update(this.latest)
      this.update(inUse)
    }
  }

  private update(entry: Entry<V>): void {
    const weight = this.weigh(entry.value)
    this.total += weight - entry.weight
    entry.weight = weight
  }

  private shrink(inUse: Entry<V>): void {
    for (const [key, entry] of this.entries) {
      if (this.total <= this.capacity || entry === inUse) return
      this.entries.delete(key)
      this.total -= entry.weight
    }
  }
}
