import type { Command } from '../command.js';

const DATA_DIRECTORY = 'The data directory is OVERGRAPH_DATA_DIR, or ./data';
const DATABASE = `${DATA_DIRECTORY}; the database is that of DATABASE_URL, or else in
the data directory.`;

/** Commands that look after keys, the database and its administrators. */
export const upkeepCommands: readonly Command[] = [
  {
    name: 'pki',
    summary: 'shows, moves or replaces the key material of a data directory',
    usage: ['show', 'export <file>', 'import <file>', 'rollover signer|root|finish'],
    about: `"show" lists the certificates that a controller made for itself. "export" and "import" bring them, with
their keys and the secret key, to the data directory of another controller of the same network. Do this
before its first start and after each step of a rollover. The file holds private keys: only its owner can
read it, and "export" never overwrites a file. An import changes nothing in a directory with other keys.

A rollover replaces the signer, or the root and the signer. The network trusts the old and the new
authority until "rollover finish". Every identity and router should have renewed its certificate before
that step. A running controller takes up each step within a minute.`,
    options: {},
    connects: false,
    remark: `${DATA_DIRECTORY}.`,
    run: async (line, env) => (await import('../pki-command.js')).pkiCommand(line, env),
  },
  {
    name: 'snapshot',
    summary: "writes a snapshot of a controller's database, or checks a file",
    usage: ['create', 'verify <file>'],
    about: `"create" asks a running controller to write its database, as it is at one moment, to a file in
<data>/snapshots of that controller. This is possible once a minute. "verify" reads a file and checks all
of it.

The file holds hashes of passwords, session tokens and sealed secrets. Only its owner can read it.`,
    options: {
      'include-pki': 'put the private keys and the secret key into the file too, unsealed',
    },
    connects: true,
    run: async (line, env) => (await import('../snapshot-command.js')).snapshotCommand(line, env),
  },
  {
    name: 'restore',
    summary: 'fills an empty database from a snapshot',
    usage: ['<file>'],
    about: `Fills an empty database from a snapshot: the database of DATABASE_URL, or else of the data directory. No
controller may run on the data directory. The command checks the whole file first. A restore that fails
leaves the database empty. Snapshots of older releases are brought up to date.

The network needs its own keys. The data directory holds them already, or the file holds them and the data
directory has none.`,
    options: {
      'new-pki': `continue with other keys (those in the data directory, or new keys). Identities
and routers have to enroll again, and second factors are lost.`,
    },
    connects: false,
    remark: `${DATA_DIRECTORY}.`,
    run: async (line, env) => (await import('../restore-command.js')).restoreCommand(line, env),
  },
  {
    name: 'admin',
    summary: 'gives an administrator a new password, without the old one',
    usage: ['reset-password'],
    about: `Works on the database itself, whether a controller runs or not. Sets the password, enables the
administrator and ends its sessions. The command shows a generated password once.`,
    options: {
      username: 'an administrator (default: the default administrator)',
      password: 'the new password (default: one is generated)',
      'password-file': 'the new password, in a file',
      'disable-mfa': 'remove the second factor too',
    },
    connects: false,
    remark: DATABASE,
    run: async (line, env) => (await import('../admin-command.js')).adminCommand(line, env),
  },
  {
    name: 'secret-key',
    summary: 'seals stored secrets with a new key',
    usage: ['rotate'],
    about: `Makes a new secret key and seals all stored secrets with it. No controller of the network may run. If the
command stops early, run it again or start the controller: both find the right key.`,
    options: {},
    connects: false,
    remark: DATABASE,
    run: async (line, env) =>
      (await import('../secret-key-command.js')).secretKeyCommand(line, env),
  },
];
