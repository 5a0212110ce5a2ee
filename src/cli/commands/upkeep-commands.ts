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
    about: `Shows the certificates that a controller made for itself, and brings them with their keys and the
secret key to the data directory of another controller of the same network, before its first start
and after a rollover. The file holds private keys: it is made for its owner alone, and never
overwritten. An import changes nothing where there is other key material.

A rollover replaces the signer, or the root and the signer. Old and new are both trusted until
"rollover finish", by when whoever has a certificate of the old ones should have renewed it. A
running controller takes up each step within a minute.`,
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
<data>/snapshots of that controller, at most once a minute. "verify" reads a file and checks all of it.

The file holds hashes of passwords, session tokens and sealed secrets: it is made for its owner alone.`,
    options: {
      'include-pki': 'put the private keys and the secret key into it too, as they are',
    },
    connects: true,
    run: async (line, env) => (await import('../snapshot-command.js')).snapshotCommand(line, env),
  },
  {
    name: 'restore',
    summary: 'fills an empty database from a snapshot',
    usage: ['<file>'],
    about: `Fills the empty database of DATABASE_URL, or else of the data directory, from a snapshot. No controller
may run on the data directory. The whole file is checked first; a restore that fails leaves the database
as empty as before. Snapshots of older releases are brought up to date.

The network goes on with its keys: those in the data directory must be its own, or the file must have
them and the data directory none.`,
    options: {
      'new-pki': `go on with other keys (those in the data directory, or new ones). Identities
and routers have to enroll again, and second factors are lost.`,
    },
    connects: false,
    remark: `${DATA_DIRECTORY}.`,
    run: async (line, env) => (await import('../restore-command.js')).restoreCommand(line, env),
  },
  {
    name: 'admin',
    summary: 'gives an administrator a new password, whatever became of the old one',
    usage: ['reset-password'],
    about: `Works on the database itself, whether a controller runs or not: sets the password, enables the
administrator and ends its sessions. A generated password is shown once.`,
    options: {
      username: 'an administrator (default: the default administrator)',
      password: 'the new password (default: one is generated)',
      'password-file': 'the new password, in a file',
      'disable-mfa': 'take the second factor away as well',
    },
    connects: false,
    remark: DATABASE,
    run: async (line, env) => (await import('../admin-command.js')).adminCommand(line, env),
  },
  {
    name: 'secret-key',
    summary: 'puts secrets at rest under a new key',
    usage: ['rotate'],
    about: `Makes a new secret key and puts all secrets at rest under it. No controller of the network may run. When
it is broken off, run it again or start the controller: either key is found again.`,
    options: {},
    connects: false,
    remark: DATABASE,
    run: async (line, env) =>
      (await import('../secret-key-command.js')).secretKeyCommand(line, env),
  },
];
