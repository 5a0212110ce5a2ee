/**
 * npm passes SIGTERM to the shell of a script, which ends without a word to what it runs. So a program
 * that npm started looks whether its parent is still there, and ends in order when it is not.
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
