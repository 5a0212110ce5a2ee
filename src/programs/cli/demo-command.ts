import { Client } from './client.js';
import { commandFault, CommandError, EXIT, usageError } from './command-error.js';
import { connectionOf, type Connection, type Environment } from './controller-connection.js';
import { COMPANY } from '../demo/company.js';
import { isLast, lastReason, loadCompany } from '../demo/load.js';
import { otherEntities } from '../demo/other-entities.js';
import type { CommandLine } from './options.js';
import { Refusal } from './refusal.js';

/** `overgraph demo` */
export async function demoCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  if (operands.length > 0) throw usageError('demo takes no operands');
  const connection = await connectionOf(options, env);
  const admin = await Client.login(connection).catch((error: unknown) => {
    throw withAdvice(error);
  });
  try {
    const after = await lastReason(admin);
    if (after !== undefined && isLast(after)) {
      console.log(`${COMPANY} is there already. Nothing was written.`);
      return;
    }
    if (after === undefined && options.force !== true) await refuseOthers(admin);
    await load(admin, connection, after);
  } finally {
    await admin.logout();
  }
}

/** A newcomer may not know that the network is in a program of its own. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof CommandError) || error instanceof Refusal) return error;
  const advice = '"npm start" in another terminal starts a controller';
  return new CommandError(EXIT.unreachable, `${error.message}; ${advice}`);
}

async function refuseOthers(admin: Client): Promise<void> {
  const others = await otherEntities(admin);
  if (others === '') return;
  throw commandFault(
    `the network is not empty, it has ${others}; nothing was written, --force loads the company beside them`,
  );
}

async function load(
  admin: Client,
  connection: Connection,
  after: string | undefined,
): Promise<void> {
  const begin = Date.now();
  const again = after === undefined ? '' : ', behind what an earlier run has made';
  console.log(`Loading the example company ${COMPANY}${again}`);
  const tell = (title: string, place: number, count: number): void => {
    console.log(`${String(place).padStart(4)}/${count}  ${title}`);
  };
  await loadCompany({ admin, connection, tell }, after);
  const seconds = ((Date.now() - begin) / 1000).toFixed(0);
  console.log(`${COMPANY} is there, after ${seconds} s: ${await otherEntities(admin)}.`);
  const { url, login } = connection;
  const who = 'jwt' in login ? '' : ` as ${login.username}`;
  console.log(`Open ${url.origin}/console and log in${who}.`);
}
