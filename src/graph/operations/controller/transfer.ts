import { randomUUID } from 'node:crypto';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { LRUCache } from 'lru-cache';
import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { object } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { NETWORK_COST, Runs } from '../../../kernel/graph/pace.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import {
  exportNetwork,
  importNetwork,
  ImportResult,
  ImportState,
} from '../../../inventory/transfer/index.js';

const CACHED_IMPORTS = 100;

@Resolver()
export class TransferResolver {
  /** The progress of imports at this controller, for display only. */
  readonly #progress = new LRUCache<string, ImportState>({ max: CACHED_IMPORTS });

  @Runs({ lane: 'background', isLong: true, cost: NETWORK_COST })
  @Needs(ADMIN)
  @Mutation(outputType(object(() => ImportResult)), {
    description: [
      'Changes the network to the state in a document in the format of `ziti ops export`.',
      'Names identify entities: missing ones are created, different ones are changed, members that the document leaves out keep their values, and nothing is deleted.',
      'The whole document is checked first; a fault anywhere means that nothing is written.',
      'Documents of more than 1 MiB go to `POST /graphql/import`, which takes 64 MiB from administrators.',
      'System policies and identities of routers come with their routers. Identities come without credentials and enrollments; the default administrator of another network is an ordinary administrator here. The own default administrator keeps its powers and its auth policy.',
    ].join('\n'),
  })
  async importNetwork(
    @Arg('document', () => GraphQLJSON, { description: 'Section -> entities.' }) document: unknown,
    @Arg('dryRun', () => Boolean, {
      defaultValue: false,
      description: 'Only show the changes.',
    })
    dryRun: boolean,
    @Arg('importId', () => ID, {
      nullable: true,
      description: 'A UUID for `importProgress`; default: a new one.',
    })
    importId: string | null | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<ImportResult> {
    const id = (importId ?? randomUUID()).toLowerCase();
    if (!UUID.test(id)) throw invalidField('importId', 'must be a UUID', id);
    return importNetwork({ ...ctx, importId: id }, document, dryRun, (state) => {
      this.#progress.set(id, state);
    });
  }

  @Needs(ADMIN)
  @Query(outputType(object(() => ImportState)), {
    nullable: true,
    description: 'The progress of an import at this controller; null if it has none with this id.',
  })
  importProgress(
    @Arg('importId', () => ID, { description: 'Id of the import.' }) importId: string,
  ): ImportState | undefined {
    return this.#progress.get(importId.toLowerCase());
  }

  @Runs({ lane: 'background', isLong: true, cost: NETWORK_COST })
  @Needs(ADMIN)
  @Query(() => GraphQLJSONObject, {
    description:
      'The network as a document in the format of `ziti ops export`, without secrets and without entities that a controller creates itself.',
  })
  exportNetwork(
    @Arg('types', () => [String], {
      nullable: true,
      description:
        'Sections; default: all. The names of kinds in the `ziti` CLI are accepted as well.',
    })
    types: string[] | null | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<object> {
    return exportNetwork(ctx, types);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
