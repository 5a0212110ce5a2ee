import { randomUUID } from 'node:crypto';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { LRUCache } from 'lru-cache';
import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { NETWORK_COST, Runs } from '../../../kernel/graph/pace.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import {
  exportNetwork,
  importNetwork,
  type ImportProgress,
} from '../../../inventory/transfer/index.js';

@ObjectType({ description: 'A fault of a document and its place.', simpleResolvers: true })
class ImportFault {
  @Field(() => String, { nullable: true, description: 'Section.' })
  section!: string | null;

  @Field(() => Int, { nullable: true, description: 'Place in the section, from 0.' })
  index!: number | null;

  @Field(() => String, { nullable: true, description: 'Name of the entity.' })
  name!: string | null;

  @Field(() => String, { nullable: true, description: 'Path of the member.' })
  field!: string | null;

  @Field(() => String, { description: 'The reason.' })
  reason!: string;

  @Field(() => String, { description: 'The fault in one line.' })
  message!: string;
}

@ObjectType({ description: 'The result for one section.', simpleResolvers: true })
class ImportCount {
  @Field(() => String, { description: 'Section.' })
  type!: string;

  @Field(() => Int, { description: 'New in the network.' })
  created!: number;

  @Field(() => Int, { description: 'In the network before, and changed.' })
  updated!: number;

  @Field(() => Int, { description: 'In the network before, as in the document.' })
  unchanged!: number;

  @Field(() => Int, { description: 'Ignored, because the controller manages them itself.' })
  skipped!: number;

  @Field(() => Int, { description: 'Not written because the import was aborted.' })
  failed!: number;
}

@ObjectType({ description: 'The result for one entity.', simpleResolvers: true })
class ImportedEntity {
  @Field(() => String, { description: 'Section.' })
  type!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: '`created`, `updated`, `unchanged` or `skipped`.' })
  action!: string;
}

@ObjectType({ description: 'The outcome of an import.', simpleResolvers: true })
class ImportResult {
  @Field(() => ID, { description: 'The id in the change records of the import.' })
  importId!: string;

  @Field(() => Boolean, { description: 'Whether the import only simulates.' })
  dryRun!: boolean;

  @Field(() => [ImportFault], {
    description: 'The first 1,000 faults of the document. With any, nothing was written.',
  })
  faults!: readonly ImportFault[];

  @Field(() => Int, { description: 'Number of faults.' })
  faultCount!: number;

  @Field(() => [String], { description: 'Members of the document that the import ignores.' })
  ignored!: readonly string[];

  @Field(() => [ImportCount], { description: 'The results for the sections.' })
  summary!: readonly ImportCount[];

  @Field(() => [ImportedEntity], { description: 'The result for each entity.' })
  entities!: readonly ImportedEntity[];

  @Field(() => String, {
    nullable: true,
    description: 'The reason why it was aborted. Written entities stay; another import continues.',
  })
  failure!: string | null;
}

@ObjectType({ description: 'The progress of an import.', simpleResolvers: true })
class ImportState {
  @Field(() => String, { description: '`checking`, `writing` or `done`.' })
  phase!: string;

  @Field(() => Int, { description: 'Entities checked, or written in whole transactions.' })
  done!: number;

  @Field(() => Int, { description: 'Entities to check, or to write.' })
  total!: number;
}

const CACHED_IMPORTS = 100;

@Resolver()
export class TransferResolver {
  /** The progress of imports at this controller, for display only. */
  readonly #progress = new LRUCache<string, ImportProgress>({ max: CACHED_IMPORTS });

  @Runs({ lane: 'background', isLong: true, cost: NETWORK_COST })
  @Needs(ADMIN)
  @Mutation(() => ImportResult, {
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
    const result = await importNetwork({ ...ctx, importId: id }, document, dryRun, (progress) => {
      this.#progress.set(id, progress);
    });
    return { ...result };
  }

  @Needs(ADMIN)
  @Query(() => ImportState, {
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
