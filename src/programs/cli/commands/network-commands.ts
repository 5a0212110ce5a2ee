import { ATTRIBUTE_KIND_WORDS } from '../attribute-kinds.js';
import type { Command } from '../command.js';

const KINDS = ATTRIBUTE_KIND_WORDS.join('|');

/** Commands that write the network, or carry all of it. */
export const networkCommands: readonly Command[] = [
  {
    name: 'export',
    summary: 'writes the network of a controller to a file',
    usage: ['[file]'],
    about: `Writes the network to a file, or to the standard output. The file never holds passwords, enrollment
tokens or other secrets.`,
    options: {
      types: 'only these sections, such as services,service-policies (default: all)',
      format: 'json or yaml (default: by the name of the file, else yaml)',
    },
    connects: true,
    run: async (line, env) => (await import('../export-command.js')).exportCommand(line, env),
  },
  {
    name: 'import',
    summary: 'imports a file into the network of a controller',
    usage: ['<file>'],
    about: `Finds entities by their names. Creates missing entities, changes entities that differ, and deletes
nothing. The controller checks the whole file first, and writes nothing when the file has a fault.
If an import stops early, run it again.
"-" reads the standard input.`,
    options: {
      'dry-run': 'report the effect only, and write nothing',
      'override-reason': 'override access rules with this reason; the change log keeps the reason',
    },
    connects: true,
    run: async (line, env) => (await import('../import-command.js')).importCommand(line, env),
  },
  {
    name: 'demo',
    summary: 'loads an example company into an empty network',
    usage: [''],
    about: `Invents a company of 2,000 identities, 150 services and 12 edge routers, with policies, a history of
changes, some logins and a few mistakes to find. It is the same company each time. The controller must run.
A second run changes nothing. If a run stops early, run it again.`,
    options: {
      force: 'load it beside the entities that the network has',
    },
    connects: true,
    run: async (line, env) => (await import('../demo-command.js')).demoCommand(line, env),
  },
  {
    name: 'attributes',
    summary: 'adds role attributes to an entity, or removes some',
    usage: ['add', 'remove'].map((verb) => `${verb} ${KINDS} <name> <attribute>...`),
    about: `Changes the role attributes that you name and keeps the others, also those that other administrators
change at the same time. Prints the role attributes that the entity has afterwards. Name the entity by name
or by id, and the attributes without "#". An attribute that is there already, or not there, is no fault.`,
    options: {
      'override-reason': 'override access rules with this reason; the change log keeps the reason',
    },
    connects: true,
    run: async (line, env) =>
      (await import('../attributes-command.js')).attributesCommand(line, env),
  },
  {
    name: 'pending',
    summary: 'lists the identities that wait for their approval, or approves some',
    usage: ['list', 'approve <identity>...'],
    about: `Lists the identities that are enrolled or invited and wait for their approval, the oldest first, with the
role attributes that count from then on. Until then only policies with the role "#pending" select them.
Approves identities by name or by id. To refuse one, delete it.`,
    options: {
      'override-reason': 'override access rules with this reason; the change log keeps the reason',
    },
    connects: true,
    run: async (line, env) => (await import('../pending-command.js')).pendingCommand(line, env),
  },
  {
    name: 'access',
    summary: 'lists your own access, asks for access for a time, and decides on requests',
    usage: [
      'mine',
      'offers',
      'requests',
      'request <offer>',
      'cancel <request>',
      'approve <request>',
      'deny <request>',
      'revoke <request>',
    ],
    about: `Lists the services that you reach now, each with the moment at which you lose it when nobody does anything.
Lists what you may ask for, and the requests that you may see: your own, and those that you may decide on.
Asks for an offer by its name or its id, with --minutes and --reason. An approver grants a request for as
long as was asked or less, and can revoke the grant before its end. Nobody decides on an own request.`,
    options: {
      minutes: 'how long to ask for, or to grant',
      reason: 'the reason of a request',
      comment: 'a comment on a decision',
      json: 'print lists as JSON',
    },
    connects: true,
    run: async (line, env) => (await import('../access-command.js')).accessCommand(line, env),
  },
];
