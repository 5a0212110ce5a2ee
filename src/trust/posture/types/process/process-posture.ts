import { readerOf } from '../../../../base/schema-reader.js';
import { object } from '../../../../kernel/declare/attribute.js';
import { desktopOsTypes } from '../../operating-system.js';
import { definePosture } from '../posture-type.js';
import { PostureProcess, PROCESS } from './posture-process.js';
import { queriedProcess, type PostureQueryProcess } from './process-query.js';
import { processResponse, type ProcessReport, type ProcessSubject } from './process-reports.js';
import { actualProcess, meetsProcess } from './process-rule.js';

const fields = {
  process: {
    type: object(() => PostureProcess),
    description: 'The program',
    read: readerOf<PostureProcess>(PROCESS),
  },
};

interface ProcessQuery {
  readonly process?: PostureQueryProcess;
}

const reportOf = (reports: readonly ProcessReport[], checkId: string): ProcessReport | undefined =>
  reports.findLast(({ postureCheckId }) => postureCheckId === checkId);

/** One program runs. */
export const processPosture = definePosture({
  id: 'PROCESS',
  meaning: 'A program that runs.',
  answeredOn: desktopOsTypes,
  fields,
  response: processResponse,
  rule: {
    passes: ({ id, process }, { data: { processes } }: ProcessSubject) => {
      if (!process) return false;
      const { hashes, signerFingerprint } = process;
      const signerFingerprints = signerFingerprint === '' ? [] : [signerFingerprint];
      return meetsProcess(reportOf(processes, id), { hashes, signerFingerprints });
    },
    failure: ({ id, process }, { data: { processes } }) => ({
      actualValue: actualProcess(reportOf(processes, id)),
      expectedValue: process ?? null,
    }),
  },
  query: {
    values: ({ process }): ProcessQuery => (process ? { process: queriedProcess(process) } : {}),
    // The graph has the list of PROCESS_MULTI, whatever the number of processes.
    onGraph: ({ process }) => ({ processes: process ? [process] : null }),
    onRest: ({ processes, ...query }) => {
      const [process] = Array.isArray(processes) ? (processes as unknown[]) : [];
      return process ? { ...query, process } : query;
    },
  },
});
