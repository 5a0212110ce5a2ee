import type { Command } from '../command.js';

/** Commands that ask about access, and change nothing. */
export const questionCommands: readonly Command[] = [
  {
    name: 'why',
    summary: 'explains whether an identity reaches a service',
    usage: ['<identity> <service>'],
    about: `Explains whether an identity may dial a service, and whether it can do so now. The answer lists the
policies that grant access with the roles that matched, the posture checks with their verdicts, the edge
routers, the obstacles, and the nearest policies with the conditions that they lack. Name the identity and
the service by name or by id.`,
    options: {
      bind: 'ask whether the identity may host the service, not dial it',
      'policy-only': `ask about the policies only: the answer and the exit code ignore posture checks,
offline routers, disabled entities and missing hosts`,
      json: 'print the whole answer as JSON',
    },
    connects: true,
    noticed: 'the identity can not reach the service now',
    run: async (line, env) => (await import('../why-command.js')).whyCommand(line, env),
  },
  {
    name: 'who-reaches',
    summary: 'lists the identities that may dial a service',
    usage: ['<service>'],
    about: `Lists the identities that policies let dial a service. Each line shows the policies and the roles that
matched: "staff reads (#staff to #docs)". Name the service by name or by id. The list ignores posture checks
and offline routers.`,
    options: {
      bind: 'list the identities that may host the service, not dial it',
      limit: 'show at most this number of lines (default: all)',
      json: 'print JSON, with ids',
    },
    connects: true,
    run: async (...line) => (await import('../reach-command.js')).whoReachesCommand(...line),
  },
  {
    name: 'reaches',
    summary: 'lists the services that an identity may dial',
    usage: ['<identity>'],
    about: `Lists the services that policies let an identity dial. Each line shows the policies and the roles that
matched. Name the identity by name or by id. The list ignores posture checks and offline routers.`,
    options: {
      bind: 'list the services that the identity may host, not dial',
      limit: 'show at most this number of lines (default: all)',
      json: 'print JSON, with ids',
    },
    connects: true,
    run: async (...line) => (await import('../reach-command.js')).reachesCommand(...line),
  },
  {
    name: 'simulate',
    summary: 'shows the effect of a file on access',
    usage: ['<file>'],
    about: `Shows the effect that the import of a file would have on access: gained and lost access with the
policies, edge routers, access rules that would be violated, and findings. Nothing is written. The file
may also hold only a list of changes, as "simulate" of the graph takes them:
  changes:
    - {operation: delete, type: servicePolicy, id: ...}
"-" reads the standard input.`,
    options: {
      all: 'show all lines of each list, not only the first 25',
      json: 'print the answer as JSON',
      'allow-wider': 'do not end with 1 when only access widens',
    },
    connects: true,
    noticed: 'access widens, or an access rule is violated',
    run: async (line, env) => (await import('../simulate-command.js')).simulateCommand(line, env),
  },
  {
    name: 'findings',
    summary: 'lists facts of the network that are probably not intended',
    usage: ['', 'mute <id> --reason <text> [--until <time>]', 'unmute <id>'],
    about: `Lists facts of the network that are probably not intended, the worst first: roles that match nothing,
policies that grant nothing or nothing new, services that no identity reaches, attributes that look misspelt,
and more.

The id of a finding stays the same as long as the fact does. "mute" hides a finding, here and everywhere, until
you unmute it or until a given time: a day, or an instant such as 2030-01-31T12:00:00Z.`,
    options: {
      kind: 'list only this kind, such as shadowed-policy; you can repeat this option',
      muted: 'list muted findings too, with author and reason; the exit code ignores them',
      json: 'print JSON, with changes that would resolve the findings',
      'fail-on': 'end with 1 when there are findings of this severity (high, medium, low) or worse',
      baseline: `list only findings that are not in this file, and end with 1 when there are any;
make the file with --json. With --fail-on, end with 1 only for new findings of
that severity or worse`,
      reason: 'with mute: the reason why you accept the finding',
      until: 'with mute: the time when the finding is shown again (default: never)',
    },
    connects: true,
    noticed: 'there are findings as bad as --fail-on says, or that the baseline has not',
    run: async (line, env) => (await import('../findings-command.js')).findingsCommand(line, env),
  },
  {
    name: 'rules',
    summary: 'lists the access rules, and whether they hold',
    usage: [''],
    about:
      'Lists the access rules. For each rule it shows whether the rule holds now, and the pairs that violate it.',
    options: {
      limit: 'show at most this number of violations of each rule (default: all)',
      json: 'print JSON, with ids',
    },
    connects: true,
    noticed: 'an access rule is violated',
    run: async (...line) => (await import('../rules-command.js')).rulesCommand(...line),
  },
  {
    name: 'diff',
    summary: 'shows the access that was gained and lost between two points in time',
    usage: ['--from <time> [--to <time>]'],
    about: `Lists the pairs of an identity and a service that gained or lost access between two points in time, with
the policies. A point is a time such as 2026-05-01T12:00:00Z, or the id of a change. The change log must
still hold it.`,
    options: {
      from: 'the first point',
      to: 'the second point (default: now)',
      limit: 'show at most this number of gained and of lost pairs (default: all)',
      json: 'print JSON, with ids',
      'fail-on-gained': 'end with 1 when there are gained pairs',
    },
    connects: true,
    noticed: 'access widens, and --fail-on-gained is given',
    run: async (...line) => (await import('../diff-command.js')).diffCommand(...line),
  },
  {
    name: 'watch',
    summary: 'follows changes of access, with a line for each event',
    usage: [''],
    about: `Follows the change log. Prints every change that alters access, with the pairs gained and lost and the
identity that caused it, until you interrupt the command. After a lost connection it connects again and
continues after the last event: no event is left out, and none comes twice.`,
    options: {
      changes: 'follow every change of the network, not only changes of access',
      since: 'continue after the change with this id (default: from now on)',
      limit: 'end after this number of events (default: never)',
      json: 'print lines of JSON, with ids',
    },
    connects: true,
    run: async (...line) => (await import('../watch-command.js')).watchCommand(...line),
  },
];
