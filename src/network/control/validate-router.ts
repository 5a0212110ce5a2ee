import type { NodeQuestion, Validation } from '../../data/rows/inspection/index.js';
import { routerClients, routers } from '../../data/rows/router/index.js';
import { terminators, type HostedBinding } from '../../data/rows/terminator/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import type { Fabric } from '../fabric/index.js';
import { messages, type InspectResponse, type RouterDataModelDiff } from '../messages/index.js';
import {
  compareCircuits,
  compareIdentityConnections,
  compareLinks,
  compareTerminators,
  notValidated,
  optionalRouterValue,
  resultOfErrors,
  routerValue,
  ValidationFault,
  type NamedValue,
  type ValidationResult,
} from '../validation/index.js';
import { answerOfRouter } from './answer-of-router.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { DataModelSubscription } from './data-model-subscription.js';
import { validateStoredTerminators } from './validate-terminators.js';

/** A connected router, and what it is compared with. */
export interface ValidatedRouter {
  readonly router: ConnectedRouter;
  readonly dataModel: Pick<DataModelSubscription, 'validate'>;
  readonly fabric: Fabric;
  readonly store: Store;
  readonly isConnected: (routerId: string) => boolean;
}

type Validate = (of: ValidatedRouter, question: NodeQuestion) => Promise<ValidationResult>;

/** A router with many circuits needs seconds. */
const ANSWER_MILLIS = 30_000;

const VALIDATE: Readonly<Record<Validation, Validate>> = {
  DATA_MODEL: validateDataModel,
  LINKS: validateLinks,
  CIRCUITS: validateCircuits,
  TERMINATORS: validateStoredTerminators,
  SDK_TERMINATORS: (of) => validateHosted(of, 'edge', 'sdk-terminators', valuesOf),
  TUNNELER_TERMINATORS: (of) => validateHosted(of, 'tunnel', 'ert-terminators', valuesOfTunneler),
  IDENTITY_CONNECTIONS: validateIdentityConnections,
};

/** Compares what a router says of itself with what the controller has. */
export async function validateRouter(
  of: ValidatedRouter,
  validation: Validation,
  question: NodeQuestion,
): Promise<ValidationResult> {
  try {
    return await VALIDATE[validation](of, question);
  } catch (error) {
    if (error instanceof ValidationFault) return notValidated(error.message);
    throw error;
  }
}

async function validateDataModel(
  { router, dataModel }: ValidatedRouter,
  { fixes }: NodeQuestion,
): Promise<ValidationResult> {
  // Routers without the data model have nothing to compare.
  const differences = router.followsDataModel ? await dataModel.validate(fixes) : [];
  return resultOfErrors(differences.map(differenceText));
}

/** As the public controller says it: scripts look for these words. */
const differenceText = ({ entityType, entityId, diffType, detail }: RouterDataModelDiff): string =>
  `${entityType} id: ${entityId} ${diffType}: ${detail}`;

async function validateLinks(of: ValidatedRouter): Promise<ValidationResult> {
  const { router, fabric, isConnected } = of;
  const earlier = fabric.links.of(router.id);
  const value = routerValue(await valuesOf(of, 'links'), 'links');
  const link = fabric.links.get.bind(fabric.links);
  return compareLinks(value, { routerId: router.id, earlier, link, isConnected });
}

async function validateCircuits(of: ValidatedRouter): Promise<ValidationResult> {
  const { router, fabric } = of;
  const overRouter = fabric.circuits.all().filter(({ routerIds }) => routerIds.includes(router.id));
  const values = await valuesOf(of, ...CIRCUIT_VALUES);
  const [forwarder, edge, sdk] = CIRCUIT_VALUES;
  const reported = {
    forwarder: routerValue(values, forwarder),
    edge: optionalRouterValue(values, edge),
    sdk: optionalRouterValue(values, sdk),
  };
  return compareCircuits(reported, {
    earlier: overRouter.map(({ id }) => id),
    exists: (id) => fabric.circuits.get(id) !== undefined,
    existedLately: (id) => fabric.circuits.lately(id) !== undefined,
  });
}

const CIRCUIT_VALUES = ['router-circuits', 'router-edge-circuits', 'router-sdk-circuits'] as const;

async function validateHosted(
  of: ValidatedRouter,
  binding: HostedBinding,
  name: string,
  read: (of: ValidatedRouter, name: string) => Promise<readonly NamedValue[]>,
): Promise<ValidationResult> {
  const stored = () => terminators.idsAt(of.store, of.router.id, binding);
  const earlier = await stored();
  const value = routerValue(await read(of, name), name);
  return compareTerminators(value, { earlier, present: await stored() });
}

async function validateIdentityConnections(of: ValidatedRouter): Promise<ValidationResult> {
  const stored = () => routerClients.identitiesAt(of.store, of.router.id);
  const name = 'identity-connection-statuses';
  const earlier = await stored();
  const value = routerValue(await valuesOf(of, name), name);
  return compareIdentityConnections(value, { earlier, present: await stored() });
}

/** Asks a router for values by name; it leaves out those that it does not know. */
async function valuesOf(
  of: ValidatedRouter,
  ...names: readonly string[]
): Promise<readonly NamedValue[]> {
  const { errors, values } = await answerTo(of, names);
  if (values.length === 0 && errors.length > 0) throw new ValidationFault(errors.join(', '));
  return values;
}

/** The same for a value of the tunneler: routers of version 1.6 that have none refuse the question. */
async function valuesOfTunneler(of: ValidatedRouter, name: string): Promise<readonly NamedValue[]> {
  const { errors, values } = await answerTo(of, [name]);
  if (values.length > 0) return values;
  if (await routers.hasTunneler(of.store, of.router.id)) {
    throw new ValidationFault(errors.join(', ') || `it reports no ${name}`);
  }
  return [{ name, value: '{}' }];
}

async function answerTo(
  { router }: ValidatedRouter,
  requestedValues: readonly string[],
): Promise<InspectResponse> {
  const request = { requestedValues };
  const frame = await router.ask(CONTENT.inspect, messages.InspectRequest, request, ANSWER_MILLIS);
  return answerOfRouter(router, frame, messages.InspectResponse);
}
