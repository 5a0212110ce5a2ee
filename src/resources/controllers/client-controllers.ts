import { controllers } from '../../data/rows/controller/index.js';
import type { Relation } from '../../kernel/declare/resource.js';
import type { JsonObject } from '../../base/row.js';

/** The controllers that the client of an API session may use. */
export const clientControllers: Relation = {
  name: 'clientControllers',
  target: 'Controller',
  description:
    'The running controllers that its client may use, one for each address. Only one if this controller does not announce OpenID Connect: clients with several addresses insist on it.',
  path: false,
  isOfCaller: true,
  scope: (_session, { modules }) => ({
    predicate: (alias) => controllers.isForClientsSql(alias, modules.clientDoor),
  }),
};

const CLIENT_INTERFACES = [controllers.CLIENT_INTERFACE, controllers.OIDC_INTERFACE];

/** A controller with those of its addresses that clients use. */
export function withClientAddresses<C extends { readonly apiAddresses?: JsonObject | undefined }>(
  controller: C,
): C {
  const { apiAddresses } = controller;
  if (apiAddresses === undefined) return controller;
  const ofClients = Object.entries(apiAddresses).filter(([name]) =>
    CLIENT_INTERFACES.includes(name),
  );
  return { ...controller, apiAddresses: Object.fromEntries(ofClients) };
}
