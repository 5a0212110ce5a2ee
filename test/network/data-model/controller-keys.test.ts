import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controllers } from '../../../src/data/rows/controller/index.js';
import { encodedSyntheticSet } from '../../../src/network/data-model/change-sets.js';
import { DataModelSource } from '../../../src/network/data-model/data-model-source.js';
import { fingerprint } from '../../../src/trust/pki/index.js';
import { InProcess } from '../../support/in-process.js';
import { newAuthority, newLeaf } from '../../trust/auth/certificates.js';
import { StrictRouter } from './strict-router.js';

/** The keys of several controllers at their routers. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

test('keys are told when a controller joins or renews its certificate; a row that can not be read stops none', async () => {
  const { store, keys } = controller.parts;
  const router = new StrictRouter();
  let servesRouters = false;
  const source = new DataModelSource({
    ...{ store, catalog: controller.catalog, timelineId: 'timeline', now: () => new Date() },
    enableOverdue: () => Promise.resolve(),
    keys: () => keys,
    servesRouters: () => servesRouters,
    onError: (error) => {
      throw error;
    },
  });
  source.listen({
    onSets: () => undefined,
    onKeys: (events) => {
      router.takeSet(encodedSyntheticSet(events));
    },
    haveKeys: () => true,
  });
  await source.lookAtKeys();
  expect(router.keys.size).toBe(0);
  servesRouters = true;
  await source.lookAtKeys();
  const own = [...router.keys.keys()];
  const joined = async (id: string, certPem: string): Promise<void> => {
    const times = { notBefore: new Date(0), notAfter: new Date(1) };
    const row = { id, certPem, ctrlAddress: '', fingerprint: id, apiAddresses: {}, ...times };
    await controllers.put(store, row, new Date());
    await source.lookAtKeys();
  };
  const authority = await newAuthority('CA of controllers');
  const certificates = [];
  for (const name of ['first', 'second']) certificates.push(await newLeaf(name, authority));
  await joined('broken', 'no certificate');
  for (const { cert } of certificates) {
    await joined('other', cert);
    const signers = [...router.keys].filter(([kid]) => !own.includes(kid));
    expect(signers).toEqual([[fingerprint(cert), ['JWTValidation', 'ClientX509CertValidation']]]);
  }
});
