/** A heap of the best tools, with the worst of them at its root. */
export class TopPlaces {
  readonly #heap: Int32Array;
  readonly #scores: Float64Array;
  readonly #names: readonly (string | undefined)[];
  #length = 0;

  constructor(limit: number, scores: Float64Array, names: readonly (string | undefined)[]) {
    this.#heap = new Int32Array(Math.min(limit, names.length));
    this.#scores = scores;
    this.#names = names;
  }

  offer(place: number): void {
    const heap = this.#heap;
    if (this.#length < heap.length) {
      heap[this.#length] = place;
      this.#rise(this.#length++);
    } else if (heap.length > 0 && this.#isWorse(heap[0] ?? 0, place)) {
      heap[0] = place;
      this.#sink();
    }
  }

  /** Best first; equal ones by name. */
  inOrder(): Int32Array {
    return this.#heap.subarray(0, this.#length).sort((left, right) => (this.#isWorse(left, right) ? 1 : -1));
  }

  #isWorse(left: number, right: number): boolean {
    const difference = (this.#scores[left] ?? 0) - (this.#scores[right] ?? 0);
    return difference !== 0 ? difference < 0 : (this.#names[left] ?? '') > (this.#names[right] ?? '');
  }

  #rise(from: number): void {
    const heap = this.#heap;
    const place = heap[from] ?? 0;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(place, heap[parent] ?? 0)) break;
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = place;
  }

  #sink(): void {
    const heap = this.#heap;
    const place = heap[0] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#length) break;
      if (child + 1 < this.#length && this.#isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!this.#isWorse(heap[child] ?? 0, place)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = place;
  }
}
