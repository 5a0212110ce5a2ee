import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sql } from '../../../src/base/sql.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { InProcess } from '../../support/in-process.js';
import { unique } from './client.js';
import { contextOf } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* Somebody logs in twice at the same time before there is an identity. */

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

test('the later login finds the identity that the earlier one creates between two of its statements', async () => {
  const signer = await OutsideSigner.create(unique('company'));
  const settings = { ...signer.settings, useExternalId: true, createsIdentities: true };
  await controller.create('ExternalJwtSigner', settings);
  const claim = unique('Person');
  const context = async (): Promise<RequestContext> =>
    contextOf(controller, { authorization: `Bearer ${await signer.jwt(claim)}` });
  const logIn = async (ctx: RequestContext): Promise<unknown> => {
    const { authenticate } = await controller.read<{ authenticate: { identity: unknown } }>(
      LOGIN,
      {},
      ctx,
    );
    return authenticate.identity;
  };
  let earlier: unknown;
  const later = await logIn(
    afterSearch(await context(), async () => {
      earlier = await logIn(await context());
    }),
  );
  expect(earlier).toMatchObject({ id: expect.any(String) });
  expect(later).toEqual(earlier);
});
