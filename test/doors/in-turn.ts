const AT_ONCE = 8;

/** Visits all, a few at a time: all at once would only wait for each other. */
export async function inTurn<T>(
  places: readonly T[],
  visit: (place: T) => Promise<void>,
): Promise<void> {
  const waiting = [...places];
  const visitAll = async (): Promise<void> => {
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) await visit(place);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitAll));
}
