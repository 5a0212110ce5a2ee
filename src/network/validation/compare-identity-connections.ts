import type { JsonObject } from '../../base/row.js';
import { objectsByKey, objectsIn } from './router-value.js';
import { resultOfErrors, type ValidationResult } from './validation-result.js';

/** The identities that are clients of a router, as the controller has them. */
export interface IdentityConnectionFacts {
  /** When the router was asked. */
  readonly earlier: ReadonlySet<string>;
  readonly present: ReadonlySet<string>;
}

/** The reports about an identity that a router still owes. */
const UNREPORTED: readonly (readonly [string, string])[] = [
  ['unreported_count', 'has events that are not reported'],
  ['being_reported_count', 'has events that are being reported'],
  ['unreported_state_changed', 'has a change of state that is not reported'],
  ['being_reported_state_changed', 'has a change of state that is being reported'],
];

/** Compares the identities that a router reports as connected with those that the controller has. */
export function compareIdentityConnections(
  value: JsonObject,
  { earlier, present }: IdentityConnectionFacts,
): ValidationResult {
  const reported = new Map(objectsByKey(value.identity_connections));
  const missing = [...earlier].filter((id) => present.has(id) && !reported.has(id));
  return resultOfErrors([
    ...[...reported].flatMap(([id, state]) => [
      ...connectionFault(id, isConnected(state), present.has(id)),
      ...UNREPORTED.filter(([member]) => isSet(state[member])).map(
        ([, text]) => `identity ${id} ${text}`,
      ),
    ]),
    ...missing.flatMap((id) => connectionFault(id, false, true)),
  ]);
}

const isConnected = (state: JsonObject): boolean =>
  objectsIn(state.connections).some(({ closed }) => closed !== true);

const isSet = (value: unknown): boolean =>
  value === true || (typeof value === 'number' && value > 0);

function connectionFault(id: string, atRouter: boolean, atController: boolean): string[] {
  if (atRouter === atController) return [];
  return [
    atRouter
      ? `identity ${id} is connected for the router, and not for the controller`
      : `identity ${id} is connected for the controller, and not for the router`,
  ];
}
