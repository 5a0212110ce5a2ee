const CONNECTION = `Connection:
  --url <url>             the controller (default: https://localhost:1280)
  --username <name>       an administrator (default: OVERGRAPH_ADMIN_USERNAME, or admin)
  --password <text>       its password
  --password-file <file>  its password, in a file
                          (default: OVERGRAPH_ADMIN_PASSWORD, or <data>/admin-password)
  --ca <file>             authorities to trust, in PEM (default: the roots of <data>/pki if there are some,
                          beside those of the system)
  -k, --insecure          do not check the certificate of the controller

<data> is OVERGRAPH_DATA_DIR, or ./data.

Exit codes: 0 done; 1 the answer needs attention; 2 it can not be done, such as a fault in the file or
wrong usage; 3 no connection or no login.
`;

const MAIN = `Usage: overgraph <command> [options]

Commands:
  export [file]   writes the network of a controller to a file
  import <file>   brings the network of a controller to what a file says
  why <identity> <service>
                  explains whether an identity reaches a service
  simulate <file> tells what a file would do to access
  findings        lists what is probably not meant in the network
  pki <action>    shows, moves or replaces the key material of a data directory
  snapshot create, snapshot verify <file>
                  writes a snapshot of a controller's database, or checks a file
  restore <file>  fills an empty database from a snapshot
  admin reset-password
                  gives an administrator a new password, whatever became of the old one
  secret-key rotate
                  puts secrets at rest under a new key

Files of networks have the format of "ziti ops export", YAML or JSON.
"overgraph <command> --help" tells more.
`;

const EXPORT = `Usage: overgraph export [options] [file]

Writes the network to a file, or to the standard output. Passwords, enrollment tokens and other
secrets are never part of it.

Options:
  --types <a,b>           only these sections, such as services,service-policies (default: all)
  --format <yaml|json>    default: by the name of the file, else yaml

${CONNECTION}`;

const IMPORT = `Usage: overgraph import [options] <file>

Creates what is missing and changes what differs, by name; nothing is deleted. The whole file is
checked first, and with a fault anywhere nothing is written. If an import breaks off, run it again.
"-" reads the standard input.

Options:
  --dry-run               only tell what would be done
  --override-reason <text>
                          violate access rules if need be; the reason goes to the change log

${CONNECTION}`;

const WHY = `Usage: overgraph why [options] <identity> <service>

Explains whether an identity may dial a service, and can: the policies that grant it with the roles that
matched, posture checks with their verdicts, edge routers, what is in the way, and the policies that come
nearest with what they lack. Both are given by name or by id.

Options:
  --bind                  whether it may host the service, not dial it
  --json                  the whole answer as JSON

Ends with 0 when the identity can reach the service now, and with 1 when it can not.

${CONNECTION}`;

const SIMULATE = `Usage: overgraph simulate [options] <file>

Tells what a file would do to access, in the format of the import: who gains and loses what by which
policies, edge routers, access rules that would be violated, and findings. Nothing is written. The file
may also have a list of changes alone, as "simulate" of the graph takes them:
  changes:
    - {operation: delete, type: servicePolicy, id: ...}
"-" reads the standard input.

Options:
  --all                   all of each list, not its first 25 lines
  --json                  the answer as JSON
  --allow-wider           ends with 0 though access widens

Ends with 1 when somebody gains access or an access rule is violated, else with 0.

${CONNECTION}`;

const FINDINGS = `Usage: overgraph findings [options]
       overgraph findings mute <id> --reason <text> [--until <time>]
       overgraph findings unmute <id>

Lists what is probably not meant in the network, the worst first: roles that match nothing, policies that
grant nothing or what others grant as well, services nobody reaches, attributes that look misspelt, and more.

The id of a finding stays the same as long as the fact does. "mute" leaves a finding out, here and everywhere,
until it is unmuted or the time has come: a day, or an instant such as 2030-01-31T12:00:00Z.

Options:
  --kind <kind>           only this kind, such as shadowed-policy; may be given several times
  --muted                 the muted ones, too, with who muted them and why; the exit code leaves them out
  --json                  as JSON, with changes that would help
  --fail-on <severity>    end with 1 when there are findings of this severity (high, medium, low) or worse
  --baseline <file>       show the findings that are not in the file, and end with 1 when there are any; the
                          file is what an earlier --json wrote. With --fail-on, end with 1 for new findings
                          of this severity or worse alone

${CONNECTION}`;

const PKI = `Usage: overgraph pki show
       overgraph pki export <file>
       overgraph pki import <file>
       overgraph pki rollover signer|root|finish

Shows the certificates that a controller made for itself, and brings them with their keys and the
secret key to the data directory of another controller of the same network, before its first start
and after a rollover. The file holds private keys: it is made for its owner alone, and never
overwritten. An import changes nothing where there is other key material.

A rollover replaces the signer, or the root and the signer. Old and new are both trusted until
"rollover finish", by when whoever has a certificate of the old ones should have renewed it. A
running controller takes up each step within a minute.

The data directory is OVERGRAPH_DATA_DIR, or ./data.
`;

const SNAPSHOT = `Usage: overgraph snapshot create [options]
       overgraph snapshot verify <file>

"create" asks a running controller to write its database, as it is at one moment, to a file in
<data>/snapshots of that controller, at most once a minute. "verify" reads a file and checks all of it.

The file holds hashes of passwords, session tokens and sealed secrets: it is made for its owner alone.

Options:
  --include-pki           put the private keys and the secret key into it too, as they are

${CONNECTION}`;

const RESTORE = `Usage: overgraph restore [options] <file>

Fills the empty database of DATABASE_URL, or else of the data directory, from a snapshot. No controller
may run on the data directory. The whole file is checked first; a restore that fails leaves the database
as empty as before. Snapshots of older releases are brought up to date.

The network goes on with its keys: those in the data directory must be its own, or the file must have
them and the data directory none.

Options:
  --new-pki               go on with other keys (those in the data directory, or new ones). Identities
                          and routers have to enroll again, and second factors are lost.

The data directory is OVERGRAPH_DATA_DIR, or ./data.
`;

const ADMIN = `Usage: overgraph admin reset-password [options]

Works on the database itself, whether a controller runs or not: sets the password, enables the
administrator and ends its sessions. A generated password is shown once.

Options:
  --username <name>       an administrator (default: the default administrator)
  --password <text>       the new password (default: one is generated)
  --password-file <file>  the new password, in a file
  --disable-mfa           take the second factor away as well

The data directory is OVERGRAPH_DATA_DIR, or ./data; the database is that of DATABASE_URL, or else in
the data directory.
`;

const SECRET_KEY = `Usage: overgraph secret-key rotate

Makes a new secret key and puts all secrets at rest under it. No controller of the network may run. When
it is broken off, run it again or start the controller: either key is found again.

The data directory is OVERGRAPH_DATA_DIR, or ./data; the database is that of DATABASE_URL, or else in
the data directory.
`;

const HELP: Readonly<Record<string, string>> = {
  export: EXPORT,
  import: IMPORT,
  why: WHY,
  simulate: SIMULATE,
  findings: FINDINGS,
  pki: PKI,
  snapshot: SNAPSHOT,
  restore: RESTORE,
  admin: ADMIN,
  'secret-key': SECRET_KEY,
};

export const helpOf = (command: string | undefined): string =>
  command === undefined ? MAIN : (HELP[command] ?? MAIN);
