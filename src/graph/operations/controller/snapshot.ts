import { Arg, Ctx, Field, Float, Mutation, ObjectType, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { STRING, type Schema } from '../../../kernel/declare/rest-schema.js';
import { FABRIC, Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';

@ObjectType({ description: 'A snapshot of the database, in a file.', simpleResolvers: true })
class DatabaseSnapshot {
  @Field(() => String, {
    description: 'Name of the file in `snapshots` of the data directory of this controller.',
  })
  name!: string;

  @Field(() => DateTime, { description: 'The moment whose state it contains.' })
  createdAt!: Date;

  @Field(() => Float, { description: 'Bytes.' })
  size!: number;

  @Field(() => Float, { description: 'Rows of all tables.' })
  rows!: number;

  @Field(() => String, { description: 'SHA-256 of the content, in hex.' })
  checksum!: string;
}

const SNAPSHOT = {
  method: 'POST',
  operationId: 'createDatabaseSnapshot',
  arguments: { includePki: 'default' },
  answer: { kind: 'empty' },
} as const;

const WISHED_PATH: Schema = {
  type: 'object',
  properties: {
    path: {
      ...STRING,
      description: 'Has no effect: the file gets a name of its own in the data directory.',
    },
  },
};

@Resolver()
export class SnapshotResolver {
  @Rest(
    { ...SNAPSHOT, path: '/database/snapshot' },
    { ...SNAPSHOT, on: FABRIC, path: '/database' },
    {
      ...SNAPSHOT,
      on: FABRIC,
      path: '/database/snapshot',
      operationId: 'createDatabaseSnapshotWithPath',
      body: { kind: 'json', schema: WISHED_PATH, required: false },
      answer: {
        kind: 'data',
        select: 'name',
        view: ({ name }: DatabaseSnapshot) => ({ path: `snapshots/${name}` }),
        schema: {
          type: 'object',
          required: ['path'],
          properties: { path: { ...STRING, description: 'Its path below the data directory.' } },
        },
      },
    },
  )
  @Runs({ lane: 'background', isLong: true })
  @Needs(ADMIN)
  @Mutation(() => DatabaseSnapshot, {
    description: [
      'Writes the present database to a file in the data directory of this controller, readable only by its account. Writers do not wait.',
      'The file holds hashes of passwords, tokens and sealed secrets; `overgraph restore` fills an empty database from it.',
      'RATE_LIMITED within a minute of another one, at any controller.',
    ].join('\n'),
  })
  async createSnapshot(
    @Arg('includePki', () => Boolean, {
      defaultValue: false,
      description: 'Put the private keys and the secret key of this controller into it, unsealed.',
    })
    includePki: boolean,
    @Ctx() ctx: RequestContext,
  ): Promise<DatabaseSnapshot> {
    const { snapshots } = ctx.modules;
    // Others need the snapshot even if the client disconnects.
    return snapshots.create(ctx.requestId, includePki);
  }
}
