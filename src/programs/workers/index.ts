export { Channel } from './channel.js';
export type { Pulse, ToFirst, ToWorker, WorkerStart } from './messages.js';
export { RelayedFeed } from './relayed-feed.js';
export { RelayedLiveEvents } from './relayed-live-events.js';
export { WorkerPool, type FirstProcess } from './worker-pool.js';
