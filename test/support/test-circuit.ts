import type { Circuit } from '../../src/network/fabric/circuit.js';

/** A circuit over one router, with other values where a test says so. */
export const testCircuit = (values: Partial<Circuit>): Circuit => ({
  id: 'circuit',
  sessionId: 'session',
  serviceId: 'service',
  identityId: 'identity',
  hostId: 'host',
  terminatorId: 'terminator',
  instanceId: '',
  binding: 'edge',
  routerIds: ['router'],
  linkIds: [],
  ingress: 'in',
  egress: 'out',
  createdAt: new Date('2026-11-23T12:00:00Z'),
  ...values,
});
