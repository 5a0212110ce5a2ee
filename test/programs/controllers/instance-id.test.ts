import { describe, expect, test } from '@jest/globals';
import { CAPABILITIES } from '../../../src/graph/graph-modules.js';
import { loadConfig } from '../../../src/programs/configuration.js';
import { buildFacts, instanceIdOf } from '../../../src/programs/controller/version.js';

/** Clients read the version again whenever the instance id of an answer is another one. */

const FACTS = {
  version: 'v2.0.3',
  revision: 'overgraph-1.2.3',
  capabilities: ['OIDC_AUTH', 'HA_CONTROLLER'],
} as const;

describe('the instance id', () => {
  const id = instanceIdOf('network', FACTS);

  test('does not show the id of the network', () => {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('is the same for the same capabilities in another order', () => {
    expect(
      instanceIdOf('network', { ...FACTS, capabilities: ['HA_CONTROLLER', 'OIDC_AUTH'] }),
    ).toBe(id);
  });

  test.each([
    ['of another network', 'another network', FACTS],
    ['of another version', 'network', { ...FACTS, version: 'v2.0.4' }],
    ['of another release', 'network', { ...FACTS, revision: 'overgraph-1.2.4' }],
    ['with a further capability', 'network', { ...FACTS, capabilities: CAPABILITIES }],
    ['without a capability', 'network', { ...FACTS, capabilities: ['OIDC_AUTH'] }],
  ] as const)('is another one %s', (_, networkId, facts) => {
    expect(instanceIdOf(networkId, facts)).not.toBe(id);
  });

  test('is the same at controllers of different addresses', () => {
    const at = (address: string): string =>
      buildFacts(loadConfig({ OVERGRAPH_ADVERTISE: address }), 'network').instanceId;
    expect(at('a.example.com:443')).toBe(at('b.example.com:1280'));
  });
});
