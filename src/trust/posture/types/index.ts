import { domainPosture } from './domain/domain-posture.js';
import { macPosture } from './mac/mac-posture.js';
import { mfaPosture } from './mfa/mfa-posture.js';
import { osPosture } from './os/os-posture.js';
import { processMultiPosture } from './process-multi/process-multi-posture.js';
import { processPosture } from './process/process-posture.js';

/** All types of posture checks, in the order in which the errors and the lists name them. */
export const postureTypes = [
  osPosture,
  processPosture,
  domainPosture,
  macPosture,
  processMultiPosture,
  mfaPosture,
] as const;
