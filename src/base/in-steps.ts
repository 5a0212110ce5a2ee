/** Repeats a step, which treats at most so many rows and gives their number, until there are fewer. */
export async function inSteps(most: number, step: () => Promise<number>): Promise<void> {
  while ((await step()) === most);
}
