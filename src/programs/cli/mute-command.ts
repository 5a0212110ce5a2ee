import { MuteFinding, UnmuteFinding } from '../emitted/operations.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import type { CommandLine, Options } from './options.js';

/** `overgraph findings mute <id> --reason <text>` */
export async function muteCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const id = findingIn(operands);
  const { reason } = options;
  if (reason === undefined || reason.trim() === '') {
    throw usageError('findings mute takes a --reason');
  }
  const until = instantOf(options);
  const { muteFinding } = await withClient(options, env, (client) =>
    client.run(MuteFinding, { id, reason, until }),
  );
  const { mutedUntil } = muteFinding;
  console.log(`${id} is muted${mutedUntil === null ? '' : ` until ${mutedUntil}`}.`);
}

/** `overgraph findings unmute <id>` */
export async function unmuteCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const id = findingIn(operands);
  if (options.reason !== undefined || options.until !== undefined) {
    throw usageError('--reason and --until are options of findings mute');
  }
  await withClient(options, env, (client) => client.run(UnmuteFinding, { id }));
  console.log(`${id} is no longer muted.`);
}

function findingIn([action = '', id, ...more]: readonly string[]): string {
  if (id !== undefined && more.length === 0) return id;
  throw usageError(`findings ${action} takes the id of a finding`);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/i;

/** A day begins at midnight, UTC. */
function instantOf({ until }: Options): string | undefined {
  if (until === undefined) return undefined;
  const time = INSTANT.test(until) ? new Date(until) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw usageError(
    `--until must be a day or an instant, such as 2030-01-31 or 2030-01-31T12:00:00Z, is "${until}"`,
  );
}

async function withClient<T>(
  options: Options,
  env: Environment,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await Client.login(await connectionOf(options, env));
  try {
    return await work(client);
  } finally {
    await client.logout();
  }
}
