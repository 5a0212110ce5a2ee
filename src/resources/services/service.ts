import {
  attribute,
  attributeSet,
  bool,
  int,
  json,
  objects,
  references,
  text,
} from '../../kernel/declare/attribute.js';
import { failure, invalidField } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { childrenOf, elementsOf } from '../child-relations.js';
import { clientEdgeRouters } from '../routers/client-edge-router.js';
import { checkConfigs } from './config-checks.js';
import { NamedEntity } from '../entity.js';
import { roleFilterArguments } from '../policies/role-filter.js';
import {
  configByType,
  permissions,
  permissionsType,
  POSTURE_QUERIES_ON_REST,
  postureQueries,
  PostureQuerySet,
  visibleServices,
} from './service-view.js';

const STRATEGIES = ['smartrouting', 'weighted', 'random', 'sticky'];

async function validate({ ctx, tx, values, verb }: Write<'Service'>): Promise<void> {
  const strategy = values.terminatorStrategy;
  if (strategy === '') values.terminatorStrategy = 'smartrouting';
  else if (strategy !== undefined && !STRATEGIES.includes(strategy)) {
    throw failure('NOT_FOUND', `terminatorStrategy with name ${strategy} not found`);
  }
  if ((values.maxIdleTimeMillis ?? 0) < 0) {
    throw invalidField('maxIdleTimeMillis', 'must not be negative', values.maxIdleTimeMillis);
  }
  // Fixed at creation, because both ends have agreed on it. Updates may send it, without effect.
  if (verb !== 'create') delete values.encryptionRequired;
  await checkConfigs(ctx, tx, 'service', values.configs);
}

@resource({
  description: 'Something on the network that identities dial or bind.',
  plural: 'Services',
  path: 'services',
  permission: 'service',
  createdOften: true,
  counted: true,
  decides: { reach: ['roleAttributes'] },
  visible: visibleServices,
  links: ['service-edge-router-policies', 'service-policies', 'terminators', 'configs'],
  listArguments: [
    ...roleFilterArguments('service'),
    {
      name: 'configTypes',
      isList: true,
      description:
        'Config types (names or ids, or `all`) to show in `config`; default: those of the session.',
      shapes: ['config'],
    },
    {
      name: 'asIdentity',
      isList: false,
      description:
        'Show `permissions`, `config` and `postureQueries` as this identity (id or name) sees them.',
      names: 'Identity',
      shapes: ['permissions', 'config', 'postureQueries'],
    },
  ],
  relations: [
    elementsOf('configsConnection', 'Config', 'configs', 'Its configs as entities.', 'configs'),
    childrenOf('terminators', 'Terminator', 'serviceId', 'Where it can be reached.'),
    childrenOf('sessions', 'Session', 'serviceId', 'The sessions for it.', false),
    childrenOf('circuits', 'Circuit', 'serviceId', 'The circuits to it.', false),
    clientEdgeRouters,
    {
      ...childrenOf(
        'clientTerminators',
        'ClientTerminator',
        'serviceId',
        'Where it can be reached, as clients see it.',
        false,
      ),
      isOfCaller: true,
    },
  ],
  hooks: { validate },
  isDrafted: true,
  exported: { fixed: ['encryptionRequired'] },
})
export class Service extends NamedEntity {
  @attribute(attributeSet(), {
    description: 'The attributes by which policies select it.',
    filter: true,
  })
  roleAttributes!: string[];

  @attribute(references('Config'), {
    description: 'Ids of its configs, at most one of each type.',
    filter: true,
  })
  configs!: string[];

  @attribute(bool(), {
    description: 'Whether both ends must encrypt; fixed at creation.',
    required: 'create',
  })
  encryptionRequired!: boolean;

  @attribute(int(), { description: 'Idle connections end after so many milliseconds; 0: never.' })
  maxIdleTimeMillis!: number;

  @attribute(text(), {
    description: 'The strategy to choose a terminator: smartrouting, weighted, random or sticky.',
    default: 'smartrouting',
    filter: true,
  })
  terminatorStrategy!: string;

  @attribute(json(), {
    description: 'Config type name -> data, for the requested config types.',
    write: 'never',
    compute: configByType,
  })
  config!: Computed<object>;

  @attribute(permissionsType, {
    description: 'The permissions of the caller: `Bind`, `Dial`, or `Invalid` for neither.',
    write: 'never',
    compute: permissions,
  })
  permissions!: Computed<string[]>;

  @attribute(objects(() => PostureQuerySet), {
    description: 'Per policy that lets the caller in: whether its posture checks pass.',
    write: 'never',
    compute: postureQueries,
    restShape: POSTURE_QUERIES_ON_REST,
  })
  postureQueries!: Computed<PostureQuerySet[]>;
}
