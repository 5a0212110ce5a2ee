import { reportTypes } from './posture-types.js';
import type { SessionPosture } from '../../data/rows/posture/index.js';
import type { PostureData } from './declared-values.js';

/** The subject of an evaluation: an identity by way of one of its API sessions. */
export interface PostureSubject {
  readonly data: PostureData;
  readonly session: SessionPosture;
}

const listMembers = reportTypes.filter(({ list }) => list).map(({ member }) => member);

/** Lists are there before the first report. */
export const noPostureData = Object.fromEntries<unknown>(
  listMembers.map((member) => [member, []]),
) as PostureData;
