import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Sql } from '../../../src/base/sql.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { InProcess } from '../../support/in-process.js';
import { unique } from './client.js';
import { contextOf } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* People log in at the same time before there are identities for them. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { identity { id } } }';

/** Runs work once, after the first statement that looks for an identity by its external id. */
function afterSearch(ctx: RequestContext, work: () => Promise<unknown>): RequestContext {
  const { store } = ctx;
  let isDone = false;
  const query = async (statement: Sql): Promise<unknown> => {
    const rows = await store.query(statement);
    if (isDone || !statement.render().text.includes('where i.external_id =')) return rows;
    isDone = true;
    await work();
    return rows;
  };
  const read = (of: typeof store, name: string | symbol): unknown => {
    if (name === 'query') return query;
    const member: unknown = Reflect.get(of, name, of);
    return typeof member === 'function' ? (member.bind(of) as unknown) : member;
  };
  return { ...ctx, store: new Proxy(store, { get: read }) };
}

type Login = { readonly identity: unknown } | { readonly code: string | undefined };

/** A signer whose first logins create at most so many identities. */
async function newSigner(maxCreatedIdentities: number): Promise<OutsideSigner> {
  const signer = await OutsideSigner.create(unique('company'));
  await controller.create('ExternalJwtSigner', {
    ...signer.settings,
    ...{ useExternalId: true, createsIdentities: true, maxCreatedIdentities },
  });
  return signer;
}

const contextFor = async (
  signer: OutsideSigner,
  claim: string,
  at = controller,
): Promise<RequestContext> => contextOf(at, { authorization: `Bearer ${await signer.jwt(claim)}` });

async function logIn(ctx: RequestContext, at = controller): Promise<Login> {
  const { data, errors } = await at.graph(LOGIN, {}, ctx);
  if (errors.length > 0) return { code: errors[0]?.code };
  return data?.authenticate as { identity: unknown };
}

const SOMEBODY = { identity: { id: expect.any(String) } };
const REFUSED = { code: 'UNAUTHORIZED' };

test.each([1_000, 1])(
  'the later login finds the identity that the earlier one creates between two of its statements, as one of at most %j',
  async (most) => {
    const signer = await newSigner(most);
    const claim = unique('Person');
    let earlier: unknown;
    const later = await logIn(
      afterSearch(await contextFor(signer, claim), async () => {
        earlier = await logIn(await contextFor(signer, claim));
      }),
    );
    expect(earlier).toEqual(SOMEBODY);
    expect(later).toEqual(earlier);
  },
);

test('somebody else who takes the last place between two statements leaves none', async () => {
  const signer = await newSigner(1);
  let earlier: unknown;
  const later = await logIn(
    afterSearch(await contextFor(signer, unique('Person')), async () => {
      earlier = await logIn(await contextFor(signer, unique('Person')));
    }),
  );
  expect([earlier, later]).toEqual([SOMEBODY, REFUSED]);
});

describe('of several people at the same moment, at two controllers,', () => {
  let other: InProcess;

  beforeAll(async () => {
    other = await InProcess.start(controller);
  });
  afterAll(() => other.stop());

  test.each([
    [2, 1],
    [2, 2],
    [6, 3],
  ])('%j find %j places, and all of these are given', async (people, places) => {
    const signer = await newSigner(places);
    const contexts = await Promise.all(
      Array.from({ length: people }, async (_, index) => {
        const at = index % 2 === 0 ? controller : other;
        return { at, ctx: await contextFor(signer, unique('Person'), at) };
      }),
    );
    const logins = await Promise.all(contexts.map(({ at, ctx }) => logIn(ctx, at)));
    expect(logins.filter((login) => 'identity' in login)).toEqual(
      Array.from({ length: places }, () => SOMEBODY),
    );
    expect(logins.filter((login) => 'code' in login)).toEqual(
      Array.from({ length: people - places }, () => REFUSED),
    );
  });

  test('one who logs in twice takes one place of two', async () => {
    const signer = await newSigner(2);
    const [twice, once] = [unique('Person'), unique('Person')];
    const logins = await Promise.all([
      logIn(await contextFor(signer, twice)),
      logIn(await contextFor(signer, twice, other), other),
      logIn(await contextFor(signer, once)),
    ]);
    expect(logins).toEqual([SOMEBODY, SOMEBODY, SOMEBODY]);
    expect(logins[0]).toEqual(logins[1]);
  });
});
