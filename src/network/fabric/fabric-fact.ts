import type { Link } from '../../data/rows/fabric/index.js';
import type { Circuit, DialFailure } from './circuit.js';
import type { RouteFailure } from './router-port.js';

/** Why a circuit could not be made, though its dial was allowed. */
export type CircuitFailure =
  Extract<DialFailure, 'no terminators' | 'no online terminators' | 'no path'> | RouteFailure;

/** Those of circuits that no router was told of. */
export const CIRCUIT_FAILURES: readonly CircuitFailure[] = [
  'no terminators',
  'no online terminators',
  'no path',
];

/** Something that happened to routers, links or circuits. */
export type FabricFact =
  | { readonly kind: 'routerOnline' | 'routerOffline'; readonly routerId: string }
  | {
      readonly kind: 'circuitCreated';
      readonly circuit: Circuit;
      /** The time from the request until now. */
      readonly millis: number;
      readonly pathCost: number;
    }
  | { readonly kind: 'circuitMoved'; readonly circuit: Circuit; readonly pathCost: number }
  /** `millis`: how long it existed. */
  | { readonly kind: 'circuitEnded'; readonly circuit: Circuit; readonly millis: number }
  | {
      readonly kind: 'circuitFailed';
      readonly circuitId: string;
      readonly sessionId: string;
      readonly serviceId: string;
      readonly instanceId: string;
      readonly failure: CircuitFailure;
      readonly millis: number;
    }
  /** The routers of a path have answered a dial; a router failed at the host if it is the last one. */
  | {
      readonly kind: 'dialAnswered';
      readonly serviceId: string;
      readonly terminatorId: string;
      readonly failure: RouteFailure | undefined;
      readonly isAtHost: boolean;
    }
  /** A host has checked whether its service works. */
  | {
      readonly kind: 'healthChecked';
      readonly serviceId: string;
      readonly terminatorId: string;
      readonly isHealthy: boolean;
    }
  /** A router reports a link that it dialed; one that is not new was reported before. */
  | {
      readonly kind: 'linkReported';
      readonly link: Link;
      readonly isNew: boolean;
      readonly isDestinationConnected: boolean;
    }
  | { readonly kind: 'linkFault'; readonly link: Link; readonly isDuplicate: boolean }
  | { readonly kind: 'linkConnections'; readonly link: Link };
