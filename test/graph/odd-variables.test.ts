import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { withCodes } from '../../src/graph/result.js';
import type { Caller } from '../../src/kernel/request/context.js';
import type { Row } from '../../src/base/row.js';
import {
  isComposite,
  rootFields,
  type GraphArgument,
  type RootField,
} from '../fuzz/graph-operations.js';
import { ODD_JSON, validValue } from '../rest/support/wrong-values.js';
import { ADMIN, InProcess } from '../support/in-process.js';

let controller: InProcess;
let admin: Caller;

beforeAll(async () => {
  controller = await InProcess.start();
  admin = { ...ADMIN, identityId: await controller.defaultAdminId() };
});
afterAll(() => controller.stop());

const documentOf = ({ root, name, args, type }: RootField): string => {
  const head = args.map((a) => `$${a.name}: ${a.type}`).join(', ');
  const given = args.map((a) => `${a.name}: $${a.name}`).join(', ');
  return `${root} (${head}) { ${name}(${given})${isComposite(type) ? ' { __typename }' : ''} }`;
};

/** Places in files, sentences of the database and of the engine, names of libraries. */
const INTERNAL =
  /\n\s+at |node_modules|\.[jt]s\b|\bselect\b.*\bfrom\b|\brelation "|prisma|postgres|Cannot read|is not a function|undefined/i;

/** The errors of an operation with one odd value, as clients see them. */
async function errorsOf(
  field: RootField,
  variables: Row,
): Promise<readonly { message: string; extensions: Row }[]> {
  const text = documentOf(field);
  const { executor } = controller.parts;
  const ctx = controller.ctx(admin);
  const result = await executor.run(parse(text), text, ctx, variables, undefined);
  const unexpected: unknown[] = [];
  const { errors = [] } = withCodes(result, ctx, (error) => unexpected.push(error));
  if (unexpected.length > 0) throw unexpected[0] as Error;
  return errors.map(({ message, extensions }) => ({ message, extensions }));
}

const requiredOf = ({ args }: RootField): Row =>
  Object.fromEntries(args.filter((a) => a.isRequired).map((a) => [a.name, validValue(a.shape)]));

/** The argument with each odd value, and each member of an input likewise. */
function oddArguments({ name, shape }: GraphArgument): Row[] {
  const odd = ODD_JSON.map((text) => JSON.parse(text) as unknown);
  const members = shape.kind === 'object' ? shape.members() : [];
  const base = validValue(shape) as Row;
  return [
    ...odd.map((value) => ({ [name]: value })),
    ...members.flatMap((member) =>
      odd.map((value) => ({ [name]: { ...base, [member.name]: value } })),
    ),
  ];
}

describe('an operation tells nothing internal about odd variables', () => {
  const fields = rootFields().filter(({ root, args }) => root === 'mutation' && args.length > 0);

  test.each(fields)('$name', async (field) => {
    const base = requiredOf(field);
    const leaks: string[] = [];
    for (const odd of field.args.flatMap(oddArguments)) {
      for (const { message, extensions } of await errorsOf(field, { ...base, ...odd })) {
        // Its random letters may be those of the name of a file.
        const errorText = `${message} ${JSON.stringify({ ...extensions, requestId: undefined })}`;
        if (Number(extensions.status) >= 500 || INTERNAL.test(errorText)) {
          leaks.push(`${JSON.stringify(odd)}: ${errorText}`);
        }
      }
    }
    expect(leaks).toEqual([]);
  });
});
