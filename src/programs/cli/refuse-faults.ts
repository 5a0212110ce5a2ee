import { commandFault } from './command-error.js';
import { counted } from './plain.js';

/** The faults of a document that was read, and its ignored members. */
export interface ReadDocument {
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly string[];
  readonly ignored: readonly string[];
}

/** Tells all of it, and ends the command when there are faults. */
export function refuseFaults(file: string, { ignored, faults, faultCount }: ReadDocument): void {
  for (const line of ignored) console.error(`${file}: ${line}`);
  if (faultCount === 0) return;
  for (const fault of faults) console.error(`${file}: ${fault}`);
  const more = faultCount > faults.length ? `, of which ${String(faults.length)} are shown` : '';
  throw commandFault(`${counted(faultCount, 'fault')}${more}; nothing was written`);
}
