import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import { callerOf, InProcess, type GraphAnswer } from '../support/in-process.js';

/* Settings of the controllers: which of them count, who may write them, and what they may contain. */

const HERE = 'in-process';
const ELSEWHERE = 'elsewhere';
const CALLBACK = 'https://console.example.com/auth/callback';
const OTHER = 'https://other.example.com/auth/callback';
const LOGOUT = 'com.example.app:/auth/logout';

const FIELDS = '{ id revision tags isSystem oidc { redirectUris postLogoutUris } }';
const ADD = `mutation ($controllerId: ID!, $oidc: ControllerSettingOidcInput, $tags: JSONObject) {
  addControllerSetting(controllerId: $controllerId, oidc: $oidc, tags: $tags) ${FIELDS}
}`;
const SET = `mutation ($id: ID!, $oidc: ControllerSettingOidcInput, $tags: JSONObject) {
  setControllerSetting(id: $id, oidc: $oidc, tags: $tags) ${FIELDS}
}`;
const CHANGE = `mutation ($id: ID!, $oidc: ControllerSettingOidcInput, $ifRevision: Int) {
  changeControllerSetting(id: $id, oidc: $oidc, ifRevision: $ifRevision) ${FIELDS}
}`;
const REMOVE = 'mutation ($id: ID!) { removeControllerSetting(id: $id) }';
const EFFECTIVE = `query ($id: ID!) {
  effectiveControllerSetting(id: $id) { effectiveOidc { redirectUris postLogoutUris } }
}`;

let network: InProcess;

async function addController(id: string): Promise<void> {
  await network.parts.store.query(
    sql`insert into controller
        (id, created_at, updated_at, name, cert_pem, fingerprint, last_joined_at, last_seen_at)
      values (${id}::text, now(), now(), ${id}::text, '', ${id}::text, now(), now())`,
  );
}

beforeAll(async () => {
  network = await InProcess.start();
  for (const id of [HERE, ELSEWHERE]) await addController(id);
});
afterAll(() => network.stop());

beforeEach(async () => {
  for (const id of [HERE, ELSEWHERE]) await network.graph(REMOVE, { id });
  await network.read(SET, { id: 'global', oidc: {} });
});

const written = (answer: GraphAnswer): Row => {
  expect(answer.messages).toEqual([]);
  return Object.values(answer.data ?? {})[0] as Row;
};

const lists = (): Promise<unknown> => network.ctx().modules.redirectLists.current();

async function effective(id: string): Promise<unknown> {
  const { effectiveControllerSetting } = await network.read<{
    effectiveControllerSetting: { effectiveOidc: unknown };
  }>(EFFECTIVE, { id });
  return effectiveControllerSetting.effectiveOidc;
}

describe('the settings that count', () => {
  test('are none in a new network, whose global settings the controller keeps', async () => {
    expect(await lists()).toEqual({ redirectUris: [], postLogoutUris: [] });
    expect(await effective('global')).toEqual({ redirectUris: [], postLogoutUris: [] });
    const { controllerSettings } = await network.read<{ controllerSettings: { nodes: Row[] } }>(
      '{ controllerSettings { nodes { id isSystem } } }',
    );
    expect(controllerSettings.nodes).toEqual([{ id: 'global', isSystem: true }]);
  });

  test('are the global ones, until the controller has a list of its own', async () => {
    const global = { redirectUris: [CALLBACK], postLogoutUris: [LOGOUT] };
    written(await network.graph(CHANGE, { id: 'global', oidc: global }));
    expect(await lists()).toEqual(global);

    const oidc = { redirectUris: [OTHER] };
    const own = written(await network.graph(ADD, { controllerId: HERE, oidc }));
    expect(own).toMatchObject({ id: HERE, oidc: { ...oidc, postLogoutUris: null } });
    expect(await lists()).toEqual({ redirectUris: [OTHER], postLogoutUris: [LOGOUT] });
    expect(await effective(HERE)).toEqual({ redirectUris: [OTHER], postLogoutUris: [LOGOUT] });

    written(await network.graph(CHANGE, { id: HERE, oidc: { redirectUris: null } }));
    expect(await lists()).toEqual(global);
    written(await network.graph(CHANGE, { id: HERE, oidc: { postLogoutUris: [] } }));
    expect(await lists()).toEqual({ redirectUris: [CALLBACK], postLogoutUris: [] });

    await network.read(REMOVE, { id: HERE });
    expect(await lists()).toEqual(global);
  });

  test('are not those of another controller', async () => {
    written(await network.graph(ADD, { controllerId: ELSEWHERE, oidc: { redirectUris: [OTHER] } }));
    expect(await lists()).toEqual({ redirectUris: [], postLogoutUris: [] });
    expect(await effective(ELSEWHERE)).toMatchObject({ redirectUris: [OTHER] });
  });

  test('take no statement once they are in memory, and none is out of date', async () => {
    await lists();
    const before = network.parts.database.statements;
    await lists();
    expect(network.parts.database.statements).toBe(before);
    written(await network.graph(CHANGE, { id: 'global', oidc: { redirectUris: [CALLBACK] } }));
    expect(await lists()).toMatchObject({ redirectUris: [CALLBACK] });
  });
});

