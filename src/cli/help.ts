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

Exit codes: 0 done; 1 faults in the file, or broken off; 2 wrong usage; 3 no connection or no login.
`;

const MAIN = `Usage: overgraph <command> [options]

Commands:
  export [file]   writes the network of a controller to a file
  import <file>   brings the network of a controller to what a file says
  pki <action>    shows, moves or replaces the key material of a data directory

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

const HELP: Readonly<Record<string, string>> = { export: EXPORT, import: IMPORT, pki: PKI };

export const helpOf = (command: string | undefined): string =>
  command === undefined ? MAIN : (HELP[command] ?? MAIN);
