/** An agenda: what happens when, in the order of time. */

interface Item<A> {
  readonly at: number
  readonly order: number
  readonly what: A
}

/** A binary heap of events; those of one instant come in the order in which they were added. */
export class Agenda<A> {
  readonly #items: Array<Item<A>> = []
  #count = 0

  /** Adds what happens at an instant. */
  add(at: number, what: A): void {
    this.#items.push({ at, order: (this.#count += 1), what })
    let index = this.#items.length - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#isBefore(index, parent)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  /** Takes what happens next; undefined when nothing does. */
  next(): { readonly at: number; readonly what: A } | undefined {
    const first = this.#items[0]
    const last = this.#items.pop()
    if (first === undefined || last === undefined || first === last) return first
    this.#items[0] = last
    let index = 0
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      let least = index
      if (this.#isBefore(left, least)) least = left
      if (this.#isBefore(right, least)) least = right
      if (least === index) return first
      this.#swap(index, least)
      index = least
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#items[a], this.#items[b]]
    if (x === undefined || y === undefined) return false
    return x.at < y.at || (x.at === y.at && x.order < y.order)
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#items[a], this.#items[b]]
    if (x === undefined || y === undefined) return
    this.#items[a] = y
    this.#items[b] = x
  }
}
