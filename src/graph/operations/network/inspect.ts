import { GraphQLJSON } from 'graphql-scalars';
import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { invalidField } from '../../../base/errors.js';
import { parseJson } from '../../../base/json-text.js';
import { controllers } from '../../../data/rows/controller/index.js';
import { beyondReading } from '../../../kernel/declare/permissions.js';
import { BOOLEAN, listOf, objectOf, STRING } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { FABRIC, Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { NodeAnswer } from '../../../network/presence/index.js';

const MAX_PATTERN_LENGTH = 1_000;
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 200;

@ObjectType({ description: 'A value that a router or controller reports.', simpleResolvers: true })
class InspectedValue {
  @Field(() => ID, { description: 'Id of the router or controller.' })
  nodeId!: string;

  @Field(() => String, { description: 'Name of the value, as asked for.' })
  name!: string;

  @Field(() => GraphQLJSON, {
    description: 'The value: an object or a list where the node reports JSON, else a text.',
  })
  value!: unknown;
}

@ObjectType({
  description: 'What routers and controllers report about their present state.',
  simpleResolvers: true,
})
class Inspection {
  @Field(() => Boolean, { description: 'Whether every asked node has answered without error.' })
  success!: boolean;

  @Field(() => [String], {
    description: 'Faults, each as `<id of the node>: <text>`; other nodes have answered even so.',
  })
  errors!: string[];

  @Field(() => [InspectedValue], { description: 'The values; those unknown to a node are absent.' })
  values!: InspectedValue[];
}

const TITLE = { title: 'InspectResponse' };
const BODY = {
  ...TITLE,
  ...objectOf(
    {
      success: BOOLEAN,
      errors: listOf(STRING),
      values: listOf({
        title: 'InspectResponseValue',
        ...objectOf({ appId: STRING, name: STRING, value: {} }),
      }),
    },
    ['success'],
  ),
};

/** Clients read this answer without an envelope. */
const bodyOf = ({ success, errors, values }: Inspection): string =>
  JSON.stringify({
    success,
    errors,
    values: values.map(({ nodeId, name, value }) => ({ appId: nodeId, name, value })),
  });

@Resolver()
export class InspectResolver {
  @Rest({
    on: FABRIC,
    method: 'POST',
    path: '/inspections',
    tag: 'inspect',
    summary: 'Asks controllers and connected routers for values by name.',
    arguments: { pattern: { member: 'appRegex' }, names: { member: 'requestedValues' } },
    answer: {
      kind: 'raw',
      contentType: 'application/json',
      select: 'success errors values { nodeId name value }',
      view: bodyOf,
      schema: BODY,
    },
  })
  @Runs({ lane: 'background' })
  @Needs(beyondReading('ops'))
  @Query(() => Inspection, {
    description: [
      'Asks controllers and connected routers for values by name, at any controller, for at most 5 seconds.',
      'Routers know `links`, `router-circuits`, `sdk-terminators`, `circuit:<id>`, `config`, `stackdump` and others by their version; controllers know `connected-routers`, `terminator-costs` and `config`.',
    ].join('\n'),
  })
  async inspect(
    @Arg('pattern', () => String, {
      description: 'A regular expression for ids and names; it may match a part of them.',
    })
    pattern: string,
    @Arg('names', () => [String], { description: 'The names of the values, at most 100.' })
    names: string[],
    @Ctx() ctx: RequestContext,
  ): Promise<Inspection> {
    refuseUnreasonable(pattern, names);
    const { presence } = ctx.modules;
    const routerIds = presence.routers().map(({ routerId }) => routerId);
    const nodeIds = await controllers.nodesMatching(ctx.store, pattern, routerIds);
    if (!nodeIds) return NO_PATTERN;
    if (nodeIds.length === 0 || names.length === 0) return NOTHING;
    return inspectionOf(await presence.inspect(nodeIds, names));
  }
}

const NOTHING: Inspection = { success: true, errors: [], values: [] };
const NO_PATTERN: Inspection = {
  success: false,
  errors: ['appRegex: it is not a regular expression'],
  values: [],
};

function refuseUnreasonable(pattern: string, names: readonly string[]): void {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw invalidField(
      'pattern',
      `longer than ${String(MAX_PATTERN_LENGTH)} characters`,
      pattern.slice(0, 100),
    );
  }
  if (names.length > MAX_NAMES) {
    throw invalidField('names', `more than ${String(MAX_NAMES)} names`, names.length);
  }
  const tooLong = names.find(({ length }) => length > MAX_NAME_LENGTH);
  if (tooLong === undefined) return;
  throw invalidField(
    'names',
    `a name longer than ${String(MAX_NAME_LENGTH)} characters`,
    tooLong.slice(0, 100),
  );
}

function inspectionOf(answers: ReadonlyMap<string, NodeAnswer>): Inspection {
  const nodes = [...answers];
  const errors = nodes.flatMap(([id, answer]) => answer.errors.map((text) => `${id}: ${text}`));
  const values = nodes.flatMap(([nodeId, answer]) =>
    answer.values.map(({ name, value }) => ({ nodeId, name, value: valueOf(value) })),
  );
  return { success: errors.length === 0, errors, values };
}

/** Routers may send any text: one that is no JSON, or nests too deep, stays a text. */
function valueOf(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return parseJson(text, { anyText: true });
  } catch {
    return text;
  }
}
