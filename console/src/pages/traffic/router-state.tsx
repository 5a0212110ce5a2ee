import { texts } from '../../texts.js';
import type { RouterState } from './router-scene.js';

const TONES = { online: 'good', offline: 'bad', disabled: 'warn', notEnrolled: 'info' } as const;

/** Whether a router is connected, in words. */
export const StateTag = ({ state }: { state: RouterState }) => (
  <span className={`tag ${TONES[state]}`}>{texts.overview.routerStates[state]}</span>
);
