import { texts } from '../texts.js';
import { lookForController } from './ask.js';
import { Failure } from './failure.js';

/**
 * Loads code on demand. It fails when the controller is away, and after an upgrade, which gives the files
 * of the code other names. A browser tries no file again that it could not load, until the page is loaded
 * again. So the controller is looked for first.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    if (await lookForController()) return await load();
  } catch {
    // The controller has no such file.
  }
  throw new Failure({ message: texts.failure.code });
}
