/** How long each test file took the last time, so that a quick run knows what it has time for. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

const FILE = join(root, 'node_modules/.cache/overgraph/test-seconds.json');
/** Of a file that has not run yet. */
const USUAL_SECONDS = 6;

/** Seconds by the path of the test file. */
export function readDurations() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}

export const secondsOf = (durations, path) => durations[path] ?? USUAL_SECONDS;

/** Adds those of a run; a checkout that is not writable does without. */
export function writeDurations(durations) {
  try {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, JSON.stringify({ ...readDurations(), ...durations }));
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}