describe('a change', () => {
  test('keeps the list that it does not name; a replacement drops it', async () => {
    const oidc = { redirectUris: [CALLBACK], postLogoutUris: [LOGOUT] };
    written(await network.graph(ADD, { controllerId: HERE, oidc, tags: { ticket: 7 } }));
    const changed = written(
      await network.graph(CHANGE, { id: HERE, oidc: { redirectUris: [OTHER] } }),
    );
    expect(changed).toMatchObject({
      oidc: { redirectUris: [OTHER], postLogoutUris: [LOGOUT] },
      tags: { ticket: 7 },
    });
    const replaced = written(
      await network.graph(SET, { id: HERE, oidc: { redirectUris: [CALLBACK] } }),
    );
    expect(replaced).toMatchObject({
      oidc: { redirectUris: [CALLBACK], postLogoutUris: null },
      tags: {},
    });
  });

  test('of another revision is refused', async () => {
    const { revision } = written(await network.graph(ADD, { controllerId: HERE }));
    const asked = { id: HERE, oidc: { redirectUris: [OTHER] }, ifRevision: revision };
    written(await network.graph(CHANGE, asked));
    const { errors } = await network.graph(CHANGE, asked);
    expect(errors).toMatchObject([{ code: 'REVISION_CONFLICT' }]);
  });

  test('is in the change log, and revisions grow after a deletion', async () => {
    const first = written(await network.graph(ADD, { controllerId: HERE }));
    await network.read(REMOVE, { id: HERE });
    const second = written(
      await network.graph(ADD, { controllerId: HERE, oidc: { redirectUris: [OTHER] } }),
    );
    expect(second.revision).toBeGreaterThan(Number(first.revision) + 1);
    const logged = await network.parts.store.query(
      sql<Row>`select operation, revision, before, after from change
        where entity_type = 'ControllerSetting' and entity_id = ${HERE}::text
        order by epoch desc, xid desc, seq desc limit 1`,
    );
    expect(logged).toMatchObject([
      { operation: 'create', before: null, after: { oidc: { redirectUris: [OTHER] } } },
    ]);
  });
});

describe('a refusal', () => {
  test.each([
    ['no address', 'nonsense'],
    ['an empty text', ''],
    ['a relative address', '/auth/callback'],
    ['a fragment', `${CALLBACK}#code`],
    ['a script', 'javascript:alert(1)'],
    ['a script in other case', 'JavaScript:alert(1)'],
    ['inline data', 'data:text/html,hello'],
    ['a line break', `${CALLBACK}\nLocation: https://evil.example`],
    ['a blank at the end', `${CALLBACK} `],
    ['a letter that programs read in different ways', 'https://exаmple.com/auth/callback'],
    ['too long a text', `https://example.com/${'a'.repeat(2_048)}`],
  ])('is for %s', async (_, address) => {
    for (const list of ['redirectUris', 'postLogoutUris']) {
      const oidc = { [list]: [CALLBACK, address] };
      for (const [mutation, variables] of [
        [ADD, { controllerId: HERE, oidc }],
        [SET, { id: 'global', oidc }],
        [CHANGE, { id: 'global', oidc }],
      ] as const) {
        const { errors } = await network.graph(mutation, variables);
        expect(errors).toMatchObject([
          { code: 'COULD_NOT_VALIDATE', detail: { field: `oidc.${list}` } },
        ]);
      }
    }
    expect(await lists()).toEqual({ redirectUris: [], postLogoutUris: [] });
  });

  test('is for more addresses than one can oversee', async () => {
    const redirectUris = Array.from({ length: 101 }, (_, i) => `${CALLBACK}/${String(i)}`);
    const { errors } = await network.graph(CHANGE, { id: 'global', oidc: { redirectUris } });
    expect(errors).toMatchObject([{ detail: { field: 'oidc.redirectUris' } }]);
  });

  test.each(['nobody', 'global', ''])(
    'is for settings of %j, which is no controller',
    async (id) => {
      const { errors } = await network.graph(ADD, { controllerId: id });
      expect(errors).toMatchObject([{ detail: { field: 'controllerId' } }]);
    },
  );

  test('is for second settings, also of two at once', async () => {
    const answers = await Promise.all(
      [1, 2].map(() => network.graph(ADD, { controllerId: ELSEWHERE })),
    );
    const codes = answers.flatMap(({ errors }) => errors.map((error) => error?.code));
    expect(codes).toEqual(['COULD_NOT_VALIDATE']);
  });

  test('is for the deletion of the global settings, and for unknown ones', async () => {
    const { errors } = await network.graph(REMOVE, { id: 'global' });
    expect(errors).toMatchObject([{ code: 'CAN_NOT_DELETE_REFERENCED_ENTITY' }]);
    for (const document of [REMOVE, EFFECTIVE, SET]) {
      const answer = await network.graph(document, { id: 'nobody' });
      expect(answer.errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
  });

  test('is for callers who are no administrators', async () => {
    const permissions = ['admin_readonly', 'controllers', 'ops', 'identity', 'external-jwt-signer'];
    const ctx = (): RequestContext => network.ctx(callerOf('ada', ...permissions));
    const oidc = { redirectUris: [CALLBACK] };
    for (const [document, variables] of [
      [ADD, { controllerId: HERE, oidc }],
      [SET, { id: 'global', oidc }],
      [CHANGE, { id: 'global', oidc }],
      [REMOVE, { id: 'global' }],
    ] as const) {
      const { errors } = await network.graph(document, variables, ctx());
      expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    }
    expect((await network.graph(EFFECTIVE, { id: 'global' }, ctx())).errors).toEqual([]);
    const others = network.ctx(callerOf('ada', ...permissions.slice(1)));
    const { errors } = await network.graph(EFFECTIVE, { id: 'global' }, others);
    expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    expect(await lists()).toEqual({ redirectUris: [], postLogoutUris: [] });
  });
});
