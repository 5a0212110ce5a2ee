import { join } from 'node:path';
import { loadKeyMaterial, type KeyMaterial } from '../../src/trust/pki/index.js';

/** The key material in a data directory of a controller at localhost; made where there is none. */
export const keysIn = (dataDir: string, clock = () => new Date()): Promise<KeyMaterial> =>
  loadKeyMaterial({
    directory: join(dataDir, 'pki'),
    advertiseHost: 'localhost',
    hosts: ['127.0.0.1'],
    clock,
  });
