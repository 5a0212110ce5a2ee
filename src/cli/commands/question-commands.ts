import type { Command } from '../command.js';

/** Commands that ask about access, and change nothing. */
export const questionCommands: readonly Command[] = [
  {
    name: 'why',
    summary: 'explains whether an identity reaches a service',
    usage: ['<identity> <service>'],
    about: `Explains whether an identity may dial a service, and can: the policies that grant it with the roles that
matched, posture checks with their verdicts, edge routers, what is in the way, and the policies that come
nearest with what they lack. Both are given by name or by id.`,
    options: {
      bind: 'whether it may host the service, not dial it',
      'policy-only': `what the policies say alone: posture checks, what is online or disabled, and
whether the service is hosted are left out of the answer and of the exit code`,
      json: 'the whole answer as JSON',
    },
    connects: true,
    noticed: 'the identity can not reach the service now',
    run: async (line, env) => (await import('../why-command.js')).whyCommand(line, env),
  },
  {
    name: 'who-reaches',
    summary: 'lists the identities that may dial a service',
    usage: ['<service>'],
    about: `Lists the identities that may dial a service by the policies, each with those policies and the roles that
matched: "staff reads (#staff to #docs)". The service is given by name or by id. Posture and presence have
no part in it.`,
    options: {
      bind: 'those that may host it, not dial it',
      limit: 'only the first so many (default: all)',
      json: 'as JSON, with ids',
    },
    connects: true,
    run: async (...line) => (await import('../reach-command.js')).whoReachesCommand(...line),
  },
  {
    name: 'reaches',
    summary: 'lists the services that an identity may dial',
    usage: ['<identity>'],
    about: `Lists the services that an identity may dial by the policies, each with those policies and the roles that
matched. The identity is given by name or by id. Posture and presence have no part in it.`,
    options: {
      bind: 'those that it may host, not dial',
      limit: 'only the first so many (default: all)',
      json: 'as JSON, with ids',
    },
    connects: true,
    run: async (...line) => (await import('../reach-command.js')).reachesCommand(...line),
  },
  {
    name: 'simulate',
    summary: 'tells what a file would do to access',
    usage: ['<file>'],
    about: `Tells what a file would do to access, in the format of the import: who gains and loses what by which
policies, edge routers, access rules that would be violated, and findings. Nothing is written. The file
may also have a list of changes alone, as "simulate" of the graph takes them:
  changes:
    - {operation: delete, type: servicePolicy, id: ...}
"-" reads the standard input.`,
    options: {
      all: 'all of each list, not its first 25 lines',
      json: 'the answer as JSON',
      'allow-wider': 'do not end with 1 because access widens',
    },
    connects: true,
    noticed: 'access widens, or an access rule is violated',
    run: async (line, env) => (await import('../simulate-command.js')).simulateCommand(line, env),
  },
  {
    name: 'findings',
    summary: 'lists what is probably not meant in the network',
    usage: ['', 'mute <id> --reason <text> [--until <time>]', 'unmute <id>'],
    about: `Lists what is probably not meant in the network, the worst first: roles that match nothing, policies that
grant nothing or what others grant as well, services nobody reaches, attributes that look misspelt, and more.

The id of a finding stays the same as long as the fact does. "mute" leaves a finding out, here and everywhere,
until it is unmuted or the time has come: a day, or an instant such as 2030-01-31T12:00:00Z.`,
    options: {
      kind: 'only this kind, such as shadowed-policy; may be given several times',
      muted: 'the muted ones, too, with who muted them and why; the exit code leaves them out',
      json: 'as JSON, with changes that would help',
      'fail-on': 'end with 1 when there are findings of this severity (high, medium, low) or worse',
      baseline: `show the findings that are not in the file, and end with 1 when there are any; the
file is what an earlier --json wrote. With --fail-on, end with 1 for new findings
of this severity or worse alone`,
      reason: 'with mute: why the finding is as it should be',
      until: 'with mute: when it is shown again (default: never)',
    },
    connects: true,
    noticed: 'there are findings as bad as --fail-on says, or that the baseline has not',
    run: async (line, env) => (await import('../findings-command.js')).findingsCommand(line, env),
  },
  {
    name: 'rules',
    summary: 'tells which access rules hold',
    usage: [''],
    about:
      'Lists the access rules, whether each holds now, and the pairs that violate those that do not.',
    options: {
      limit: 'only the first so many violations of each rule (default: all)',
      json: 'as JSON, with ids',
    },
    connects: true,
    noticed: 'an access rule is violated',
    run: async (...line) => (await import('../rules-command.js')).rulesCommand(...line),
  },
  {
    name: 'diff',
    summary: 'tells what access was gained and lost between two points in time',
    usage: ['--from <time> [--to <time>]'],
    about: `Lists the pairs of an identity and a service that policies came to grant and ceased to, and the policies.
A time is like 2026-05-01T12:00:00Z; the id of a change does as well. It must lie within the kept change log.`,
    options: {
      from: 'the one point',
      to: 'the other (default: now)',
      limit: 'only the first so many of the gained and of the lost (default: all)',
      json: 'as JSON, with ids',
      'fail-on-gained': 'end with 1 when there are pairs that were gained',
    },
    connects: true,
    noticed: 'access widens, and --fail-on-gained is given',
    run: async (...line) => (await import('../diff-command.js')).diffCommand(...line),
  },
  {
    name: 'watch',
    summary: 'follows how access changes, a line for each event',
    usage: [''],
    about: `Follows the change log and tells of every change that alters access, with the pairs gained and lost and
the identity that caused it, until it is interrupted. A connection that is cut is made anew, and goes on
where it was: nothing is left out and nothing comes twice.`,
    options: {
      changes: 'every change of the network, not those of access alone',
      since: 'go on behind the change with this id (default: from now on)',
      limit: 'end after so many events (default: never)',
      json: 'lines of JSON, with ids',
    },
    connects: true,
    run: async (...line) => (await import('../watch-command.js')).watchCommand(...line),
  },
];
