import type { Config } from '../configuration.js';
import type { Validation } from '../../data/rows/inspection/index.js';
import { routers } from '../../data/rows/router/index.js';
import type { DataModelSource } from '../../network/data-model/index.js';
import type { Fabric } from '../../network/fabric/index.js';
import {
  validationAnswer,
  type Inspector,
  type NodeAnswer,
  type RouterPresence,
} from '../../network/presence/index.js';
import { resultOfErrors } from '../../network/validation/index.js';
import type { Store } from '../../kernel/request/store-port.js';

export interface ControllerInspectorOptions {
  /** The id of this controller. */
  readonly id: string;
  readonly config: Config;
  readonly store: Store;
  readonly presence: Pick<RouterPresence, 'routers'>;
  readonly fabric: Pick<Fabric, 'circuits'>;
  readonly dataModel: Pick<DataModelSource, 'position' | 'differences'>;
  /** Whether this controller serves the routers. */
  readonly isOwner: () => boolean;
}

/** Gives the value of one name; undefined where this controller has none. */
type ReadValue = (options: ControllerInspectorOptions) => unknown;

/** By names in lower case, since routers ignore the case, too. */
const VALUES: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>([
  ['config', ({ config }) => publicSettings(config)],
  ['connected-routers', connectedRouters],
  ['router-data-model-index', ({ dataModel }) => dataModel.position],
  [
    'terminator-costs',
    ({ fabric, isOwner }) => (isOwner() ? { terminators: fabric.circuits.costs.all() } : undefined),
  ],
]);

/** Answers questions about this controller. */
export const controllerInspector =
  (options: ControllerInspectorOptions): Inspector =>
  (nodeId, { names, validation }) => {
    if (nodeId !== options.id) return undefined;
    return validation === null ? valuesOf(options, names) : validationOf(options, validation);
  };

/** A controller has nothing but the data model to be compared with the database. */
async function validationOf(
  { dataModel }: ControllerInspectorOptions,
  validation: Validation,
): Promise<NodeAnswer> {
  const differences = validation === 'DATA_MODEL' ? await dataModel.differences() : [];
  return validationAnswer(resultOfErrors(differences));
}

async function valuesOf(
  options: ControllerInspectorOptions,
  names: readonly string[],
): Promise<NodeAnswer> {
  const values = await Promise.all(
    names.map(async (name) => ({ name, value: await VALUES.get(name.toLowerCase())?.(options) })),
  );
  return {
    errors: [],
    values: values.flatMap(({ name, value }) =>
      value === undefined ? [] : [{ name, value: JSON.stringify(value) }],
    ),
  };
}

async function connectedRouters({ presence, store }: ControllerInspectorOptions): Promise<object> {
  const reports = presence.routers();
  const names = await routers.namesOf(
    store,
    reports.map(({ routerId }) => routerId),
  );
  return reports.map(({ routerId, versionInfo, connectedAt }) => ({
    id: routerId,
    name: names.get(routerId) ?? '',
    version: versionInfo?.version ?? '',
    connectTime: connectedAt,
  }));
}

/** The settings without secrets, and without the paths and addresses that contain some. */
const publicSettings = (config: Config): object => {
  const { listen, advertise, ctrlAddress, ctrlListen, workers, limits } = config;
  const { sessionTimeoutMs, enrollmentLifetimeMs, routerEnrollmentLifetimeMs, logLevel } = config;
  return {
    ...{ listen, advertise, ctrlAddress, ctrlListen, workers, limits },
    ...{ sessionTimeoutMs, enrollmentLifetimeMs, routerEnrollmentLifetimeMs, logLevel },
  };
};
