import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { resetPassword, type ResetPassword } from '../../trust/auth/index.js';
import { passwordFile } from '../controller/bootstrap.js';
import { ApiError } from '../../base/errors.js';
import { commandFault, usageError } from './command-error.js';
import { codeOf, type Environment } from './controller-connection.js';
import { besideController, withModel } from './offline.js';
import type { CommandLine, Options } from './options.js';
import { counted } from './plain.js';

/** `overgraph admin reset-password` */
export async function adminCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [action, ...others] = operands;
  if (action !== 'reset-password' || others.length > 0) {
    throw usageError('admin takes reset-password');
  }
  const given = await passwordOf(options);
  await besideController(env, async (offline) => {
    const { admin, dataDir } = offline.config;
    const reset = await withModel(offline, (ctx) =>
      resetPassword(ctx, {
        username: options.username,
        defaultUsername: admin.username,
        password: given,
        disableMfa: options['disable-mfa'] === true,
      }),
    ).catch(refused);
    if (reset.isDefaultAdmin) await keepPassword(passwordFile(dataDir), reset, given === undefined);
    report(reset, given === undefined);
  });
}

async function passwordOf(options: Options): Promise<string | undefined> {
  const file = options['password-file'];
  if (options.password !== undefined || file === undefined) return options.password;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`--password-file ${file} can not be read: ${codeOf(error)}`);
  });
  return text.split(/\r?\n/)[0] ?? '';
}

function refused(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const { detail } = error;
  const cause = detail?.kind === 'field' ? `${detail.field} ${detail.reason}` : detail?.message;
  throw commandFault(cause ?? error.message);
}

/** A generated password goes into its file; a chosen password is not written down. */
async function keepPassword(
  file: string,
  { password }: ResetPassword,
  isGenerated: boolean,
): Promise<void> {
  if (!existsSync(file)) return;
  if (isGenerated) await writeFile(file, `${password}\n`, { mode: 0o600 });
  else await rm(file);
}

function report(reset: ResetPassword, isGenerated: boolean): void {
  const { username, password, endedSessions, obstacles } = reset;
  if (isGenerated) console.log(`password  ${password}`);
  console.log(`username  ${username}`);
  console.log(`The password is set; ${counted(endedSessions, 'session')} ended.`);
  for (const obstacle of obstacles) console.error(`overgraph: beware, ${obstacle}`);
}
