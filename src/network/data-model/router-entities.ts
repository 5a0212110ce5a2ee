import { canonicalJson } from '../../base/canonical-json.js';
import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import {
  messages,
  type DataStateEvent,
  type DataStateIdentity,
  type Encodable,
  type TerminatorPrecedence,
  type Timestamp,
} from '../messages/index.js';
import { checkOf } from './router-checks.js';
import { numberOf, textOf } from './row-values.js';

/** The kinds of entities that routers know, and the attributes of each that they need. */
export const ROUTER_ENTITIES = {
  ConfigType: ['name', 'target'],
  Config: ['name', 'configTypeId', 'data'],
  Identity: [
    'name',
    'roleAttributes',
    'assignedRoleAttributes',
    'isPending',
    'defaultHostingCost',
    'defaultHostingPrecedence',
    'serviceHostingCosts',
    'serviceHostingPrecedences',
    'appData',
    'disabledAt',
    'disabledUntil',
    'isOutsideTimes',
  ],
  Service: ['name', 'roleAttributes', 'encryptionRequired', 'configs'],
  PostureCheck: [
    'name',
    'typeId',
    'roleAttributes',
    'domains',
    'macAddresses',
    'operatingSystems',
    'process',
    'processes',
    'semantic',
    'timeoutSeconds',
    'promptOnWake',
    'promptOnUnlock',
    'ignoreLegacyEndpoints',
  ],
  ServicePolicy: [
    'name',
    'type',
    'semantic',
    'identityRoles',
    'serviceRoles',
    'postureCheckRoles',
    'isInForce',
  ],
  Revocation: ['type', 'issuedBefore', 'expiresAt'],
} as const;

export type RouterEntityKind = keyof typeof ROUTER_ENTITIES;

export const ROUTER_ENTITY_KINDS = Object.keys(ROUTER_ENTITIES) as readonly RouterEntityKind[];

export const isRouterEntity = (resource: string): resource is RouterEntityKind =>
  resource in ROUTER_ENTITIES;

/** Facts about identities that are not in their rows. */
export interface IdentityFacts {
  /** Ids of configs by the ids of their types, by the ids of services. */
  readonly serviceConfigs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly disabled: boolean;
}

type Model = Encodable<DataStateEvent>;
/** A row or a state in the change log. */
type State = JsonObject;

const PRECEDENCE: Readonly<Record<string, TerminatorPrecedence>> = {
  default: 'Default',
  required: 'Required',
  failed: 'Failed',
};

/** An event that creates the entity; the same bytes follow the action of other events. */
export const encodedEntity = (
  kind: RouterEntityKind,
  id: string,
  state: State,
  facts: IdentityFacts,
): Buffer =>
  messages.DataStateEvent.encode(
    kind === 'Identity' ? { identity: identityOf(id, state, facts) } : MODELS[kind](id, state),
  );

const MODELS: Readonly<
  Record<Exclude<RouterEntityKind, 'Identity'>, (id: string, state: State) => Model>
> = {
  ConfigType: (id, { name, target }) => ({
    configType: { id, name: textOf(name), target: textOf(target) },
  }),
  Config: (id, { name, configTypeId, data }) => ({
    config: {
      id,
      name: textOf(name),
      typeId: textOf(configTypeId),
      // Routers compare the text.
      dataJson: canonicalJson(data),
    },
  }),
  Service: (id, { name, encryptionRequired, configs }) => ({
    service: {
      id,
      name: textOf(name),
      encryptionRequired: encryptionRequired === true,
      configs: textsOf(configs),
    },
  }),
  PostureCheck: (id, state) => ({
    postureCheck: {
      id,
      name: textOf(state.name),
      typeId: textOf(state.typeId),
      ...checkOf(state),
    },
  }),
  ServicePolicy: (id, { name, type }) => ({
    servicePolicy: {
      id,
      name: textOf(name),
      policyType: type === 'Bind' ? 'BindPolicy' : 'DialPolicy',
    },
  }),
  Revocation: (id, { type, issuedBefore, expiresAt }) => ({
    revocation: {
      id,
      ExpiresAt: timestampOf(expiresAt),
      type: textOf(type),
      issuedBefore: timestampOf(issuedBefore),
    },
  }),
};

const identityOf = (
  id: string,
  state: State,
  { serviceConfigs, disabled }: IdentityFacts,
): Encodable<DataStateIdentity> => ({
  id,
  name: textOf(state.name),
  defaultHostingPrecedence: precedenceOf(state.defaultHostingPrecedence),
  defaultHostingCost: numberOf(state.defaultHostingCost),
  serviceHostingPrecedences: mapped(state.serviceHostingPrecedences, precedenceOf),
  serviceHostingCosts: mapped(state.serviceHostingCosts, numberOf),
  appDataJson: jsonBytes(state.appData),
  serviceConfigs: mapped(serviceConfigs, (configs) => ({
    configs: configs as Record<string, string>,
  })),
  disabled,
});

/** Times are texts in the change log. */
function timestampOf(value: unknown): Timestamp {
  const millis = new Date(value as string | Date).getTime();
  const seconds = Math.floor(millis / 1_000);
  return { seconds, nanos: (millis - seconds * 1_000) * 1_000_000 };
}

const precedenceOf = (value: unknown): TerminatorPrecedence =>
  PRECEDENCE[textOf(value)] ?? 'Default';

/** The members in one order, so that equal maps are equal bytes. */
const mapped = <T>(value: unknown, of: (member: unknown) => T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, of(member)]),
  );

function jsonBytes(value: unknown): Buffer {
  const isEmpty = !isObject(value) || Object.keys(value).length === 0;
  return Buffer.from(isEmpty ? '' : canonicalJson(value));
}
