import { BREADTHS, tokensOf, type Breadth } from './callers.js';
import { clientServiceBody, sessionBody } from './floor-bodies.js';
import { list, rest, type Floor, type Read } from './reads.js';
import * as statements from './service-statements.js';

export const CLIENT = '/edge/client/v1';
const META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };

const servicesOf = (breadth: Breadth, limit: number): Read =>
  rest({
    name: `client services, page of ${String(limit)}, ${breadth.toLocaleString('en')} visible`,
    keys: tokensOf(breadth, 10),
    request: (token) => ({
      method: 'GET',
      path: `${CLIENT}/services?limit=${String(limit)}`,
      token,
    }),
    floor: statements.clientServices(limit),
    answer: list(clientServiceBody, limit),
  });

/** What clients ask again and again, in a network in which they see few of many services. */
export const SERVICE_READS: readonly Read[] = [
  ...BREADTHS.map((breadth) => servicesOf(breadth, 25)),
  ...BREADTHS.map((breadth) => servicesOf(breadth, 500)),
  rest({
    name: 'client service updates',
    keys: tokensOf(20, 10),
    request: (token) => ({
      method: 'GET',
      path: `${CLIENT}/current-api-session/service-updates`,
      token,
    }),
    floor: statements.SERVICE_UPDATES,
    answer: ([data]) => ({ data, meta: META }),
  }),
];

export const OPEN_SESSION: Floor = {
  floor: statements.OPEN_SESSION,
  answer: ([row]) => ({ data: row && sessionBody(row), meta: META }),
};

export const SUBMIT_POSTURE: Floor = {
  floor: statements.SUBMIT_POSTURE,
  answer: () => ({ data: { services: [] }, meta: META }),
};
