/** Tries again until it succeeds; fails with the last fault when that takes longer than `withinMs`. */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  withinMs = 120_000,
): Promise<{ readonly value: T; readonly tookMs: number }> {
  const begin = Date.now();
  for (;;) {
    try {
      const value = await attempt();
      return { value, tookMs: Date.now() - begin };
    } catch (error) {
      if (Date.now() - begin > withinMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
