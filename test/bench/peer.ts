import { drive, type Load } from './load.js';
import { byTurns, type Effort, type Measured } from './measure.js';
import { PEER_LINES, type PeerLine } from './peer-lines.js';
import { fillPeer, type Peer, type PeerAddress } from './peer-network.js';
import { ProcessorMeter, type ProcessorTime } from './processor-time.js';
import { millis, processorCells, rate } from './report.js';
import { table } from './results.js';
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
  /** For one of ours. */
  readonly processor: ProcessorTime;
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
  // Another controller may refuse logins that are too many, or take longer than a round for a list.
  const load = (peer: Peer, seconds: number): Promise<Load> =>
    drive(peer.origin, () => next(peer, identities), seconds, '', peer === ours);
  const meter = new ProcessorMeter(stage);
  const [measured, peer] = await byTurns(
    [(seconds) => meter.measure(() => load(ours, seconds)), (seconds) => load(theirs, seconds)],
    effort,
  );
  if (!measured || !peer) throw new Error('nothing was measured');
  // An answer that did not come in all this time counts as if it had come at the end.
  const perSecond = Math.max(peer.perSecond, 1 / effort.seconds);
  const theirsAtBest = { ...peer, perSecond };
  return { name, ours: measured, theirs: theirsAtBest, processor: meter.perAnswer };
}

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
      ...processorCells(processor),
    ]),
  );
