import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PublishedKeys } from '../../../src/network/data-model/published-keys.js';
import { messages } from '../../../src/network/messages/index.js';
import { fingerprint } from '../../../src/trust/pki/index.js';
import { bundleOf, newRoot } from '../../support/bundle-server.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { remove } from '../../access/enforcement/dialling.js';
import {
  enter,
  newTrustDomain,
  passSeconds,
  refresh,
} from '../../trust/auth/spiffe/trust-domain.js';

/* The certificates of bundles at routers. */

let both: TwoInProcess;

beforeAll(async () => {
  both = await startTwo({});
});
afterAll(() => both.stop());

test('routers get all certificates of a bundle, and lose those that leave it', async () => {
  const { controller, other } = both;
  const domain = await newTrustDomain('routers');
  const [first, second] = [domain.root, await newRoot(domain.name)];
  const keys = new PublishedKeys(
    other.parts.store,
    () => other.parts.keys,
    () => new Date(),
  );
  const print = ({ cert }: typeof first): string => fingerprint(cert);
  const idsAt = async (): Promise<string[]> => {
    await keys.read();
    const ids = keys.events.map(
      (event) => messages.DataStateEvent.decode(event).publicKey?.kid ?? '',
    );
    return [first, second].map(print).filter((id) => ids.includes(id));
  };
  const id = await enter(controller, domain);
  expect(await idsAt()).toEqual([]);
  domain.server.answer = bundleOf([first, second], { spiffe_sequence: 1 });
  await refresh(controller, id);
  expect(await idsAt()).toEqual([first, second].map(print));
  await passSeconds(controller, 600);
  domain.server.answer = bundleOf([second], { spiffe_sequence: 2 });
  await refresh(controller, id);
  expect(await idsAt()).toEqual([print(second)]);
  await remove(controller, 'CertificateAuthority', id);
  expect(await idsAt()).toEqual([]);
});
