import type { InProcess } from '../../support/in-process.js';
import type { Finding, IntegrityResults } from '../../../src/inventory/integrity/index.js';

/** Runs of the data integrity check at a controller in the test's own process. */

const READ =
  '{ dataIntegrityResults { startTime endTime error fixingErrors inProgress tooManyErrors results { description fixed } } }';

export async function results(on: InProcess): Promise<IntegrityResults> {
  const data = await on.read<{ dataIntegrityResults: IntegrityResults }>(READ);
  return data.dataIntegrityResults;
}

/** A whole run, which must come to its end. */
async function runThrough(on: InProcess, verb: 'check' | 'fix'): Promise<readonly Finding[]> {
  await on.read(`mutation { ${verb}DataIntegrity { inProgress } }`);
  await on.ctx().modules.integrity.idle();
  if (on.parts.faults.length > 0) throw on.parts.faults[0] as Error;
  const { inProgress, error, results: found } = await results(on);
  if (inProgress || error !== null) throw new Error(`it did not end: ${String(error)}`);
  return found;
}

export const check = (on: InProcess): Promise<readonly Finding[]> => runThrough(on, 'check');
export const fix = (on: InProcess): Promise<readonly Finding[]> => runThrough(on, 'fix');
