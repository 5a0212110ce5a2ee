import { drive, type Load } from './load.js';
import { byTurns, type Effort, type Measured } from './measure.js';
import { PEER_LINES, type PeerLine } from './peer-lines.js';
import { fillPeer, type Peer, type PeerAddress } from './peer-network.js';
import { databaseTime } from './processor-time.js';
import { millis, rate, table } from './report.js';
import { PASSWORD, type Stage } from './stage.js';

/** `https://admin:password@host:port` */
export function peerAddress(text: string): PeerAddress {
  const { origin, username, password } = new URL(text);
  return { origin, username: username || 'admin', password: decodeURIComponent(password) };
}

export interface PeerResult {
  readonly name: string;
  readonly ours: Measured;
  readonly theirs: Measured;
  /** Milliseconds of processor time for one of ours. */
  readonly processor: { readonly controller: number; readonly database: number | undefined };
}

/** Fills both controllers through their doors, and asks both the same by turns. */
export async function measureAgainst(
  stage: Stage,
  other: PeerAddress,
  identities: number,
  lines: (line: PeerLine) => boolean,
  effort: Effort,
): Promise<string> {
  const us = { origin: stage.controller, username: 'admin', password: PASSWORD };
  const ours = await fillPeer(us, identities);
  const theirs = await fillPeer(other, identities);
  const results: PeerResult[] = [];
  for (const line of PEER_LINES.filter(lines)) {
    results.push(await measureLine(stage, line, { ours, theirs, identities }, effort));
  }
  return `${createdLine('this controller', ours)}\n${createdLine('the other', theirs)}\n\n${peerTable(results)}`;
}

const createdLine = (whose: string, { created }: Peer): string =>
  `created a second in ${whose}: ${rate(created.services)} services, ${rate(created.identities)} identities`;

interface Sides {
  readonly ours: Peer;
  readonly theirs: Peer;
  readonly identities: number;
}

async function measureLine(
  stage: Stage,
  { name, next }: PeerLine,
  { ours, theirs, identities }: Sides,
  effort: Effort,
): Promise<PeerResult> {
  const load = (peer: Peer, seconds: number): Promise<Load> =>
    drive(peer.origin, () => next(peer, identities), seconds, '');
  const spent = { controller: 0, database: 0, answers: 0, isKnown: true };
  const [measured, peer] = await byTurns(
    [
      async (seconds) => {
        const [cpu, databaseBefore] = await timesOf(stage);
        const one = await load(ours, seconds);
        const [cpuAfter, databaseAfter] = await timesOf(stage);
        spent.controller += cpuAfter - cpu;
        spent.answers += one.times.length;
        if (databaseBefore === undefined || databaseAfter === undefined) spent.isKnown = false;
        else spent.database += Math.max(0, databaseAfter - databaseBefore);
        return one;
      },
      (seconds) => load(theirs, seconds),
    ],
    effort,
  );
  if (!measured || !peer) throw new Error('nothing was measured');
  const processor = {
    controller: spent.controller / spent.answers,
    database: spent.isKnown ? spent.database / spent.answers : undefined,
  };
  return { name, ours: measured, theirs: peer, processor };
}

const timesOf = async (
  stage: Stage,
): Promise<readonly [controller: number, database: number | undefined]> => [
  (await stage.probe()).cpu,
  await databaseTime(stage.databaseUrl),
];

const peerTable = (results: readonly PeerResult[]): string =>
  table(
    ['by turns', 'ops/s', 'other', 'ratio', 'p50 ms', 'p99 ms', 'CPU ms', 'database ms'],
    results.map(({ name, ours, theirs, processor }) => [
      name,
      rate(ours.perSecond),
      rate(theirs.perSecond),
      (ours.perSecond / theirs.perSecond).toFixed(2),
      millis(ours.p50),
      millis(ours.p99),
      processor.controller.toFixed(2),
      processor.database?.toFixed(2) ?? '',
    ]),
  );
