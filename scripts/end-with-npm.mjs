/**
 * npm passes SIGTERM to the shell of a script, which ends without a signal to its program. So a program
 * started by npm checks whether its parent still exists, and ends in order when it does not.
 */
const OFTEN_MS = 200;

export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, OFTEN_MS);
  watch.unref();
}
