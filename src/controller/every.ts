/** Runs never overlap: one that takes long lets the next ones pass. The program may end between them. */
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
