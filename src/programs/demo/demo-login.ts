import { randomUUID } from 'node:crypto';
import { Client } from '../cli/client.js';
import type { Connection } from '../cli/controller-connection.js';
import { readAgainIfRefused } from './read-again.js';

const PRESENT = `query ($id: String!) {
  authenticators(where: { identityId: { eq: $id }, method: { eq: "updb" } }, first: 1) { nodes { id } }
}`;
const REMOVE = 'mutation ($id: ID!) { deleteAuthenticator(id: $id) }';
const CREATE =
  'mutation ($input: CreateAuthenticatorInput!) { createAuthenticator(input: $input) { id } }';

/** Gives an identity a new password that nobody knows, and logs in with it. */
export async function logInAs(
  admin: Client,
  connection: Connection,
  identityId: string,
  username: string,
): Promise<Client> {
  const password = await readAgainIfRefused(() => setPassword(admin, identityId, username));
  return Client.login({ ...connection, username, password });
}

/** Gives the new password. */
async function setPassword(admin: Client, identityId: string, username: string): Promise<string> {
  const { authenticators } = await admin.run<{ authenticators: { nodes: { id: string }[] } }>(
    PRESENT,
    { id: identityId },
  );
  for (const { id } of authenticators.nodes) await admin.run(REMOVE, { id });
  const password = randomUUID();
  await admin.run(CREATE, { input: { identityId, method: 'updb', username, password } });
  return password;
}
