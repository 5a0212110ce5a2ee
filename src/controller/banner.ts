import { existsSync } from 'node:fs';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { passwordFile } from './bootstrap.js';
import type { Config } from '../config.js';
import type { EmbeddedServer } from '../store/embedded/index.js';

export interface BannerFacts {
  readonly config: Config;
  readonly server: Server;
  readonly generatedPassword: string | undefined;
  readonly embedded: EmbeddedServer | undefined;
}

/** The one thing printed for people when a controller is ready. */
export function banner({ config, server, generatedPassword, embedded }: BannerFacts): void {
  const { port } = server.address() as AddressInfo;
  const at = `${config.advertise.host}:${String(port)}`;
  const { username } = config.admin;
  const file = passwordFile(config.dataDir);
  const isGiven = config.admin.password !== undefined;
  const secret = isGiven ? '$OVERGRAPH_ADMIN_PASSWORD' : `$(cat ${file})`;
  const password = isGiven
    ? 'as set in OVERGRAPH_ADMIN_PASSWORD'
    : keptPassword(file, generatedPassword);
  const lines = [
    '',
    `Overgraph is ready on ${config.listen.host}:${String(port)}`,
    '',
    `  GraphQL      https://${at}/graphql`,
    `  GraphiQL     https://${at}/graphiql`,
    `  Management   https://${at}/edge/management/v1   (documents: https://${at}/docs)`,
    `  Client       https://${at}/edge/client/v1`,
    `  Data         ${config.dataDir}`,
    `  Database     ${embedded ? `embedded, in ${embedded.directory}` : 'DATABASE_URL'}`,
    `  Admin        ${username}, password ${password}`,
    '',
    '  Log in:',
    `    ziti edge login ${at} -u ${username} -p "${secret}" -y`,
    `    curl -sk -H 'content-type: application/json' \\`,
    `      -d "{\\"username\\":\\"${username}\\",\\"password\\":\\"${secret}\\"}" \\`,
    `      'https://${at}/edge/management/v1/authenticate?method=password'`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Another controller may have made the network: then its data directory has the file. */
function keptPassword(file: string, generated: string | undefined): string {
  if (generated !== undefined) return `${generated} (kept in ${file})`;
  return existsSync(file) ? `in ${file}` : 'as it was set when the network was made';
}
