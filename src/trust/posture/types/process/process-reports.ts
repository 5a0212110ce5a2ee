import { attribute, bool, described, text, textSet } from '../../../../kernel/declare/attribute.js';
import { digestText, distinct } from '../../normal-form.js';
import { flagAnswer, textAnswer, textsAnswer } from '../answer-members.js';
import { defineResponse } from '../posture-type.js';
import { PostureReport, type ReportOf } from '../report.js';

/** The answer of a client about a program, and the report that the controller stores. */

@described('A program on a device.')
class PostureProcessReport extends PostureReport {
  @attribute(text(), { description: 'SHA-512 of the program in lower-case hex.' })
  binaryHash!: string;

  @attribute(bool(), { description: 'Whether it ran.' })
  isRunning!: boolean;

  @attribute(textSet(), { description: 'SHA-1 of the certificates that signed it.' })
  signerFingerprints!: readonly string[];
}

/** Bounds the reports of one identity: the oldest are dropped first. */
const MAX_PROCESSES = 500;
const MAX_PATH = 4096;
const MAX_SIGNERS = 32;

const members = {
  path: textAnswer('where the program lies', { longest: MAX_PATH }),
  isRunning: flagAnswer('whether it runs'),
  hash: textAnswer('SHA-512 of the program'),
  signerFingerprints: textsAnswer('SHA-1 of the certificates that signed the program', {
    most: MAX_SIGNERS,
  }),
};

/** Hashes and fingerprints are lower case without separators; an empty path was not reported. */
export type ProcessReport = ReportOf<PostureProcessReport> & { readonly path: string };

export interface ProcessSubject {
  readonly data: {
    /** One per check and path, the latest last: the last one of a check, or of a path, counts. */
    readonly processes: readonly ProcessReport[];
  };
}

/** The reports that count, by check and by path. */
function countingReports(reports: readonly ProcessReport[]): Map<string, unknown> {
  const counting = new Map<string, unknown>();
  for (const { postureCheckId, path, isRunning, binaryHash, signerFingerprints } of reports) {
    const state = [path, isRunning, binaryHash, signerFingerprints];
    counting.set(`check ${postureCheckId}`, state);
    if (path !== '') counting.set(`path ${path}`, state);
  }
  return counting;
}

export const processResponse = defineResponse({
  typeId: 'PROCESS',
  members,
  report: {
    member: 'processes',
    description: 'The programs that were asked for.',
    shape: PostureProcessReport,
    read: ({ path, isRunning, hash, signerFingerprints }) => ({
      path,
      isRunning,
      binaryHash: digestText(hash),
      signerFingerprints: distinct(signerFingerprints.map(digestText)),
    }),
    list: {
      add: (reports, report) => {
        const { postureCheckId, path } = report;
        const others = reports.filter(
          (r) => r.postureCheckId !== postureCheckId || r.path !== path,
        );
        return [...others, report].slice(-MAX_PROCESSES);
      },
      state: (reports) =>
        [...countingReports(reports)].map((entry) => JSON.stringify(entry)).sort(),
    },
  },
});
