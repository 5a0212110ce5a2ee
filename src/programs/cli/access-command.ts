import {
  ApproveAccessRequest,
  CancelAccessRequest,
  DenyAccessRequest,
  OfferedAccess,
  OwnAccess,
  RequestAccess,
  RequestedAccess,
  RevokeAccess,
  type OfferedAccessEntry,
  type OwnAccessEntry,
  type RequestedAccessEntry,
} from '../emitted/operations.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import type { CommandLine, Options } from './options.js';
import { plain } from './plain.js';
import { readList } from './read-pages.js';
import { table } from './text-table.js';

interface Action {
  readonly client: Client;
  /** The offer, by name or id, or the id of the request; empty for lists. */
  readonly operand: string;
  readonly options: Options;
}

/** Each gives the text that it prints. */
const LISTS: Readonly<Record<string, (action: Action) => Promise<string>>> = {
  mine: listOwn,
  offers: listOffers,
  requests: listRequests,
};

const STEPS: Readonly<Record<string, (action: Action) => Promise<RequestedAccessEntry>>> = {
  request: askFor,
  cancel: async ({ client, operand: id }) =>
    (await client.run(CancelAccessRequest, { id })).request,
  approve: async ({ client, operand: id, options }) => {
    const variables = { id, minutes: minutesOf(options), comment: options.comment };
    return (await client.run(ApproveAccessRequest, variables)).request;
  },
  deny: async ({ client, operand: id, options: { comment } }) =>
    (await client.run(DenyAccessRequest, { id, comment })).request,
  revoke: async ({ client, operand: id, options: { comment } }) =>
    (await client.run(RevokeAccess, { id, comment })).request,
};

/** `overgraph access <action>` */
export async function accessCommand(
  { operands: [name = '', operand, ...more], options }: CommandLine,
  env: Environment,
): Promise<void> {
  const list = LISTS[name];
  const step = STEPS[name];
  refuseOperands(name, operand === undefined ? [] : [operand, ...more]);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const action = { client, operand: operand ?? '', options };
    if (list) console.log(await list(action));
    else if (step) console.log(lineOf(await step(action)));
  } finally {
    await client.logout();
  }
}

const NAMES = [...Object.keys(LISTS), ...Object.keys(STEPS)];

/** Lists take no operands, and steps take one. */
function refuseOperands(name: string, { length }: readonly string[]): void {
  if (!NAMES.includes(name)) throw usageError(`access takes one of ${NAMES.join(', ')}`);
  const isList = Object.hasOwn(LISTS, name);
  if (length !== (isList ? 0 : 1)) {
    throw usageError(`access ${name} takes ${isList ? 'no operands' : 'one operand'}`);
  }
}

async function listOwn({ client, options }: Action): Promise<string> {
  const { nodes } = await readList(async (page) => (await client.run(OwnAccess, page)).myAccess);
  if (options.json) return JSON.stringify(nodes, null, 2);
  if (nodes.length === 0) return 'You reach no service.';
  const rows = nodes.map(({ serviceName, dial, bind }) => [
    plain(serviceName),
    endOf(dial),
    endOf(bind),
  ]);
  return table(['service', 'dial until', 'bind until'], rows);
}

/** Nothing without the access, since its end is what a cell shows. */
const endOf = (access: OwnAccessEntry['dial']): string =>
  access === null ? '' : (access.until ?? 'no end');

async function listOffers({ client, options }: Action): Promise<string> {
  const offers = await offersOf(client);
  if (options.json) return JSON.stringify(offers, null, 2);
  if (offers.length === 0) return 'There is no access to ask for.';
  const rows = offers.map(({ name, maxMinutes, approval, description }) => [
    plain(name),
    maxMinutes,
    approval,
    plain(description ?? ''),
  ]);
  return table(['offer', 'minutes', 'approval', 'for'], rows);
}

const offersOf = async (client: Client): Promise<readonly OfferedAccessEntry[]> =>
  (await readList(async (page) => (await client.run(OfferedAccess, page)).accessOffers)).nodes;

async function listRequests({ client, options }: Action): Promise<string> {
  const { nodes } = await readList(
    async (page) => (await client.run(RequestedAccess, page)).accessRequests,
  );
  const requests = [...nodes].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  if (options.json) return JSON.stringify(requests, null, 2);
  if (requests.length === 0) return 'There are no requests.';
  const rows = requests.map((request) => [
    request.id,
    plain(request.identityName),
    plain(request.offerName),
    request.mayDecide ? `${request.state}, yours to decide` : request.state,
    request.requestedMinutes,
    request.grantedUntil ?? '',
    plain(request.reason),
  ]);
  return table(['id', 'identity', 'offer', 'state', 'minutes', 'until', 'reason'], rows);
}

async function askFor({ client, operand, options }: Action): Promise<RequestedAccessEntry> {
  const { reason = '' } = options;
  const minutes = minutesOf(options);
  if (reason.trim() === '' || minutes === undefined) {
    throw usageError('access request takes --minutes and --reason');
  }
  const offers = await offersOf(client);
  const offer = offers.find(({ id, name }) => name === operand || id === operand);
  const variables = { offerId: offer?.id ?? operand, reason, minutes };
  return (await client.run(RequestAccess, variables)).request;
}

function minutesOf({ minutes }: Options): number | undefined {
  if (minutes === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(minutes)) return Number(minutes);
  throw usageError(`--minutes must be a whole number from 1, is "${minutes}"`);
}

const lineOf = ({ id, state, grantedUntil }: RequestedAccessEntry): string =>
  `${id} is ${state}${state === 'GRANTED' && grantedUntil !== null ? ` until ${grantedUntil}` : ''}.`;
