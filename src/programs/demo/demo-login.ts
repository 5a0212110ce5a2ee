import { randomUUID } from 'node:crypto';
import { PasswordsOf, RemovePassword, SetPassword } from '../emitted/operations.js';
import { Client } from '../cli/client.js';
import type { Connection } from '../cli/controller-connection.js';
import { readAgainIfRefused } from './read-again.js';

/** Gives an identity a new password that nobody knows, and logs in with it. */
export async function logInAs(
  admin: Client,
  connection: Connection,
  identityId: string,
  username: string,
): Promise<Client> {
  const password = await readAgainIfRefused(() => setPassword(admin, identityId, username));
  return Client.login({ ...connection, login: { username, password } });
}

/** Gives the new password. */
async function setPassword(admin: Client, identityId: string, username: string): Promise<string> {
  const { authenticators } = await admin.run(PasswordsOf, { identityId });
  for (const { id } of authenticators.nodes) await admin.run(RemovePassword, { id });
  const password = randomUUID();
  await admin.run(SetPassword, { input: { identityId, method: 'updb', username, password } });
  return password;
}
