/** Entries by ascending key; entries of one key come out in any order. Mutable on purpose: the inner loop of simulations. */
export class MinHeap {
  readonly #keys: number[] = []
  readonly #values: number[] = []

  get size(): number {
    return this.#keys.length
  }

  /** Least key; Infinity where the heap is empty. */
  get least(): number {
    return this.#keys.length === 0 ? Number.POSITIVE_INFINITY : this.#keys[0]
  }

  push(key: number, value: number): void {
    const [keys, values] = [this.#keys, this.#values]
    let at = keys.push(key) - 1
    values.push(value)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (keys[parent] <= key) break
      keys[at] = keys[parent]
      values[at] = values[parent]
      at = parent
    }
    keys[at] = key
    values[at] = value
  }

  /** Takes the value with the least key. The heap must not be empty. */
  pop(): number {
    const [keys, values] = [this.#keys, this.#values]
    const first = values[0]
    const [key, value] = [keys.pop() as number, values.pop() as number]
    if (keys.length > 0) this.#sink(key, value)
    return first
  }

  #sink(key: number, value: number): void {
    const [keys, values] = [this.#keys, this.#values]
    const size = keys.length
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && keys[child + 1] < keys[child]) child++
      if (keys[child] >= key) break
      keys[at] = keys[child]
      values[at] = values[child]
      at = child
    }
    keys[at] = key
    values[at] = value
  }
}
