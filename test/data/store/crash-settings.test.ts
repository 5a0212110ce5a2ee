import { expect, test } from '@jest/globals';
import { crashSettings } from '../../../src/data/store/embedded/postmaster.js';

test.each([
  ['linux', '6.1.0-18-amd64', true],
  ['linux', '5.10.0', true],
  ['linux', '5.8.0-rc1', true],
  ['linux', '5.4.0-150-generic', false],
  ['linux', '4.19.0', false],
  ['darwin', '23.6.0', false],
  ['win32', '10.0.22631', false],
])(
  'after a crash on %s %s the file system is synchronised as a whole: %s',
  (system, kernel, isWhole) => {
    expect('recovery_init_sync_method' in crashSettings(system, kernel)).toBe(isWhole);
  },
);
