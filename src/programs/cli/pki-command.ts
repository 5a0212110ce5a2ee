import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../base/row.js';
import {
  exportMaterial,
  finishRollover,
  importMaterial,
  isMaterialFile,
  keyDirectoryAt,
  openKeyDirectory,
  rollOver,
  type MaterialFiles,
} from '../../trust/pki/index.js';
import { StartError } from '../../base/start-error.js';
import { commandFault, usageError } from './command-error.js';
import { codeOf, type Environment } from './controller-connection.js';
import type { CommandLine } from './options.js';
import { pkiReport } from './pki-report.js';

interface Place {
  readonly path: string;
  readonly rule: { readonly allowOpen: boolean };
  readonly env: Environment;
}

type Action = (place: Place, operand: string) => Promise<void>;

const ACTIONS: ReadonlyMap<
  string | undefined,
  { readonly operand?: string; readonly run: Action }
> = new Map(
  Object.entries<{ readonly operand?: string; readonly run: Action }>({
    show: { run: show },
    export: { operand: 'a file', run: exportTo },
    import: { operand: 'a file', run: importFrom },
    rollover: { operand: 'signer, root or finish', run: rollover },
  }),
);

/** `overgraph pki show`, `export <file>`, `import <file>`, `rollover signer|root|finish` */
export async function pkiCommand({ operands }: CommandLine, env: Environment): Promise<void> {
  const [name, operand, ...others] = operands;
  const action = ACTIONS.get(name);
  if (!action || others.length > 0) {
    throw usageError('pki takes show, export <file>, import <file> or rollover signer|root|finish');
  }
  if ((operand === undefined) !== (action.operand === undefined)) {
    throw usageError(`pki ${String(name)} takes ${action.operand ?? 'nothing'}`);
  }
  const path = join(env.OVERGRAPH_DATA_DIR ?? 'data', 'pki');
  const rule = { allowOpen: env.OVERGRAPH_ALLOW_OPEN_KEY_FILES === 'true' };
  try {
    await action.run({ path, rule, env }, operand ?? '');
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw commandFault(`${error.cause}: ${error.cure}`);
  }
}

/** Looks only: nothing is made, closed or refused. */
async function show({ path }: Place): Promise<void> {
  console.log(await pkiReport(keyDirectoryAt(path, { allowOpen: true }), new Date()));
}

async function exportTo({ path, rule }: Place, file: string): Promise<void> {
  const found = await exportMaterial(keyDirectoryAt(path, rule));
  if (found.size === 0) throw commandFault(`there is no key material in ${path}`);
  const files = Object.fromEntries(
    [...found].map(([name, content]) => [name, content.toString('base64')]),
  );
  await writeFile(file, `${JSON.stringify({ overgraphKeyMaterial: 1, files }, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  }).catch((error: unknown) => {
    throw usageError(`${file} can not be written: ${codeOf(error)}`);
  });
  console.log(`${file} holds private keys: keep it secret, and delete it once it is imported.`);
}

async function importFrom({ path, rule }: Place, file: string): Promise<void> {
  const material = await readMaterial(file);
  await importMaterial(await openKeyDirectory(path, rule), material);
  console.log(`${String(material.size)} files of key material are in ${path}.`);
}

const ROLLED_OVER =
  'The old one stays trusted until "overgraph pki rollover finish".\n' +
  'A running controller takes this up within a minute. Bring it to the other controllers of the\n' +
  'network with "overgraph pki export" and "overgraph pki import".';

async function rollover({ path, rule, env }: Place, what: string): Promise<void> {
  if (what !== 'signer' && what !== 'root' && what !== 'finish') {
    throw usageError('pki rollover takes signer, root or finish');
  }
  if (env.OVERGRAPH_SIGNER_CERT) {
    throw commandFault(
      'the signer is that of OVERGRAPH_SIGNER_CERT: put the new one and its key into the files of ' +
        'OVERGRAPH_SIGNER_CERT and OVERGRAPH_SIGNER_KEY, and the old and the new authorities into ' +
        'OVERGRAPH_CA_BUNDLE; a new root has to be there certified by the old one, too',
    );
  }
  const directory = keyDirectoryAt(path, rule);
  if (what === 'finish') {
    await finishRollover(directory);
    console.log('Certificates of the old signer are trusted no longer.');
  } else {
    await rollOver(directory, what, new Date());
    console.log(`There is a new ${what}. ${ROLLED_OVER}`);
  }
}

async function readMaterial(file: string): Promise<MaterialFiles> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file} can not be read: ${codeOf(error)}`);
  });
  const fault = commandFault(`${file} was not written by "overgraph pki export"`);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw fault;
  }
  const files = isObject(read) && read.overgraphKeyMaterial === 1 ? read.files : undefined;
  if (!isObject(files)) throw fault;
  return new Map(
    Object.entries(files).map(([name, content]) => {
      if (!isMaterialFile(name) || typeof content !== 'string') throw fault;
      return [name, Buffer.from(content, 'base64')];
    }),
  );
}
