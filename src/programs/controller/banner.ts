import { existsSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { passwordFile } from './bootstrap.js';
import type { Config } from '../configuration.js';
import type { EmbeddedServer } from '../../data/store/embedded/index.js';

export interface BannerFacts {
  readonly config: Config;
  readonly acceptor: Server;
  readonly generatedPassword: string | undefined;
  readonly embedded: EmbeddedServer | undefined;
}

/** Prints the text for people when a controller is ready. */
export function banner({ config, acceptor, generatedPassword, embedded }: BannerFacts): void {
  const { port } = acceptor.address() as AddressInfo;
  const address = `${config.advertise.host}:${String(port)}`;
  const { username } = config.admin;
  const file = passwordFile(config.dataDir);
  const isConfigured = config.admin.password !== undefined;
  const passwordCommand = isConfigured ? '$OVERGRAPH_ADMIN_PASSWORD' : `$(cat ${file})`;
  const password = isConfigured
    ? 'as set in OVERGRAPH_ADMIN_PASSWORD'
    : passwordText(file, generatedPassword);
  const lines = [
    '',
    `Overgraph is ready on ${config.listen.host}:${String(port)}`,
    '',
    `  Console      https://${address}/console`,
    `  GraphQL      https://${address}/graphql`,
    `  GraphiQL     https://${address}/graphiql`,
    `  Management   https://${address}/edge/management/v1   (documents: https://${address}/docs)`,
    `  Client       https://${address}/edge/client/v1`,
    `  Data         ${config.dataDir}`,
    `  Database     ${embedded ? `embedded, in ${embedded.directory}` : 'DATABASE_URL'}`,
    `  Admin        ${username}, password ${password}`,
    '',
    '  Log in:',
    `    ziti edge login ${address} -u ${username} -p "${passwordCommand}" -y`,
    `    curl -sk -H 'content-type: application/json' \\`,
    `      -d "{\\"username\\":\\"${username}\\",\\"password\\":\\"${passwordCommand}\\"}" \\`,
    `      'https://${address}/edge/management/v1/authenticate?method=password'`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Describes the password. If another controller made the network, the file is in its data
 * directory.
 */
function passwordText(file: string, generated: string | undefined): string {
  if (generated !== undefined) return `${generated} (kept in ${file})`;
  return existsSync(file) ? `in ${file}` : 'as it was set when the network was made';
}
