import { isObject, type JsonObject } from '../../base/row.js';
import type { RouterCircuitDetail } from '../messages/index.js';
import { objectsByKey, textIn } from './router-value.js';
import { resultOfParts, type ValidationResult } from './validation-result.js';

/** The circuits that a router reports: of its forwarder, of its clients' listener, and of the clients. */
export interface ReportedCircuits {
  readonly forwarder: JsonObject;
  readonly edge: JsonObject | undefined;
  readonly sdk: JsonObject | undefined;
}

/** The circuits of the fabric, as far as a router is compared with them. */
export interface CircuitFacts {
  /** The ids of the circuits over the router, when it was asked. */
  readonly earlier: readonly string[];
  /** Whether the circuit exists. */
  readonly exists: (id: string) => boolean;
  /** Whether it exists, or has ended so lately that a router may still have it. */
  readonly existedLately: (id: string) => boolean;
}

/** The destination of a circuit whose ends the client itself serves. */
const CLIENT_FORWARDER = 'xg-edge-fwd';

/** Compares the circuits that a router reports with those of the fabric. */
export function compareCircuits(
  { forwarder, edge, sdk }: ReportedCircuits,
  facts: CircuitFacts,
): ValidationResult {
  const inForwarder = new Map(objectsByKey(forwarder.circuits));
  const inEdge = idsIn(edge);
  const inSdk = idsIn(sdk);
  // A circuit that was made or has ended meanwhile is not missing.
  const expected = new Set(facts.earlier.filter((id) => facts.exists(id)));
  const unexpected = [...inForwarder.keys(), ...inEdge, ...inSdk].filter(
    (id) => !expected.has(id) && !facts.existedLately(id),
  );
  const details = [...new Set([...expected, ...unexpected])].map((circuitId) => {
    const destinations = destinationsOf(inForwarder.get(circuitId));
    const isOfClient = Object.values(destinations).includes(CLIENT_FORWARDER);
    return {
      circuitId,
      missingInCtrl: !facts.existedLately(circuitId),
      missingInForwarder: !inForwarder.has(circuitId),
      missingInEdge: isOfClient && !inEdge.has(circuitId),
      missingInSdk: isOfClient && !inSdk.has(circuitId),
      destinations,
    } satisfies RouterCircuitDetail;
  });
  return resultOfParts(details, !details.some(isFaulty));
}

const isFaulty = (detail: RouterCircuitDetail): boolean =>
  detail.missingInCtrl || detail.missingInForwarder || detail.missingInEdge || detail.missingInSdk;

const idsIn = (reported: JsonObject | undefined): Set<string> =>
  new Set(objectsByKey(reported?.circuits).map(([key, { circuitId }]) => textIn(circuitId) || key));

const destinationsOf = (circuit: JsonObject | undefined): Record<string, string> =>
  isObject(circuit?.destinations)
    ? Object.fromEntries(
        Object.entries(circuit.destinations).map(([key, value]) => [key, textIn(value)]),
      )
    : {};
