/**
 * Runs work at an interval. Runs never overlap: a long run skips the next ones. The timer does not
 * keep the process alive.
 */
export function every(
  millis: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): NodeJS.Timeout {
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    work()
      .catch(onError)
      .finally(() => {
        isRunning = false;
      });
  }, millis);
  timer.unref();
  return timer;
}
