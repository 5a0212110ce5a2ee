import { PASSWORD } from '../client.js';
import { oneTimeCode, secretIn } from '../one-time-code.js';
import { atDoors, MATRIX, type Attempt, type Whose } from './matrix.js';
import type { Net, Operation, Someone } from './net.js';

/* Passwords, one-time codes and recovery codes: those of another identity do not count. */

const OTHERS_PASSWORD = `${PASSWORD} of another`;

/** Somebody who logs in by password, beside somebody with another password. */
async function newPerson(net: Net) {
  await net.once('a person with another password', async () => {
    const other = await net.newPerson();
    const change = { password: OTHERS_PASSWORD };
    return net.controller.rest('PATCH', `/authenticators/${other.authenticatorId}`, change);
  });
  return net.newPerson();
}

const passwordOf = (whose: Whose): string => (whose === 'own' ? PASSWORD : OTHERS_PASSWORD);

const login = (username: string, password: string): Operation => ({
  method: 'POST',
  path: '/authenticate?method=password',
  body: { username, password },
  document: `mutation ($input: AuthenticateInput!) {
    authenticate(method: "password", input: $input) { id } }`,
  variables: { input: { username, password } },
});

const newPassword = (id: string, currentPassword: string): Operation => {
  const input = { currentPassword, password: `${PASSWORD} anew` };
  return {
    method: 'PATCH',
    path: `/current-identity/authenticators/${id}`,
    body: input,
    document: `mutation ($id: ID!, $input: OwnAuthenticatorInput!) {
      updateCurrentAuthenticator(id: $id, input: $input) { id } }`,
    variables: { id, input },
  };
};

const PASSWORDS: readonly Attempt[] = atDoors(MATRIX.password, (door) => [
  {
    proof: 'password',
    door,
    at: 'the login',
    refusal: '401 INVALID_AUTH',
    prepare: async (net) => {
      const { username } = await newPerson(net);
      return (whose) => net.outcome(door, login(username, passwordOf(whose)), {});
    },
  },
  {
    proof: 'password',
    door,
    at: 'the change of it',
    refusal: '401 UNAUTHORIZED',
    prepare: async (net) => {
      const { id, authenticatorId } = await newPerson(net);
      const { token } = await net.logIn(id);
      return (whose) =>
        net.outcome(door, newPassword(authenticatorId, passwordOf(whose)), { token });
    },
  },
]);

/** Somebody with a second factor; its session has proved it unless the factor is pending. */
interface Holder extends Someone {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

const MFA = '/current-identity/mfa';

async function newHolder(net: Net, isPending = false): Promise<Holder> {
  const someone = await net.newSomeone();
  const { token } = someone;
  const send = (method: string, path: string, body?: unknown) =>
    net.ask('client REST', { method, path, body, document: '' }, { token });
  await send('POST', MFA);
  const { provisioningUrl, recoveryCodes } = (await send('GET', MFA)).body.data as {
    provisioningUrl: string;
    recoveryCodes: string[];
  };
  const secret = secretIn(provisioningUrl);
  // The code of the step before, so that the one of now is still unused.
  const code = oneTimeCode(secret, new Date(), -1);
  if (!isPending) await send('POST', `${MFA}/verify`, { code });
  return { ...someone, secret, recoveryCodes };
}

/** A use of a code. */
interface Use {
  readonly at: string;
  readonly operation: (code: string) => Operation;
  readonly takes: 'one-time code' | 'both';
  readonly by?: 'a new session' | 'a pending factor';
}

const header = (code: string) => ({ 'mfa-validation-code': code });

const USES: readonly Use[] = [
  {
    at: 'the login',
    takes: 'both',
    by: 'a new session',
    operation: (code) => ({
      method: 'POST',
      path: '/authenticate/mfa',
      body: { code },
      document: 'mutation ($code: String!) { authenticateMfa(code: $code) }',
      variables: { code },
    }),
  },
  {
    at: 'the end of the set-up',
    takes: 'one-time code',
    by: 'a pending factor',
    operation: (code) => ({
      method: 'POST',
      path: `${MFA}/verify`,
      body: { code },
      document: 'mutation ($code: String!) { verifyCurrentMfa(code: $code) }',
      variables: { code },
    }),
  },
  {
    at: 'a look at the recovery codes',
    takes: 'one-time code',
    operation: (code) => ({
      method: 'GET',
      path: `${MFA}/recovery-codes`,
      headers: header(code),
      document:
        'mutation ($code: String!) { currentMfaRecoveryCodes(code: $code) { recoveryCodes } }',
      variables: { code },
    }),
  },
  {
    at: 'new recovery codes',
    takes: 'both',
    operation: (code) => ({
      method: 'POST',
      path: `${MFA}/recovery-codes`,
      body: { code },
      document: 'mutation ($code: String!) { createCurrentMfaRecoveryCodes(code: $code) }',
      variables: { code },
    }),
  },
  {
    at: 'the removal of the factor',
    takes: 'both',
    operation: (code) => ({
      method: 'DELETE',
      path: MFA,
      headers: header(code),
      document: 'mutation ($code: String!) { deleteCurrentMfa(code: $code) }',
      variables: { code },
    }),
  },
];

type CodeKind = 'one-time code' | 'recovery code';

const codeOf = (kind: CodeKind, { secret, recoveryCodes }: Holder): string =>
  kind === 'one-time code' ? oneTimeCode(secret) : (recoveryCodes[0] ?? '');

const codes = (kind: CodeKind): readonly Attempt[] =>
  atDoors(MATRIX[kind], (door) =>
    USES.filter(({ takes }) => takes === 'both' || takes === kind).map(
      ({ at, operation, by }): Attempt => ({
        proof: kind,
        door,
        at,
        refusal: '401 MFA_INVALID_TOKEN',
        prepare: async (net) => {
          const own = await newHolder(net, by === 'a pending factor');
          const other = await net.once('a holder of a factor', () => newHolder(net));
          const { token } = by === 'a new session' ? await net.logIn(own.id) : own;
          return (whose) => {
            const code = codeOf(kind, whose === 'own' ? own : other);
            return net.outcome(door, operation(code), { token });
          };
        },
      }),
    ),
  );

export const SECRETS: readonly Attempt[] = [
  ...PASSWORDS,
  ...codes('one-time code'),
  ...codes('recovery code'),
];
