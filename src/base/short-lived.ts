/**
 * Objects that come and go with each request. A `Set` of them makes a new table after every few
 * changes, and V8 links the old table to the new one. A table that has become old before it was
 * dropped then keeps all later ones alive, with what was in them, until the next full collection
 * (docs/benchmark.md, "Garbage").
 */
export class ShortLived<T extends object> {
  readonly #places: (T | undefined)[] = [];
  readonly #freePlaces: number[] = [];

  get size(): number {
    return this.#places.length - this.#freePlaces.length;
  }

  /** Gives the place of the object, for its removal. */
  add(one: T): number {
    const place = this.#freePlaces.pop() ?? this.#places.length;
    this.#places[place] = one;
    return place;
  }

  /** Removes the object at a place, once. */
  remove(place: number): void {
    this.#places[place] = undefined;
    this.#freePlaces.push(place);
  }

  all(): T[] {
    return this.#places.filter((one) => one !== undefined);
  }
}
