import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../kernel/row.js';
import { fingerprint, openKeyDirectory } from '../pki/index.js';
import { StartError } from '../store/start-error.js';
import { CommandError, EXIT, usageError } from './command-error.js';
import { codeOf, type Environment } from './connection.js';
import type { CommandLine } from './options.js';
import { table } from './table.js';

const CERTIFICATES = ['root.pem', 'signer.pem', 'server.pem'] as const;
const FILES: readonly string[] = [
  ...CERTIFICATES,
  'root.key',
  'signer.key',
  'server.key',
  'secret.key',
];

/** File name -> content in base64. */
type Material = Readonly<Record<string, string>>;

type Action = (directory: string, file: string | undefined) => Promise<void>;

const ACTIONS: ReadonlyMap<string | undefined, Action> = new Map(
  Object.entries<Action>({ show, export: exportTo, import: importFrom }),
);

/** `overgraph pki show`, `overgraph pki export <file>`, `overgraph pki import <file>` */
export async function pkiCommand({ operands }: CommandLine, env: Environment): Promise<void> {
  const [name, file, ...others] = operands;
  const action = ACTIONS.get(name);
  if (!action || others.length > 0)
    throw usageError('pki takes show, export <file> or import <file>');
  if (name !== 'show' && file === undefined) throw usageError(`pki ${String(name)} takes one file`);
  try {
    await action(join(env.OVERGRAPH_DATA_DIR ?? 'data', 'pki'), file);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new CommandError(EXIT.failed, `${error.cause}: ${error.cure}`);
  }
}

async function show(directory: string): Promise<void> {
  const rows = await Promise.all(
    CERTIFICATES.map(async (name) => {
      const pem = await readFile(join(directory, name)).catch(() => undefined);
      if (!pem) return [name.replace('.pem', ''), 'not generated here', '', ''];
      const certificate = new X509Certificate(pem);
      const { subject, validTo } = certificate;
      const until = new Date(validTo).toISOString().slice(0, 10);
      return [
        name.replace('.pem', ''),
        subject.replaceAll('\n', ', '),
        until,
        fingerprint(certificate),
      ];
    }),
  );
  console.log(table(['certificate', 'subject', 'valid until', 'SHA-1'], rows));
}

async function exportTo(directory: string, file = ''): Promise<void> {
  const keys = await openKeyDirectory(directory);
  const found = await Promise.all(
    FILES.map(async (name) => [name, await keys.read(name)] as const),
  );
  const files = Object.fromEntries(
    found.flatMap(([name, content]) => (content ? [[name, content.toString('base64')]] : [])),
  );
  if (Object.keys(files).length === 0) {
    throw new CommandError(EXIT.failed, `there is no key material in ${directory}`);
  }
  await writeFile(file, `${JSON.stringify({ overgraphKeyMaterial: 1, files }, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  }).catch((error: unknown) => {
    throw usageError(`${file} can not be written: ${codeOf(error)}`);
  });
  console.log(`${file} holds private keys: keep it secret, and delete it once it is imported.`);
}

async function importFrom(directory: string, file = ''): Promise<void> {
  const material = await readMaterial(file);
  const keys = await openKeyDirectory(directory);
  for (const name of FILES) {
    const present = (await keys.read(name))?.toString('base64');
    if (present === undefined || present === material[name]) continue;
    throw new CommandError(
      EXIT.failed,
      `${keys.pathOf(name)} is of other key material: move that folder away first`,
    );
  }
  for (const [name, content] of Object.entries(material)) {
    await keys.write(name, Buffer.from(content, 'base64'));
  }
  console.log(`${String(Object.keys(material).length)} files of key material are in ${directory}.`);
}

async function readMaterial(file: string): Promise<Material> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file} can not be read: ${codeOf(error)}`);
  });
  const fault = new CommandError(EXIT.failed, `${file} was not written by "overgraph pki export"`);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw fault;
  }
  const files = isObject(read) && read.overgraphKeyMaterial === 1 ? read.files : undefined;
  if (!isObject(files) || !isMaterial(files)) throw fault;
  return files;
}

const isMaterial = (files: Record<string, unknown>): files is Record<string, string> =>
  Object.entries(files).every(
    ([name, content]) => FILES.includes(name) && typeof content === 'string',
  );
