import { describe, expect, test } from '@jest/globals';
import { refusalOf } from '../../../src/programs/cli/refusal.js';

/** A command decides by the codes and places of a refusal; its words are for people. */

describe('a refusal', () => {
  test.each([
    ['a change of the list', { code: 'NOT_FOUND', place: 'changes[0]' }, true],
    [
      'a member of a change',
      { code: 'COULD_NOT_VALIDATE', place: 'changes[2]', field: 'changes[2].input.name' },
      true,
    ],
    ['the list', { code: 'COULD_NOT_VALIDATE', field: 'changes' }, true],
    [
      'a variable whose name begins alike',
      { code: 'COULD_NOT_VALIDATE', place: 'changesOf' },
      false,
    ],
    ['another variable', { code: 'REVISION_CONFLICT', place: 'ifRevisions[1]' }, false],
    ['nothing in the request', { code: 'UNAVAILABLE' }, false],
  ])('about %s is told apart by its place', (_, extensions, isAboutChanges) => {
    for (const message of ['it changes; changes[0] too', 'no']) {
      expect(refusalOf({ message, extensions }).isAbout('changes')).toBe(isAboutChanges);
    }
  });
});
