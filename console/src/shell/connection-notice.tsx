import { lookForController } from '../graph/ask.js';
import { useConnection } from '../graph/connection.js';
import { unreachable } from '../graph/failure.js';
import { useEvery } from '../graph/use-every.js';
import { FailureNotice } from '../parts/failure-notice.js';

const OFTEN_MS = 2_000;
const SELDOM_MS = 15_000;

const look = (): void => void lookForController();

/** Says that the controller does not answer, and looks for it until it does. */
export function ConnectionNotice() {
  const { isReachable } = useConnection();
  useEvery(isReachable ? SELDOM_MS : OFTEN_MS, look);
  return isReachable ? null : <FailureNotice failure={unreachable()} />;
}
